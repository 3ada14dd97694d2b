"""The engine against servers of every kind, over HTTP on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.answer.answer import Answering
from core.base.settings import Settings
from core.base.types import Hit, Message, UserMessage
from core.clarify.functions import ChooseStep, SearchNow
from core.llm.choose import session_engine
from core.llm.errors import Refused, StreamCut, Unreachable, Unusable
from core.llm.limits import Gate, Passing
from core.llm.occasion import on
from core.rewrite.rewrite import Rewrite
from core.store.store import Store
from tests.faults import ERRORS, EVERYTHING, READABLE, SLOW, UNREADABLE
from tests.servers import Fault, ModelServer, completion, engine_on, serving
from tests.test_prompts import PASSAGE, PROMPTS, TALK

ANSWER = Answering(question="期限は?", passages=(Hit(passage=PASSAGE, score=1),), conversation=TALK)
REWRITE = Rewrite(conversation=TALK)
NEXT, JUDGE = PROMPTS[3][0], PROMPTS[4][0]
RUNGS = ("schema", "tools", "json", "text")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.llm.limits.FIRST_WAIT", 0.02)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'kiku.db'}")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving(ModelServer()) as server:
        yield server
        assert server.invalid == []


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


def test_many_threads_probe_once(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    threads = [threading.Thread(target=engine.ask, args=(NEXT.model_copy(update={"seed": n}),)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(server.requests) == 8 + 4


# What comes back instead of a reply


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        *((REWRITE, fault) for fault in [*ERRORS, READABLE[0]]),
        *((NEXT, fault) for fault in [*ERRORS, *READABLE, *SLOW]),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else type(value).__name__,
)
def test_a_fault_that_passes_is_outlived(prompt: Any, fault: Fault, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=0.4 if fault in SLOW else 5)
    engine.ask(JUDGE)
    text = "the question" if prompt is REWRITE else '{"text": "hm", "ending": null}'
    server.script = [lambda handler, body, *_: fault.make(handler, body, text)]
    reply = engine.ask(prompt)
    assert reply == UserMessage(text="hm") if fault in READABLE and prompt is NEXT else reply
    call = store.calls()[0]
    assert call.error == "" and call.retries == (0 if fault in READABLE else 1)


@pytest.mark.parametrize("fault", UNREADABLE, ids=lambda fault: fault.name)
def test_a_reply_that_cannot_be_used_is_asked_for_again(fault: Fault, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    before = len(server.requests)
    text = json.dumps(engine.ask(JUDGE).model_dump(), ensure_ascii=False)
    server.script = [lambda handler, body, *_: fault.make(handler, body, text)]
    other = JUDGE.model_copy(update={"guidelines": "be kind"})
    if fault.name == "refusal":
        with pytest.raises(Unusable, match="refused: I cannot do that"):
            engine.ask(other)
    else:
        assert engine.ask(other)
        last, again = server.requests[-2:]
        if fault.name == "cut reply":
            assert again["max_completion_tokens"] == 4 * last["max_completion_tokens"]
        else:
            assert len(again["messages"]) == len(last["messages"]) + 2
    errors = [call.error for call in store.calls(failed=True)]
    assert len(errors) == 1 and len(server.requests) - before <= 3 and server.invalid == []


def test_a_model_that_never_gives_the_form_is_given_up_with_its_reply(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = ["It is relevant. Y. 5 out of 5."] * 10
    with pytest.raises(Unusable, match=r"no JSON object.*Raw reply: .*It is relevant") as told:
        engine.ask(JUDGE)
    assert "5 out of 5" in told.value.raw
    assert len(store.calls(role="judge")) == 4 and all(call.error for call in store.calls(role="judge"))


def test_a_wrong_key_is_told_at_once_and_written_down_nowhere(server: ModelServer, store: Store) -> None:
    secret = "sk-very-secret-0123456789"
    with pytest.raises(Refused, match="refused the key") as told:
        engine_on(server, store, openai_api_key=secret).ask(NEXT)
    with store.db.read() as connection:
        kept = str(connection.exec_driver_sql("select * from calls").all())
    assert "Incorrect API key" in kept
    for text in (kept, str(told.value), repr(told.value), repr(engine_on(server, store, openai_api_key=secret).roles)):
        assert secret not in text
    assert server.requests == []


def test_what_the_environment_says_of_another_server_is_not_sent(
    server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-mine: mine")
    owners = Settings(openai_api_key="sk-owner", openai_base_url="http://127.0.0.1:9", model="tiny", timeout=5)
    session_engine(owners, store, server.url, server.key).ask(NEXT)
    assert "mine" not in str(server.headers) and "sk-owner" not in str(server.headers)
    engine_on(server, store).ask(JUDGE)
    assert server.headers["x-mine"] == "mine"


def test_a_server_that_is_not_there_is_waited_for_until_the_time_limit(store: Store) -> None:
    server = ModelServer()
    server.up()
    server.down()
    begun = time.monotonic()
    with pytest.raises(Unreachable, match="gave no proper reply"):
        engine_on(server, store, patience=0.6).ask(NEXT)
    assert time.monotonic() - begun < 30
    threading.Timer(0.4, server.up).start()
    try:
        assert engine_on(server, store).ask(NEXT)
        assert store.calls()[0].retries == 0 and max(call.retries for call in store.calls()) >= 1
    finally:
        server.down()


def test_a_server_may_say_how_long_to_wait(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    busy = {"retry-after": "1"}
    server.script = [lambda handler, body, *_: handler.send(429, {"error": {"message": "slow down"}}, busy)]
    begun = time.monotonic()
    engine.ask(JUDGE)
    assert time.monotonic() - begun >= 1.0 and store.calls()[0].retries == 1


def test_an_empty_account_is_not_asked_again(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    quota = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.script = [lambda handler, body, *_: handler.send(429, quota)]
    with pytest.raises(Refused, match="no credit left"):
        engine.ask(JUDGE)


def test_a_busy_server_gets_fewer_calls_at_a_time_and_then_more_again() -> None:
    gate, wanted = Gate(start=8), lambda: False
    with pytest.raises(Passing), gate.pass_through(wanted):
        raise Passing("429", busy=True)
    assert gate.allowed == 4
    for _ in range(4):
        with gate.pass_through(wanted):
            pass
    assert 4.8 < gate.allowed < 5
    for _ in range(3_000):
        with gate.pass_through(wanted):
            pass
    assert gate.allowed == 64


# In pieces


def test_an_answer_streams_and_is_kept(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    pieces = list(engine.stream(ANSWER))
    assert len(pieces) > 2 and "".join(pieces) == "翌月の10日までに精算します。[1]"
    call = store.calls()[0]
    assert (call.prompt_tokens, call.cached_tokens, call.completion_tokens, call.error) == (100, 40, 10, "")
    before = len(server.requests)
    assert "".join(engine.stream(ANSWER)) == engine.ask(ANSWER) == "".join(pieces)
    assert len(server.requests) == before


def test_a_server_that_does_not_stream_gives_its_answer_whole(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    whole = completion({"role": "assistant", "content": "<think>hm</think>\n10日です。[1]"})
    server.script = [lambda handler, body, *_: handler.send(200, json.dumps(whole, indent=1))]
    assert "".join(engine.stream(ANSWER)) == "10日です。[1]"


@pytest.mark.parametrize("fault", [*ERRORS, SLOW[0]], ids=lambda fault: fault.name)
def test_a_stream_that_fails_before_its_first_piece_is_begun_again(
    fault: Fault, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [lambda handler, body, *_: fault.make(handler, body, "x")]
    assert "".join(engine.stream(ANSWER)).endswith("[1]")
    assert store.calls()[0].retries == 1


def test_a_stream_that_breaks_off_says_so_and_the_whole_can_be_had(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [lambda handler, body, *_: handler.stream("翌月の10日までに精算します。", cut=True)]
    with pytest.raises(StreamCut):
        list(engine.stream(ANSWER))
    assert store.calls()[0].error
    assert engine.ask(ANSWER).endswith("[1]")


def test_no_request_of_ours_is_outside_the_published_schema(store: Store) -> None:
    for rungs in (RUNGS, RUNGS[1:], RUNGS[2:], RUNGS[3:]):
        with serving(ModelServer(rungs=rungs, faults=EVERYTHING, share=0.3, seed=1)) as server:
            engine = engine_on(server, store)
            for prompt in (*(prompt for prompt, _ in PROMPTS), ChooseStep(conversation=TALK)):
                with on(repeat=2), suppress(Unusable):
                    engine.ask(prompt)
            list(engine.stream(ANSWER.model_copy(update={"conversation": (Message(role="user", text="x"),)})))
            assert len(server.requests) >= 7 and server.invalid == []
