"""A model server on loopback for tests; with the faults of tests/faults.py it misbehaves in every way a server can."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from openai.types.chat import completion_create_params as params
from pydantic import TypeAdapter

from core.base.settings import Settings
from core.llm.choose import openai_engine
from core.llm.openai import OpenAIEngine
from core.store.store import Store

Json = dict[str, Any]
_PLAIN = TypeAdapter(params.CompletionCreateParamsNonStreaming)
_STREAMING = TypeAdapter(params.CompletionCreateParamsStreaming)
_KNOWN = (
    params.CompletionCreateParamsStreaming.__required_keys__ | params.CompletionCreateParamsStreaming.__optional_keys__
)
MARK = {"assessment": "clarity", "user_message": "ending", "turn_verdict": "understanding", "check": "number"}


def check_request(body: Json) -> None:
    """Raises where a request is not what OpenAI's own types for chat completions describe."""
    read: Any = (_STREAMING if body.get("stream") else _PLAIN).validate_python(body)
    assert set(body) <= _KNOWN, f"unknown: {set(body) - _KNOWN}"
    for name in ("messages", "tools"):
        list(read.get(name) or ())  # pydantic reads these lazily


class Fault:
    """What a server does instead of replying; `makes` gets the handler, the request and the proper reply's text."""

    def __init__(self, name: str, make: Callable[[Handler, Json, str], None]) -> None:
        self.name, self.make = name, make


class ModelServer:
    """An OpenAI-compatible server that answers our prompts by what they ask for, deterministically.

    rungs: what it can do; rejects: parameters it answers with 400; faults: given instead of replies with probability
    `share`, drawn by `seed`; script: texts given in order, before anything else, to requests that are not probes.
    """

    def __init__(
        self,
        rungs: Iterable[str] = ("schema", "tools", "json", "text"),
        rejects: Iterable[str] = (),
        faults: Iterable[Fault] = (),
        share: float = 0.2,
        seed: int = 0,
        script: Iterable[Any] = (),
        key: str = "sk-test-key",
    ) -> None:
        self.rungs, self.rejects, self.faults = set(rungs), set(rejects), list(faults)
        self.share, self.key, self.script = share, key, list(script)
        self._random, self._lock = random.Random(seed), threading.Lock()
        self.requests: list[Json] = []
        self.invalid: list[str] = []
        self.given: Counter[str] = Counter()
        self.now = self.most = 0
        self.delay = 0.0
        self.headers: Json = {}
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def up(self) -> None:
        """Begin to listen; on the same port as before."""
        handler = type("Bound", (Handler,), {"home": self})
        self._server = _Server(("127.0.0.1", self.port), handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self) -> None:
        """Stop listening."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seen(self, body: Json) -> Fault | None:
        """Note a request; the fault to give, if any."""
        try:
            check_request(body)
        except Exception as error:
            self.invalid.append(f"{error}")
        with self._lock:
            self.requests.append(body)
            drawn = self._random.random() < self.share and self.faults
            fault = self._random.choice(self.faults) if drawn else None
            self.given[fault.name if fault else "reply"] += 1
            return fault

    def next_script(self, body: Json) -> Any:
        """The next thing of the script, for a request that is no probe."""
        if shape(body) == "check":
            return None
        with self._lock:
            return self.script.pop(0) if self.script else None


class _Server(ThreadingHTTPServer):
    """Closes its connections when it goes down, as a killed process does."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def get_request(self) -> Any:
        self.sockets = [*getattr(self, "sockets", ()), taken := super().get_request()]
        return taken

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
        home.headers = dict(self.headers)
        if self.headers.get("authorization") != f"Bearer {home.key}":
            told = f"Incorrect API key provided: {self.headers.get('authorization')}"
            return self.send(401, {"error": {"message": told, "code": "invalid_api_key"}})
        with home._lock:
            home.now += 1
            home.most = max(home.most, home.now)
        try:
            if home.delay:
                time.sleep(home.delay)
            self.answer(body)
        finally:
            with home._lock:
                home.now -= 1

    def answer(self, body: Json) -> None:
        home = self.home
        fault = home.seen(body)
        if problem := rejection(home, body):
            return self.send(400, {"error": {"message": problem, "type": "invalid_request_error", "param": None}})
        scripted = home.next_script(body)
        if callable(scripted):
            return scripted(self, body)
        text = scripted if scripted is not None else reply_to(body)
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

    def stream(self, text: str, cut: bool = False) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        pieces = [text[place : place + 5] for place in range(0, len(text), 5)]
        for piece in pieces[: max(1, len(pieces) // 2)] if cut else pieces:
            self.event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
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


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}


def completion(message: Json, finish: str = "stop") -> Json:
    """A chat completion with one choice."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": USAGE}


def tool_call(body: Json, text: str) -> Json:
    """A message that calls a tool: the one named in the text, else the only one."""
    name, arguments = body["tools"][0]["function"]["name"], text
    if len(body["tools"]) > 1:
        told = json.loads(text)
        name, arguments = told["name"], json.dumps(told["arguments"])
    call = {"id": "t", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def rejection(home: ModelServer, body: Json) -> str:
    """Why this server will not take the request, in the words of a real one."""
    kind = (body.get("response_format") or {}).get("type")
    if body.get("tools") and "tools" not in home.rungs:
        return "registry.example/tiny does not support tools"
    if kind == "json_schema" and "schema" not in home.rungs:
        return "response_format.type: Input should be 'text' or 'json_object', json_schema is not supported"
    if kind == "json_object" and "json" not in home.rungs:
        return "This response_format type is unavailable now"
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and name in home.rejects:
            return f"Unsupported parameter: '{name}' is not supported with this model."
    if "system" in home.rejects and body["messages"][0]["role"] == "system":
        return "System role not supported"
    for name in sorted(home.rejects & set(body)):
        return f"Unsupported value: '{name}' does not support this value with this model."
    return ""


def shape(body: Json) -> str:
    """The name of the shape that a request asks for: assessment, turn_verdict …; "" for plain text."""
    if tools := body.get("tools"):
        return tools[0]["function"]["name"] if len(tools) == 1 else "step"
    if schema := (body.get("response_format") or {}).get("json_schema"):
        return "step" if schema["name"] == "choice" else schema["name"]
    system = body["messages"][0]["content"]
    if '"name": …' in system:
        return "step"
    told = {name: system.rfind(f'"{field}": {{') for name, field in MARK.items()}
    return max(told, key=lambda name: told[name]) if max(told.values()) >= 0 else ""


def reply_to(body: Json) -> str:
    """A valid reply to any prompt of ours, the same for the same request."""
    said = "\n".join(str(message["content"]) for message in body["messages"])
    draw = zlib.crc32(said.encode())
    mark = {"reason": "資料1と合っている", "score": draw % 5 + 1}
    criteria = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
    replies: dict[str, Any] = {
        "check": {"answer": "yes", "number": 3},
        "assessment": {
            "clarity": draw % 2 * 2 + 1,
            "is_question": 1,
            "is_consultation": 5,
            "in_internal_docs": 1,
            "ask_person": 5,
            "ask_missing_info": "どれについてですか。",
            "res_consultation": "",
            "ask_user_meta_info": "",
            "choices": [],
        },
        "user_message": {"text": f"それについて教えてください{draw % 7}", "ending": None if draw % 3 else "done"},
        "turn_verdict": {"steps": ["知りたいことは期限"], "conclusion": "よい", **dict.fromkeys(criteria, mark)},
        "step": {"name": "search_now", "arguments": {}},
    }
    kind = shape(body)
    return json.dumps(replies[kind], ensure_ascii=False) if kind else "翌月の10日までに精算します。[1]"


def engine_on(server: ModelServer, store: Store, **settings: Any) -> OpenAIEngine:
    """The engine on a test's server, with little patience."""
    known = {"openai_api_key": server.key, "model": "tiny", "timeout": 1.0, "patience": 8.0, **settings}
    return openai_engine(Settings(openai_base_url=server.url, **known), store)


@contextmanager
def serving(server: ModelServer) -> Generator[ModelServer]:
    """The server while it runs."""
    server.up()
    try:
        yield server
    finally:
        server.down()
