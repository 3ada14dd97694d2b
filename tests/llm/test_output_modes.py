"""What servers can and cannot do is found out by asking them, once, and remembered."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest

from core.base.call_context import in_context
from core.base.calls import OUTPUT_MODES, Call, ServerFeatures
from core.base.errors import ModelError, NoValidReply, ServerRefusal
from core.base.types import Message
from core.bot.clarify.function_calling import ChooseStep, SearchNow
from core.llm.client import RequestRejected
from core.llm.rejections import without_rejected
from core.store.store import Store
from tests.support.example_prompts import ANSWER, CONVERSATION, JUDGE, NEXT, PROMPTS, REWRITE
from tests.support.model_server import ModelServer, engine_on, serving
from tests.support.server_faults import EVERYTHING

pytestmark = pytest.mark.usefixtures("short_waits")


def asked_of(server: ModelServer) -> list[dict[str, Any]]:
    """The requests that were no probes."""
    return [body for body in server.requests if "seven" not in str(body) and "7は3" not in str(body)]


@pytest.mark.parametrize("mode", range(4), ids=OUTPUT_MODES)
def test_every_prompt_is_answered_in_every_output_mode(mode: int, store: Store) -> None:
    with serving(ModelServer(output_modes=OUTPUT_MODES[mode:])) as server:
        engine = engine_on(server, store)
        for prompt, _ in PROMPTS:
            assert isinstance(engine.ask(prompt), prompt.reply_type())
        assert engine.ask(ChooseStep(conversation=CONVERSATION)) == SearchNow()
        found = store.calls.server_features(server.url, "tiny")
        assert (
            found is not None
            and found.output_modes == OUTPUT_MODES[mode:]
            and set(found.notes) == set(OUTPUT_MODES[:mode])
        )
        assert server.invalid == []
        used = (
            store.calls.newest()[-1].output_mode,
            {call.output_mode for call in store.calls.newest() if call.purpose == "JudgeTurn"},
        )
        assert used[1] == {OUTPUT_MODES[mode]}


def test_a_choice_of_functions_is_called_as_tools_where_there_are_any(server: ModelServer, store: Store) -> None:
    engine_on(server, store).ask(ChooseStep(conversation=CONVERSATION))
    body = server.requests[-1]
    assert len(body["tools"]) == 4 and body["tool_choice"] == "required" and "response_format" not in body


def test_each_role_has_its_own_model_and_settings(server: ModelServer, store: Store) -> None:
    own = {"judge_model": "wise", "judge_temperature": 0.3, "user_model": "chatty", "user_effort": "low"}
    engine = engine_on(server, store, **own)
    for prompt in (ANSWER, NEXT, JUDGE):
        engine.ask(prompt)
    sent = {body["model"]: body for body in asked_of(server)}
    assert set(sent) == {"tiny", "chatty", "wise"}
    assert (sent["wise"]["temperature"], sent["tiny"]["temperature"], sent["chatty"]["temperature"]) == (0.3, 0.0, 0.7)
    assert sent["chatty"]["reasoning_effort"] == "low" and "reasoning_effort" not in sent["tiny"]
    assert set(store.calls.spending_by("model")) == {"tiny", "chatty", "wise"}


# What a server cannot do


@pytest.mark.parametrize(
    "rejects",
    [
        {"temperature"},
        {"max_completion_tokens"},
        {"max_completion_tokens", "max_tokens"},
        {"seed", "parallel_tool_calls", "tool_choice"},
        {"system"},
        {"temperature", "seed", "reasoning_effort", "stream_options", "max_completion_tokens", "parallel_tool_calls"},
    ],
    ids=lambda names: "+".join(sorted(names)),
)
def test_what_a_server_rejects_is_left_out_and_remembered(rejects: set[str], store: Store) -> None:
    with serving(ModelServer(rejects=rejects)) as server:
        engine = engine_on(server, store, effort="low")
        assert engine.ask(NEXT) and engine.ask(ChooseStep(conversation=CONVERSATION)) and "".join(engine.stream(ANSWER))
        found = store.calls.server_features(server.url, "tiny")
        assert found is not None and found.output_modes == OUTPUT_MODES
        assert set(found.rejected) == rejects - {"max_completion_tokens", "max_tokens"}
        before = len(server.requests)
        second = engine_on(server, store, effort="low")
        assert second.ask(JUDGE) and second.ask(REWRITE)
        assert len(server.requests) == before + 2  # another start asks nothing that it knows
        assert not rejects & set(server.requests[-1]) and server.invalid == []


def test_a_server_that_names_nothing_is_found_out_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tests.support.model_server.rejection", lambda home, body: "bad request" if "seed" in body else ""
    )
    with serving(ModelServer()) as server:
        assert engine_on(server, store).ask(NEXT)
        found = store.calls.server_features(server.url, "tiny")
        assert (
            found is not None
            and "seed" in found.rejected
            and found.output_modes == OUTPUT_MODES
            and "temperature" not in found.rejected
        )


def test_a_server_that_takes_a_schema_and_ignores_it_is_seen_through(store: Store, monkeypatch: Any) -> None:
    def careless(body: dict[str, Any]) -> str:
        return "Certainly! Here is a poem." if "response_format" in body else real(body)

    real = __import__("tests.support.model_server", fromlist=["reply_to"]).reply_to
    monkeypatch.setattr("tests.support.model_server.reply_to", careless)
    with serving(ModelServer()) as server:
        assert engine_on(server, store).ask(NEXT)
        found = store.calls.server_features(server.url, "tiny")
        assert found is not None and found.output_modes == ("tools", "text")


def test_what_stops_working_later_is_learnt_from_the_error(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.output_modes -= {"schema"}
    server.rejects = {"temperature"}
    assert engine.ask(JUDGE)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.output_modes[0] == "tools" and found.rejected == ("temperature",)


def test_a_text_that_is_too_long_costs_no_feature(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    shown_text = "maximum context length is 8 tokens (4 in the messages, 4 in the functions, json_schema and tools)"
    too_long = {"error": {"message": shown_text}}
    server.script = [lambda handler, body, *_: handler.send(400, too_long)] * 4
    with pytest.raises(ServerRefusal, match="maximum context length"):
        engine.ask(NEXT)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.output_modes == OUTPUT_MODES and found.rejected == ()


def test_a_web_page_costs_no_feature(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    page = "<html><script>function tools(){}</script>response_format json_schema temperature</html>"
    server.script = [lambda handler, body, *_: handler.send(404, page)]
    with pytest.raises(ServerRefusal, match="HTTP 404"):
        engine.ask(NEXT)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.output_modes == OUTPUT_MODES and found.rejected == ()


def test_the_page_can_probe_again(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.output_modes -= {"schema", "json"}
    assert engine.probe("judge").output_modes == ("tools", "text")
    assert [one.output_modes for one in store.calls.all_server_features()] == [("tools", "text")]


@pytest.mark.parametrize("done", range(1, 5))
def test_what_was_found_out_before_a_process_died_is_not_asked_again(
    done: int, server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = store.calls.add

    def die(call: Call) -> int:
        number = stored(call)
        if len(server.requests) == done:
            raise KeyboardInterrupt
        return number

    monkeypatch.setattr(store.calls, "add", die)
    with pytest.raises(KeyboardInterrupt):
        engine_on(server, store).ask(NEXT)
    assert store.calls.all_server_features() == []
    monkeypatch.setattr(store.calls, "add", stored)
    engine_on(server, store).ask(NEXT)
    assert len(server.requests) == 4 + 1
    assert [one.output_modes for one in store.calls.all_server_features()] == [OUTPUT_MODES]


def test_a_bad_reply_to_a_probe_is_asked_for_again_where_the_server_knows_no_seed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(ModelServer(rejects={"seed"})) as server:
        replies = iter(["Sure!", None])  # to what a schema is asked of: no object at first

        def next_script(body: Any) -> Any:
            return next(replies, None) if "json_schema" in str(body.get("response_format")) else None

        monkeypatch.setattr(server, "next_script", next_script)
        engine_on(server, store).ask(NEXT)
        found = store.calls.server_features(server.url, "tiny")
        assert found is not None and found.output_modes[0] == "schema" and found.rejected == ("seed",)


def test_a_forgotten_server_is_asked_anew(server: ModelServer, store: Store) -> None:
    engine_on(server, store).ask(NEXT)
    server.output_modes -= {"schema"}
    store.calls.forget_server_features(server.url, "tiny")
    engine_on(server, store).ask(JUDGE)
    assert [one.output_modes for one in store.calls.all_server_features()] == [("tools", "json", "text")]
    assert len(store.calls.newest()) == len(server.requests)


def test_many_threads_probe_once(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    threads = [threading.Thread(target=engine.ask, args=(NEXT.model_copy(update={"seed": n}),)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(server.requests) == 8 + 4


def test_no_request_of_ours_is_outside_the_published_schema(store: Store) -> None:
    for output_modes in (OUTPUT_MODES, OUTPUT_MODES[1:], OUTPUT_MODES[2:], OUTPUT_MODES[3:]):
        with serving(ModelServer(output_modes=output_modes, faults=EVERYTHING, share=0.3, seed=1)) as server:
            engine = engine_on(server, store)
            for prompt in (*(prompt for prompt, _ in PROMPTS), ChooseStep(conversation=CONVERSATION)):
                with in_context(repeat=2), suppress(NoValidReply):
                    engine.ask(prompt)
            list(engine.stream(ANSWER.model_copy(update={"conversation": (Message(role="user", text="x"),)})))
            assert len(server.requests) >= 7 and server.invalid == []


# What of a server's errors is learned for good, and what may pass

FOUND = ServerFeatures(server="http://a", model="tiny", output_modes=OUTPUT_MODES)
TOOLS: dict[str, Any] = {
    "messages": [{"role": "system", "content": "x"}],
    "temperature": 0.0,
    "seed": 1,
    "max_completion_tokens": 4096,
    "tools": [{"function": {"strict": True}}],
    "tool_choice": "required",
    "parallel_tool_calls": False,
}


@pytest.mark.parametrize(
    ("parameter", "said", "name"),
    [
        ("temperature", "Something is wrong.", "temperature"),
        ("tools[0].function.strict", "Something is wrong.", "strict"),
        ("tools[0].function.parameters", "Something is wrong.", "output_mode"),
        ("body seed", "body seed: Extra inputs are not permitted", "seed"),
        ("", "Unrecognized request argument supplied: parallel_tool_calls", "parallel_tool_calls"),
        ("", 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', "seed"),
        ("", "Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("", "registry.example/library/tiny does not support tools", "output_mode"),
        ("", '"auto" tool choice requires --enable-auto-tool-choice', "output_mode"),
        ("", "System role not supported", "system"),
        ("max_completion_tokens", "Unsupported parameter: use 'max_tokens' instead.", "limit"),
        ("", "Your message ‘the tools, the seed and the temperature of the stream’ was odd.", ""),
        ("", "The message 'is temperature supported' violates our usage policies.", ""),
        ("messages", "Something about seed is unsupported by our safety filter.", ""),
        ("max_completion_tokens", "max_completion_tokens is too large: 4096. At most 2048 are supported.", ""),
        ("", "Billing: tools are not supported on the free plan.", ""),
    ],
)
def test_only_what_an_error_objects_to_by_name_is_learnt(parameter: str, said: str, name: str) -> None:
    found = without_rejected(FOUND, "tools", TOOLS, RequestRejected(400, "x", parameter, said))
    if name == "output_mode":
        assert found is not None and "tools" not in found.output_modes
    elif name == "limit":
        assert found is not None and found.limit_parameter == "max_tokens"
    else:
        assert (found.rejected if found else ()) == ((name,) if name else ())


UNSUPPORTED = {"error": {"message": "Unsupported: tools, temperature, json_schema and seed", "param": "temperature"}}
PASSING = pytest.mark.parametrize("status", [402, 405, 410, 413, 415, 451, 501])


@PASSING
def test_an_error_that_may_pass_costs_no_feature(status: int, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [lambda handler, *_: handler.send(status, UNSUPPORTED)]
    with pytest.raises(ModelError, match=str(status)):
        engine.ask(NEXT)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.output_modes == OUTPUT_MODES and found.rejected == ()


@PASSING
def test_while_finding_out_an_error_that_may_pass_ends_it(status: int, store: Store) -> None:
    with serving(Stubborn(status)) as server:
        with pytest.raises(ModelError, match=str(status)):
            engine_on(server, store).ask(NEXT)
        assert len(server.requests) == 1 and store.calls.server_features(server.url, "tiny") is None


class Stubborn(ModelServer):
    """Gives every request the same error."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status

    def next_script(self, body: Any) -> Any:
        return lambda handler, *_: handler.send(self.status, UNSUPPORTED)


@pytest.mark.parametrize("prompt", [NEXT, ANSWER], ids=["object", "text"])
def test_a_reply_that_is_too_long_for_a_server_is_asked_for_shorter(
    prompt: Any, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)

    def at_most(handler: Any, body: Any, *_: Any) -> None:
        shown_text = (
            f"max_completion_tokens is too large: {body['max_completion_tokens']}. This model supports at most 1500."
        )
        handler.send(400, {"error": {"message": shown_text, "param": "max_completion_tokens"}})

    server.script = [at_most, at_most]
    assert "".join(engine.stream(prompt)) if prompt is ANSWER else engine.ask(prompt)
    assert [body["max_completion_tokens"] for body in server.requests[-3:]] == [4096, 2048, 1024]
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.limit_parameter == "max_completion_tokens" and found.output_modes == OUTPUT_MODES
    engine.ask(JUDGE)
    assert server.requests[-1]["max_completion_tokens"] == 4096


def test_an_error_in_a_list_is_read(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    shown_text = [{"error": {"message": 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'}}]
    server.script = [lambda handler, *_: handler.send(400, shown_text)]
    assert engine.ask(NEXT)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and found.rejected == ("seed",) and "seed" not in server.requests[-1]
