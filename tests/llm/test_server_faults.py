"""What comes back instead of a reply: outlived, asked for again, or told in a sentence."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from pydantic import SecretStr

from core.base.call_context import in_context
from core.base.calls import Call
from core.base.concurrency_limit import ConcurrencyLimit, concurrency_limit
from core.base.errors import (
    ConnectionFailed,
    ModelRefusal,
    NoValidReply,
    ServerRefusal,
    ServerUnreachable,
    TransientError,
    stored_error,
)
from core.base.translate import translated_stored_error, translator
from core.base.types import Sample, UserMessage
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.store.store import Store
from tests.support.example_prompts import JUDGE, NEXT, REWRITE
from tests.support.model_replies import completion
from tests.support.model_server import Fault, ModelServer, engine_on
from tests.support.server_faults import ERRORS, READABLE, SLOW, UNREADABLE, most_retries

pytestmark = pytest.mark.usefixtures("short_waits")
SAMPLE = Sample(question="期限は?", answer="10日です。[1]", contexts=("10日まで",))


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        *((REWRITE, fault) for fault in [*ERRORS, READABLE[0]]),
        *((NEXT, fault) for fault in [*ERRORS, *READABLE, *SLOW]),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else type(value).__name__,
)
def test_a_fault_that_passes_is_outlived(prompt: Any, fault: Fault, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=1 if fault in SLOW else 20)
    engine.ask(JUDGE)
    text = "the question" if prompt is REWRITE else '{"text": "hm", "ending": null}'
    server.script = [lambda handler, body, *_: fault.make(handler, body, text)]
    reply = engine.ask(prompt)
    assert reply == UserMessage(text="hm") if fault in READABLE and prompt is NEXT else reply
    call = store.calls.newest()[0]
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
        with pytest.raises(ModelRefusal, match="refused: I cannot do that"):
            engine.ask(other)
        assert len(server.requests) - before == 2
    else:
        assert engine.ask(other)
        last, retry = server.requests[-2:]
        if fault.name == "cut reply":
            assert retry["max_completion_tokens"] == 4 * last["max_completion_tokens"]
        else:
            assert len(retry["messages"]) == len(last["messages"]) + 2
    errors = [call.error for call in store.calls.newest(failed=True)]
    assert len(errors) == (fault.name != "refusal") and len(server.requests) - before <= 3 and server.invalid == []


def test_a_model_that_never_gives_the_form_is_given_up_with_its_reply(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = ["It is relevant. Y. 5 out of 5."] * 10
    with pytest.raises(NoValidReply, match=r"no JSON object.*Raw reply: .*It is relevant") as raised:
        engine.ask(JUDGE)
    assert "5 out of 5" in raised.value.raw
    assert len(store.calls.newest(role="judge")) == 4 and all(call.error for call in store.calls.newest(role="judge"))


@pytest.mark.parametrize("finish", ["content_filter", "stop"])
def test_what_the_model_or_a_filter_withholds_is_not_asked_for_again(
    finish: str, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    before = len(server.requests)
    refusal = None if finish == "content_filter" else "I would rather not."
    server.script = [{"role": "assistant", "content": None, "refusal": refusal, "finish_reason": finish}]
    with pytest.raises(ModelRefusal, match=refusal or "content filter") as raised:
        engine.ask(JUDGE)
    assert raised.value.key == "declined" and len(server.requests) == before + 1
    with pytest.raises(ModelRefusal, match=refusal or "content filter"):  # it is the model's reply, and kept as such
        engine.ask(JUDGE)
    assert len(server.requests) == before + 1
    server.script = [{"role": "assistant", "content": None, "refusal": "No.", "finish_reason": "stop"}]
    scores = judge_all(engine, judges_of(["turn"]), SAMPLE, JudgeOptions(language="ja", guidelines="be kind"))
    assert all(score.value is None and "refused: No." in score.error for score in scores)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, {"message": "The model produced output that does not match the expected peg-native format"}),
        (400, {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "5 of 5"}),
    ],
    ids=["llama.cpp", "groq"],
)
def test_what_the_server_cannot_read_itself_is_asked_for_in_another_form(
    status: int, error: dict[str, str], server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.script = [lambda handler, body, *_: handler.send(status, {"error": error})] * 2
    assert engine.ask(JUDGE)
    third, second, first = store.calls.newest(role="judge", limit=3)
    assert [call.output_mode for call in (first, second, third)] == ["schema", "tools", "json"]
    assert error["message"] in first.error and error.get("failed_generation", "") in first.reply
    assert first.retries == 0 and third.error == "" and len({seed_of(call) for call in (first, second, third)}) == 3
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and len(found.output_modes) == 4


def seed_of(call: Call) -> int:
    return json.loads(call.request)["seed"]


def test_half_a_character_can_be_kept(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    half = json.dumps(completion({"role": "assistant", "content": "b\ud83d"}))
    server.script = ['{"text": "a\\ud83d", "ending": null}', lambda handler, body, *_: handler.send(200, half)]
    assert engine.ask(NEXT.model_copy(update={"seed": 9})).text == "a\ufffd"
    assert engine.ask(REWRITE) == "b\ufffd"


def test_a_request_that_a_filter_stops_costs_no_feature(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    shown_text = {
        "error": {"message": "The prompt was filtered: change the tools or the prompt.", "code": "content_filter"}
    }
    server.script = [lambda handler, body, *_: handler.send(400, shown_text)]
    with pytest.raises(ModelRefusal, match=r"withheld the reply.*The prompt was filtered"):
        engine.ask(NEXT)
    found = store.calls.server_features(server.url, "tiny")
    assert found is not None and len(found.output_modes) == 4


def test_a_server_that_is_not_there_is_waited_for_until_the_time_limit(store: Store) -> None:
    server = ModelServer()
    server.up()
    server.down()
    begun = time.monotonic()
    with pytest.raises(ServerUnreachable, match="gave no proper reply"):
        engine_on(server, store, patience=0.6).ask(NEXT)
    assert time.monotonic() - begun < 30
    threading.Timer(0.4, server.up).start()
    try:
        assert engine_on(server, store).ask(NEXT)
        assert store.calls.newest()[0].retries == 0 and max(call.retries for call in store.calls.newest()) >= 1
    finally:
        server.down()


def test_somebody_at_the_screen_does_not_wait_for_a_server_that_is_not_there(store: Store) -> None:
    server = ModelServer()
    server.up()
    server.down()
    engine = engine_on(server, store, patience=600)
    with in_context(connect_patience=0.2), pytest.raises(ConnectionFailed, match="Is it running"):
        engine.ask(NEXT)
    assert 1 <= store.calls.newest()[0].retries <= most_retries(0.2)


def test_a_server_that_answers_with_a_web_page_may_have_another_address(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, patience=0.2)
    server.script = [lambda handler, body, *_: handler.send(200, "<html>Welcome</html>")] * 100
    with pytest.raises(ServerUnreachable, match="Check its address") as caught:
        engine.ask(NEXT)
    assert "<html>" in str(caught.value) and "アドレス" in translated_stored_error(
        translator("ja"), stored_error(caught.value)
    )


def test_a_server_that_is_busy_is_waited_for_by_everybody(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.script = [lambda handler, body, *_: handler.send(503, "busy")] * 6
    with in_context(connect_patience=0.0):
        assert engine.ask(JUDGE)
    assert store.calls.newest()[0].retries == 6


def test_a_server_may_say_how_long_to_wait(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    busy = {"retry-after": "1"}
    server.script = [lambda handler, body, *_: handler.send(429, {"error": {"message": "slow down"}}, busy)]
    begun = time.monotonic()
    engine.ask(JUDGE)
    assert time.monotonic() - begun >= 1.0 and store.calls.newest()[0].retries == 1


def test_a_longer_wait_than_anybody_has_patience_for_is_reported_at_once(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    before, busy = len(server.requests), {"retry-after": "86400"}
    server.script = [lambda handler, body, *_: handler.send(429, {"error": {"message": "slow down"}}, busy)]
    for prompt in (JUDGE, REWRITE, JUDGE):
        with pytest.raises(ServerUnreachable, match=r"asks to wait 86,[34]\d\d s") as error:
            engine.ask(prompt)
        assert error.value.key == "long_wait"
    assert len(server.requests) == before + 1


def test_a_wait_goes_for_the_key_that_was_told_to_wait() -> None:
    one, other = (concurrency_limit("http://a", SecretStr(key)) for key in ("sk-1", "sk-2"))
    with pytest.raises(TransientError), one.slot(lambda: False):
        raise TransientError("429", after=1_000, busy=True)
    with pytest.raises(TransientError, match="longer wait"), one.slot(lambda: False, 10):
        pass
    with other.slot(lambda: False, 10):
        pass


def test_an_empty_account_is_not_asked_again(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    quota = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    server.script = [lambda handler, body, *_: handler.send(429, quota)]
    with pytest.raises(ServerRefusal, match="no credit left"):
        engine.ask(JUDGE)


def test_a_busy_server_gets_fewer_calls_at_a_time_and_then_more_again() -> None:
    limit, wanted = ConcurrencyLimit(start=8), lambda: False
    with pytest.raises(TransientError), limit.slot(wanted):
        raise TransientError("429", busy=True)
    assert limit.allowed == 4
    for _ in range(4):
        with limit.slot(wanted):
            pass
    assert 4.8 < limit.allowed < 5
    for _ in range(3_000):
        with limit.slot(wanted):
            pass
    assert limit.allowed == 64


def test_a_place_that_was_earned_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.base.concurrency_limit.POLL", 60.0)  # nobody gets in by looking again
    limit, together, waiting = ConcurrencyLimit(start=1), threading.Barrier(2, timeout=20), threading.Semaphore(0)

    def stopped() -> bool:  # asked before each wait
        waiting.release()
        return False

    def enter() -> None:
        with limit.slot(stopped):
            together.wait()

    with limit.slot(stopped):
        threads = [threading.Thread(target=enter) for _ in range(2)]
        for thread in threads:
            thread.start()
        assert all(waiting.acquire(timeout=20) for _ in threads)
    for thread in threads:
        thread.join(30)
    assert limit.allowed == 4 and not together.broken
