"""A model server on loopback for tests; with the faults of tests/faults.py it misbehaves in every way a server can."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from core.base.settings import Settings, settings
from core.llm.engine_choice import openai_engine
from core.llm.openai_engine import OpenAIEngine
from core.store.store import Store
from tests.support.model_replies import USAGE, Json, check_request, completion, rejection, reply_to, shape, tool_call


class Fault:
    """What a server does instead of replying; `makes` gets the handler, the request and the proper reply's text."""

    def __init__(self, name: str, make: Callable[[Handler, Json, str], None]) -> None:
        self.name, self.make = name, make


class ModelServer:
    """An OpenAI-compatible server that answers our prompts by what they ask for, deterministically.

    output_modes: what it can do; rejects: parameters it answers with 400; faults: given instead of replies with probability
    `share`, drawn by `seed`; script: texts given in order, before anything else, to requests that are not probes; key: the
    one it asks for ("": it wants none, and takes none).
    """

    def __init__(
        self,
        output_modes: Iterable[str] = ("schema", "tools", "json", "text"),
        rejects: Iterable[str] = (),
        faults: Iterable[Fault] = (),
        share: float = 0.2,
        seed: int = 0,
        script: Iterable[Any] = (),
        key: str = "sk-test-key",
    ) -> None:
        self.output_modes, self.rejects, self.faults = set(output_modes), set(rejects), list(faults)
        self.share, self.key, self.script = share, key, list(script)
        self._random, self.lock = random.Random(seed), threading.Lock()
        self.requests: list[Json] = []
        self.invalid: list[str] = []
        self.faults_given: Counter[str] = Counter()
        self.now = self.most = 0
        self.delay = 0.0
        self.headers: Json = {}
        self.path = ""
        self._server: ThreadingHTTPServer | None = None
        self._reserved: socket.socket | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def connections(self) -> int:
        """Connections that it was asked for since it is up."""
        return len(getattr(self._server, "sockets", ()))

    def up(self) -> None:
        """Begin to listen; on the same port as before."""
        if self._reserved:
            self._reserved.close()
            self._reserved = None
        handler = type("Bound", (Handler,), {"home": self})
        self._server = _Server(("127.0.0.1", self.port), handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self) -> None:
        """Stop listening; the port stays reserved, so that no other server answers there meanwhile."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            self._reserved = socket.socket()
            self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._reserved.bind(("127.0.0.1", self.port))

    def seen(self, body: Json) -> Fault | None:
        """Note a request; the fault to give, if any."""
        try:
            check_request(body)
        except Exception as error:
            self.invalid.append(f"{error}")
        with self.lock:
            self.requests.append(body)
            drawn = self._random.random() < self.share and self.faults
            fault = self._random.choice(self.faults) if drawn else None
            self.faults_given[fault.name if fault else "reply"] += 1
            return fault

    def next_script(self, body: Json) -> Any:
        """The next thing of the script, for a request that is no probe."""
        if shape(body) == "check":
            return None
        with self.lock:
            return self.script.pop(0) if self.script else None


class _Server(ThreadingHTTPServer):
    """Closes its connections when it goes down, as a killed process does."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def get_request(self) -> Any:
        self.sockets = [*getattr(self, "sockets", ()), accepted := super().get_request()]
        return accepted

    def server_close(self) -> None:
        super().server_close()
        for connection, _ in getattr(self, "sockets", ()):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    home: ModelServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        home = self.home
        home.headers, home.path = dict(self.headers), self.path
        if self.headers.get("authorization") != (f"Bearer {home.key}" if home.key else None):
            shown_text = f"Incorrect API key provided: {self.headers.get('authorization')}"
            return self.send(401, {"error": {"message": shown_text, "code": "invalid_api_key"}})
        with home.lock:
            home.now += 1
            home.most = max(home.most, home.now)
        try:
            if home.delay:
                time.sleep(home.delay)
            self.answer(body)
        finally:
            with home.lock:
                home.now -= 1

    def answer(self, body: Json) -> None:
        home = self.home
        fault = home.seen(body)
        if problem := rejection(home, body):
            return self.send(400, {"error": {"message": problem, "type": "invalid_request_error", "param": None}})
        scripted = home.next_script(body)
        if callable(scripted):
            return scripted(self, body)
        try:
            text = scripted if scripted is not None else reply_to(body)
        except KeyError as unknown:
            home.invalid.append(f"the server has no reply of the shape {unknown}")
            raise
        if fault:
            return fault.make(self, body, text if isinstance(text, str) else json.dumps(text))
        if isinstance(text, dict):
            return self.send(200, completion(text, text.pop("finish_reason", "stop")))
        return self.give(body, text)

    def give(self, body: Json, text: str, finish: str = "stop") -> None:
        """A proper reply with this text: streamed, or as a tool call, or plain."""
        if body.get("stream"):
            return self.stream(text)
        if body.get("tools"):
            return self.send(200, completion(tool_call(body, text), "tool_calls" if finish == "stop" else finish))
        return self.send(200, completion({"role": "assistant", "content": text}, finish))

    def send(self, status: int, body: Json | str, headers: Json | None = None) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        kind = "text/html" if isinstance(body, str) and body.startswith("<") else "application/json"
        for name, value in {"content-type": kind, "content-length": len(data), **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, text: str, cut: bool = False, of: str = "content") -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        pieces = [text[place : place + 5] for place in range(0, len(text), 5)]
        for piece in pieces[: max(1, len(pieces) // 2)] if cut else pieces:
            self.event({"choices": [{"index": 0, "delta": {of: piece}, "finish_reason": None}]})
        if not cut:
            self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
            self.event({"choices": [], "usage": USAGE})
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def event(self, event: Json) -> None:
        self.wfile.write(b": ping\n\ndata: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n")
        self.wfile.flush()

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()


def choose_server(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the server the model of the settings."""
    values = {
        "KIKU_ENGINE": "openai",
        "KIKU_MODEL": "tiny",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": server.key,
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()


def engine_on(server: ModelServer, store: Store, **settings: Any) -> OpenAIEngine:
    """The engine on a test's server: patient with a machine that is busy, so a reply that is meant to be late says so."""
    known = {
        "openai_api_key": server.key,
        "openai_base_url": server.url,
        "model": "tiny",
        "timeout": 20.0,
        "patience": 8.0,
    }
    return openai_engine(Settings(**{**known, **settings}), store.calls)


@contextmanager
def serving(server: ModelServer) -> Generator[ModelServer]:
    """The server while it runs."""
    server.up()
    try:
        yield server
    finally:
        server.down()
