"""Replies in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.base.budget import Budget
from core.base.call_context import in_context
from core.base.errors import ModelRefusal, StreamBroken
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import Price, Prices
from core.store.store import Store
from tests.support.example_prompts import ANSWER, REWRITE
from tests.support.model_replies import completion
from tests.support.model_server import Fault, ModelServer, engine_on
from tests.support.server_faults import ERRORS, SLOW

pytestmark = pytest.mark.usefixtures("short_waits")


def test_an_answer_streams_and_is_kept(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    pieces = list(engine.stream(ANSWER))
    assert len(pieces) > 2 and "".join(pieces) == "翌月の10日までに精算します。[1]"
    call = store.calls.newest()[0]
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
    assert store.calls.newest()[0].retries == 1


def test_a_stream_that_breaks_off_says_so_and_the_whole_can_be_had(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [lambda handler, body, *_: handler.stream("翌月の10日までに精算します。", cut=True)]
    with pytest.raises(StreamBroken):
        list(engine.stream(ANSWER))
    assert store.calls.newest()[0].error
    assert engine.ask(ANSWER).endswith("[1]")


def test_a_refusal_in_pieces_is_reported_and_not_asked_for_again(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    before = len(server.requests)
    server.script = [lambda handler, body, *_: handler.stream("I would rather not.", of="refusal")]
    with pytest.raises(ModelRefusal, match="refused: I would rather not"):
        list(engine.stream(ANSWER))
    with pytest.raises(ModelRefusal, match="refused: I would rather not"):
        list(engine.stream(ANSWER))
    assert len(server.requests) == before + 1 and "I would rather not" in store.calls.newest()[0].reply


def test_the_budget_has_what_a_stream_cost(server: ModelServer, store: Store) -> None:
    roles = engine_on(server, store).roles
    engine = OpenAIEngine(roles, store.calls, Prices(models=(Price(pattern="tiny", input=1, output=10),)))
    engine.ask(REWRITE)
    budget = Budget(money=1.0)
    with in_context(budget=budget):
        pieces = engine.stream(ANSWER)
        next(pieces)
        assert budget.spent == 0
        list(pieces)
    assert budget.spent == pytest.approx(store.calls.newest()[0].cost) and budget.spent > 0 and budget.made == 1


def test_a_stream_that_nobody_reads_to_its_end_is_in_the_call_log(server: ModelServer, store: Store) -> None:
    engine, budget = engine_on(server, store), Budget(calls=9)
    engine.ask(REWRITE)
    with in_context(budget=budget):
        pieces = engine.stream(ANSWER)
        next(pieces)
        pieces.close()
    assert "Nobody read" in store.calls.newest()[0].error
    assert "".join(engine.stream(ANSWER)).endswith("[1]")


def test_a_stream_that_drips_is_bounded_as_a_whole(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=1)
    engine.ask(REWRITE)
    server.script = [lambda handler, body, *_: SLOW[2].make(handler, body, "x")]
    assert "".join(engine.stream(ANSWER)).endswith("[1]") and store.calls.newest()[0].retries == 1


def raw(*parts: bytes, end: bool = True) -> Any:
    """What a server does that sends exactly these bytes, part by part."""

    def send(handler: Any, body: Any, *_: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        for part in parts:
            handler.wfile.write(part)
            handler.wfile.flush()
        handler.close_connection = True

    return send


def piece(content: Any, finish: str | None = None, **fields: Any) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": finish, **fields}
    return json.dumps({"choices": [choice], "error": None}).encode()


DONE = b"data: [DONE]\n\n"
A, B = piece("10\u65e5"), piece("です。[1]", "stop")


@pytest.mark.parametrize(
    "parts",
    [
        (b"data:" + A + b"\r\rdata:" + B + b"\r\rdata: [DONE]\r\r",),
        (b"data: " + A + b"\r", b"\n\r\ndata: " + B + b"\r\n\r\n", DONE),
        (b"data: " + A[:12] + b"\ndata: " + A[12:] + b"\n\ndata: " + B + b"\n\n", DONE),
        (b"data: " + piece([{"type": "text", "text": "10日"}]) + b"\n\ndata: " + B + b"\n\n", DONE),
        (b"data: " + A + b"\n\ndata: " + piece("x", index=1) + b"\n\ndata: " + B + b"\n\n", DONE),
        (b"data: " + A + b"\n\ndata: " + B + b"\n\n", DONE, b"data: " + piece("more") + b"\n\n"),
        (b"event: message\nretry: 5\ndata: " + A + b"\n\n: hm\n\ndata: " + B + b"\n\n",),
    ],
    ids=["CR", "CR, LF apart", "several lines", "parts", "index 1", "after", "fields"],
)
def test_a_stream_is_read_in_every_form_that_it_may_have(
    parts: tuple[bytes, ...], server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [raw(*parts)]
    assert "".join(engine.stream(ANSWER)) == "10日です。[1]" and store.calls.newest()[0].error == ""
    assert store.calls.newest()[0].retries == 0


@pytest.mark.parametrize(
    "event",
    [
        b'{"choices": {"delta": {"content": "x"}}}',
        b'{"choices": ["x"]}',
        b'{"choices": [{"delta": "x"}]}',
        b'{"error": {"message": "overloaded"}}',
        b'"x"',
        b'{"choices": ',
        b"[" * 100_000,
        b'{"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}',
    ],
)
def test_a_stream_that_cannot_be_read_is_begun_again(event: bytes, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [raw(b"data: " + event + b"\n\n", DONE)]
    assert "".join(engine.stream(ANSWER)).endswith("[1]") and store.calls.newest()[0].retries == 1


@pytest.mark.parametrize("message", [None, "max_tokens", "model_length"])
def test_a_cut_stream_is_not_kept_as_whole(message: str | None, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.script = [raw(b"data: " + piece("10日で", message) + b"\n\n")]
    with pytest.raises(StreamBroken):
        list(engine.stream(ANSWER))
    assert store.calls.newest()[0].error
