"""The engines: embedded, and any OpenAI-compatible server.

The path of one call to a model, in order: `engine_choice` makes an `OpenAIEngine` (`openai_engine`) of the settings. It
turns the prompt into a request (`model_requests`, `schemas`), looks it up in the call log (`logged_calls`), and passes
it to the `Sender` (`sender`), which picks an output mode that the server supports (`server_features`, `rejections`) and
retries within budget and concurrency limit. `client` sends it, `completions` reads the server's answer, and `replies`
(`reasoning`, `repairs`) makes a typed reply of it.
"""
