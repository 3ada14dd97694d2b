"""Connections that stay open: used again while they are good, and never with the rest of another answer on them."""

from __future__ import annotations

from typing import Any, cast

import httpcore2
import httpx2
import pytest

from core.llm import connections
from core.llm.clock import timed
from core.llm.openai import OpenAIEngine
from core.store.store import Store
from tests.questions import ANSWER, NEXT, REWRITE
from tests.servers import ModelServer, engine_on, serving

pytestmark = pytest.mark.usefixtures("short_waits")


@pytest.fixture
def server() -> Any:
    with serving(ModelServer()) as server:
        yield server


def made(server: ModelServer) -> int:
    """Connections that the server was asked for."""
    return len(cast(Any, server._server).sockets)  # type: ignore[reportPrivateUsage]


def ask(engine: OpenAIEngine, times: int) -> None:
    for seed in range(times):
        engine.ask(REWRITE.model_copy(update={"seed": 7 + seed}))


def test_calls_one_after_the_other_take_one_connection(server: ModelServer, store: Store) -> None:
    ask(engine_on(server, store), 5)
    assert made(server) == 1 and len(server.requests) >= 5


def test_a_connection_that_the_server_closed_is_not_used(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    ask(engine, 1)
    server.down()
    server.up()
    assert engine.ask(NEXT) and store.calls()[0].retries == 0


def test_a_connection_that_waited_long_is_closed(
    server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "EXPIRY", -1.0)
    ask(engine_on(server, store), 3)
    assert made(server) == len(server.requests)


def test_no_more_connections_wait_than_there_may(
    server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SPARE", 0)
    ask(engine_on(server, store), 3)
    assert made(server) == len(server.requests)


def test_a_reply_that_nobody_heard_to_its_end_leaves_nothing_for_the_next(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    ask(engine, 1)
    pieces = iter(engine.stream(ANSWER))
    next(pieces)
    cast(Any, pieces).close()
    before = made(server)
    assert engine.ask(NEXT) and store.calls()[0].retries == 0
    assert made(server) == before + 1


class Line(httpcore2.NetworkStream):
    """A connection on which a reply is ready, whatever is sent."""

    def __init__(self, hangs_up: bool) -> None:
        self.hangs_up, self.sent, self.closed = hangs_up, list[bytes](), False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        assert self.sent or self.hangs_up
        return b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno"

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if self.hangs_up:
            raise httpcore2.WriteError("hung up")
        self.sent.append(bytes(buffer))

    def close(self) -> None:
        self.closed = True

    def get_extra_info(self, info: str) -> Any:
        return None


class Lines(httpcore2.NetworkBackend):
    """Gives that connection."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def connect_tcp(self, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        return self.line


@pytest.mark.parametrize("size", [10, 2**20])
@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_request_goes_as_one_and_an_early_answer_is_heard(size: int, hangs_up: bool) -> None:
    line = Line(hangs_up)
    client = httpx2.Client(trust_env=False)
    cast(Any, client)._transport._pool._network_backend = Lines(line)
    sending = connections.Connections(timed(client), httpx2.URL("http://models.example/v1"))
    with sending.post([(b"Host", b"models.example")], b"x" * size, {"read": 5.0, "write": 5.0}) as answer:
        assert answer.status_code == 413 and b"".join(answer.iter_raw()) == b"no"
    assert len(line.sent) == (0 if hangs_up else 1)
    assert hangs_up or line.sent[0].endswith(b"\r\n\r\n" + b"x" * size)
