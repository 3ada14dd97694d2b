"""What servers can and cannot do is found out by asking them, once, and remembered."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest

from core.base.calls import Call
from core.base.types import Message
from core.bot.clarify.functions import ChooseStep, SearchNow
from core.llm.errors import Refused, Unusable
from core.llm.occasion import on
from core.store.store import Store
from tests.faults import EVERYTHING
from tests.questions import ANSWER, JUDGE, NEXT, PROMPTS, REWRITE, TALK
from tests.servers import ModelServer, engine_on, serving

pytestmark = pytest.mark.usefixtures("short_waits")
RUNGS = ("schema", "tools", "json", "text")


def asked_of(server: ModelServer) -> list[dict[str, Any]]:
    """The requests that were no probes."""
    return [body for body in server.requests if "seven" not in str(body) and "7は3" not in str(body)]


@pytest.mark.parametrize("rung", range(4), ids=RUNGS)
def test_every_prompt_is_answered_on_every_rung(rung: int, store: Store) -> None:
    with serving(ModelServer(rungs=RUNGS[rung:])) as server:
        engine = engine_on(server, store)
        for prompt, _ in PROMPTS:
            assert isinstance(engine.ask(prompt), prompt.reply_type())
        assert engine.ask(ChooseStep(conversation=TALK)) == SearchNow()
        found = store.abilities(server.url, "tiny")
        assert found is not None and found.rungs == RUNGS[rung:] and set(found.notes) == set(RUNGS[:rung])
        assert server.invalid == []
        used = store.calls()[-1].rung, {call.rung for call in store.calls() if call.purpose == "JudgeTurn"}
        assert used[1] == {RUNGS[rung]}


def test_a_choice_of_functions_is_called_as_tools_where_there_are_any(server: ModelServer, store: Store) -> None:
    engine_on(server, store).ask(ChooseStep(conversation=TALK))
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
    assert set(store.spending_by("model")) == {"tiny", "chatty", "wise"}


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
        assert engine.ask(NEXT) and engine.ask(ChooseStep(conversation=TALK)) and "".join(engine.stream(ANSWER))
        found = store.abilities(server.url, "tiny")
        assert found is not None and found.rungs == RUNGS
        assert set(found.dropped) == rejects - {"max_completion_tokens", "max_tokens"}
        before = len(server.requests)
        again = engine_on(server, store, effort="low")
        assert again.ask(JUDGE) and again.ask(REWRITE)
        assert len(server.requests) == before + 2  # another start asks nothing that it knows
        assert not rejects & set(server.requests[-1]) and server.invalid == []


def test_a_server_that_names_nothing_is_found_out_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.servers.rejection", lambda home, body: "bad request" if "seed" in body else "")
    with serving(ModelServer()) as server:
        assert engine_on(server, store).ask(NEXT)
        found = store.abilities(server.url, "tiny")
        assert (
            found is not None
            and "seed" in found.dropped
            and found.rungs == RUNGS
            and "temperature" not in found.dropped
        )


def test_a_server_that_takes_a_schema_and_ignores_it_is_seen_through(store: Store, monkeypatch: Any) -> None:
    def careless(body: dict[str, Any]) -> str:
        return "Certainly! Here is a poem." if "response_format" in body else real(body)

    real = __import__("tests.servers", fromlist=["reply_to"]).reply_to
    monkeypatch.setattr("tests.servers.reply_to", careless)
    with serving(ModelServer()) as server:
        assert engine_on(server, store).ask(NEXT)
        found = store.abilities(server.url, "tiny")
        assert found is not None and found.rungs == ("tools", "text")


def test_what_stops_working_later_is_learnt_from_the_error(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.rungs -= {"schema"}
    server.rejects = {"temperature"}
    assert engine.ask(JUDGE)
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.rungs[0] == "tools" and found.dropped == ("temperature",)


def test_a_text_that_is_too_long_costs_no_ability(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    told = "maximum context length is 8 tokens (4 in the messages, 4 in the functions, json_schema and tools)"
    too_long = {"error": {"message": told}}
    server.script = [lambda handler, body, *_: handler.send(400, too_long)] * 4
    with pytest.raises(Refused, match="maximum context length"):
        engine.ask(NEXT)
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.rungs == RUNGS and found.dropped == ()


def test_a_web_page_costs_no_ability(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    page = "<html><script>function tools(){}</script>response_format json_schema temperature</html>"
    server.script = [lambda handler, body, *_: handler.send(404, page)]
    with pytest.raises(Refused, match="HTTP 404"):
        engine.ask(NEXT)
    found = store.abilities(server.url, "tiny")
    assert found is not None and found.rungs == RUNGS and found.dropped == ()


def test_the_page_can_probe_again(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.rungs -= {"schema", "json"}
    assert engine.probe("judge").rungs == ("tools", "text")
    assert [one.rungs for one in store.all_abilities()] == [("tools", "text")]


@pytest.mark.parametrize("done", range(1, 5))
def test_what_was_found_out_before_a_process_died_is_not_asked_again(
    done: int, server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.add_call

    def die(call: Call) -> int:
        number = kept(call)
        if len(server.requests) == done:
            raise KeyboardInterrupt
        return number

    monkeypatch.setattr(store, "add_call", die)
    with pytest.raises(KeyboardInterrupt):
        engine_on(server, store).ask(NEXT)
    assert store.all_abilities() == []
    monkeypatch.setattr(store, "add_call", kept)
    engine_on(server, store).ask(NEXT)
    assert len(server.requests) == 4 + 1
    assert [one.rungs for one in store.all_abilities()] == [RUNGS]


def test_a_bad_reply_to_a_probe_is_asked_for_again_where_the_server_knows_no_seed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(ModelServer(rejects={"seed"})) as server:
        replies = iter(["Sure!", None])  # to what a schema is asked of: no object at first

        def next_script(body: Any) -> Any:
            return next(replies, None) if "json_schema" in str(body.get("response_format")) else None

        monkeypatch.setattr(server, "next_script", next_script)
        engine_on(server, store).ask(NEXT)
        found = store.abilities(server.url, "tiny")
        assert found is not None and found.rungs[0] == "schema" and found.dropped == ("seed",)


def test_a_forgotten_server_is_asked_anew(server: ModelServer, store: Store) -> None:
    engine_on(server, store).ask(NEXT)
    server.rungs -= {"schema"}
    store.forget_abilities(server.url, "tiny")
    engine_on(server, store).ask(JUDGE)
    assert [one.rungs for one in store.all_abilities()] == [("tools", "json", "text")]
    assert len(store.calls()) == len(server.requests)


def test_many_threads_probe_once(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    threads = [threading.Thread(target=engine.ask, args=(NEXT.model_copy(update={"seed": n}),)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(server.requests) == 8 + 4


def test_no_request_of_ours_is_outside_the_published_schema(store: Store) -> None:
    for rungs in (RUNGS, RUNGS[1:], RUNGS[2:], RUNGS[3:]):
        with serving(ModelServer(rungs=rungs, faults=EVERYTHING, share=0.3, seed=1)) as server:
            engine = engine_on(server, store)
            for prompt in (*(prompt for prompt, _ in PROMPTS), ChooseStep(conversation=TALK)):
                with on(repeat=2), suppress(Unusable):
                    engine.ask(prompt)
            list(engine.stream(ANSWER.model_copy(update={"conversation": (Message(role="user", text="x"),)})))
            assert len(server.requests) >= 7 and server.invalid == []
