"""The engines: embedded, and any OpenAI-compatible server."""
