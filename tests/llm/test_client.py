"""One request to a server: replies bounded in size, in any usual encoding, on connections that are used again."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import pytest

from core.base.errors import ServerRefusal, ServerUnreachable
from core.store.store import Store
from tests.support.example_prompts import ANSWER, JUDGE, NEXT, REWRITE
from tests.support.model_replies import completion
from tests.support.model_server import ModelServer, engine_on

pytestmark = pytest.mark.usefixtures("short_waits")
REPLY = json.dumps(completion({"role": "assistant", "content": "10日です"}), ensure_ascii=False)


def answer(data: bytes, status: int = 200, **headers: str) -> Any:
    def send(handler: Any, *_: Any) -> None:
        handler.send_response(status)
        shown_text = {"content_type": "application/json", "content_length": str(len(data)), **headers}
        for name, value in shown_text.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return send


@pytest.mark.parametrize(
    "raw",
    [
        answer(REPLY.encode("utf-8-sig")),
        answer(REPLY.encode(), content_type="application/json; charset=ISO-8859-1"),
        answer(REPLY.encode(), content_type="application/json; charset=nonsense"),
        answer(gzip.compress(REPLY.encode()), content_encoding="gzip"),
        answer(zlib.compress(REPLY.encode()), content_encoding="deflate"),
        answer(gzip.compress(b" " * 2**21 + REPLY.encode()), content_encoding="gzip"),
    ],
    ids=["BOM", "Latin-1 by rote", "nonsense", "gzip", "deflate", "long"],
)
def test_a_reply_is_read_in_any_usual_encoding(raw: Any, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=10)
    engine.ask(NEXT)
    server.script = [raw]
    assert engine.ask(REWRITE) == "10日です" and store.calls.newest()[0].retries == 0


BOMB = gzip.compress(b" " * 2**26)


def test_a_reply_that_is_too_large_is_given_up(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=60)
    engine.ask(NEXT)
    before = len(server.requests)
    server.script = [answer(BOMB, content_encoding="gzip")]
    with pytest.raises(ServerUnreachable, match="longer than 32 MB"):
        engine.ask(JUDGE)
    assert len(server.requests) == before + 1


def test_calls_one_after_the_other_take_one_connection(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    for seed in range(5):
        engine.ask(REWRITE.model_copy(update={"seed": 7 + seed}))
    assert server.connections == 1 and len(server.requests) >= 5


def test_a_connection_that_the_server_closed_is_not_used(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    server.down()
    server.up()
    assert engine.ask(NEXT) and store.calls.newest()[0].retries == 0


def test_a_stream_that_nobody_read_to_its_end_leaves_nothing_for_the_next_call(
    server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    engine.ask(REWRITE)
    pieces = engine.stream(ANSWER)
    next(pieces)
    pieces.close()  # type: ignore[reportAttributeAccessIssue]
    before = server.connections
    assert engine.ask(NEXT) and store.calls.newest()[0].retries == 0
    assert server.connections == before + 1


def test_of_an_error_the_beginning_is_read(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, timeout=60)
    engine.ask(NEXT)
    server.script = [answer(BOMB, 401, content_encoding="gzip")]
    with pytest.raises(ServerRefusal, match="refused the key"):
        engine.ask(JUDGE)


@pytest.mark.parametrize("tokens", [10**20, -1, True, "many", None])
def test_tokens_that_cannot_be_are_unknown(tokens: Any, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    usage = {"prompt_tokens": tokens, "completion_tokens": tokens, "prompt_tokens_details": {"cached_tokens": tokens}}
    server.script = [answer(json.dumps(json.loads(REPLY) | {"usage": usage}).encode())]
    engine.ask(REWRITE)
    call = store.calls.newest()[0]
    assert (call.prompt_tokens, call.cached_tokens, call.completion_tokens, call.cost) == (None, None, None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": {"message": {"content": "x"}}},
        {"choices": ["x"]},
        {"choices": [{"message": "x"}]},
        {"choices": [{"index": 1, "message": {"content": "x"}}]},
        [],
        "x",
    ],
)
def test_a_reply_of_the_wrong_form_is_asked_for_again(body: Any, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.script = [answer(json.dumps(body).encode()), answer(b"[" * 100_000)]
    assert engine.ask(REWRITE) and store.calls.newest()[0].retries == 2
