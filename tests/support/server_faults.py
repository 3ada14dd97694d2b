"""What a model server can do instead of giving a proper reply."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from math import log2

from core.base import retry
from tests.support.model_replies import Json, completion
from tests.support.model_server import Fault, Handler

DROPS = 60  # one every 0.03 s


def most_retries(seconds: float) -> int:
    """So often is a server asked again within these seconds: waits double, and none is cut below half of its length."""
    return int(log2(seconds / (retry.FIRST_WAIT / 2) + 1))


def _status(status: int, **headers: str) -> Callable[[Handler, Json, str], None]:
    shown_text = {"error": {"message": "try again later", "type": "server_error"}}
    return lambda handler, body, text: handler.send(
        status, shown_text, {k.replace("_", "-"): v for k, v in headers.items()}
    )


def _message(make: Callable[[str], Json], finish: str = "stop") -> Callable[[Handler, Json, str], None]:
    def give(handler: Handler, body: Json, text: str) -> None:
        handler.stream(text, cut=True) if body.get("stream") else handler.send(200, completion(make(text), finish))

    return give


def _content(change: Callable[[str], str], finish: str = "stop") -> Callable[[Handler, Json, str], None]:
    return _message(lambda text: {"role": "assistant", "content": change(text)}, finish)


def _cut_connection(handler: Handler, body: Json, text: str) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.hang_up()


def _drip(handler: Handler, body: Json, text: str) -> None:
    """A proper reply after blanks that come one by one."""
    data = json.dumps(completion({"role": "assistant", "content": text})).encode()
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data) + DROPS))
    handler.end_headers()
    _drop(handler, b" ")
    handler.wfile.write(data)


def _drip_headers(handler: Handler, body: Json, text: str) -> None:
    """A proper reply after headers that come one by one."""
    data = json.dumps(completion({"role": "assistant", "content": text})).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    _drop(handler, b"x-wait: a\r\n")
    handler.wfile.write(f"content-length: {len(data)}\r\n\r\n".encode() + data)


def _drop(handler: Handler, what: bytes) -> None:
    for _ in range(DROPS):
        handler.wfile.write(what)
        handler.wfile.flush()
        time.sleep(0.03)


def _time_out(handler: Handler, body: Json, text: str) -> None:
    time.sleep(1.2)
    handler.hang_up()


def _two_calls(text: str) -> Json:
    call = {"id": "t", "type": "function", "function": {"name": "answer_to", "arguments": text}}
    broken = {"id": "s", "type": "function", "function": {"name": "answer_to", "arguments": "{"}}
    return {"role": "assistant", "content": None, "tool_calls": [broken, call]}


def _object_call(text: str) -> Json:
    arguments = json.loads(text) if text.startswith("{") else {}
    call = {"type": "function", "function": {"name": "answer_to", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _raise(kind: type) -> Callable[[str], str]:
    """The text with every score wrong: out of range, or of another type."""

    def change(text: str) -> str:
        for score in "12345":
            wrong = "9" if kind is int else '"very good"'
            text = text.replace(f'"score": {score}', f'"score": {wrong}').replace(
                f'"clarity": {score}', f'"clarity": {wrong}'
            )
        return text

    return change


HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"
ERRORS = [
    Fault("429", _status(429)),
    Fault("429 with Retry-After", _status(429, retry_after="0.05")),
    Fault("500", _status(500)),
    Fault("503", _status(503, retry_after="0.05")),
    Fault("cut connection", _cut_connection),
    Fault("HTML page", lambda handler, body, text: handler.send(502, HTML)),
    Fault("HTML page as success", lambda handler, body, text: handler.send(200, HTML)),
    Fault("empty choices", lambda handler, body, text: handler.send(200, {"id": "c", "choices": []})),
    Fault("error as success", lambda handler, body, text: handler.send(200, {"error": {"message": "overloaded"}})),
    Fault(
        "truncated body", lambda handler, body, text: handler.send(200, json.dumps(completion({"content": text}))[:60])
    ),
]
SLOW = [Fault("time-out", _time_out), Fault("drip-feed", _drip), Fault("dripping headers", _drip_headers)]
READABLE = [
    Fault("thinking", _content(lambda text: f'<think>The score is 1: {{"score": 1}}</think>\n{text}')),
    Fault("fence", _content(lambda text: f"Sure, here it is:\n```json\n{text}\n```\nAnything else?")),
    Fault("prose", _content(lambda text: f"My verdict, Y, relevant: {text} I hope this helps.")),
    Fault("arguments as object", _message(_object_call, "tool_calls")),
    Fault("two calls", _message(_two_calls, "tool_calls")),
]
UNREADABLE = [
    Fault("null content", _message(lambda text: {"role": "assistant", "content": None})),
    Fault("empty content", _content(lambda text: "")),
    Fault("refusal", _message(lambda text: {"role": "assistant", "content": None, "refusal": "I cannot do that."})),
    Fault("cut reply", _content(lambda text: text[: len(text) // 2], "length")),
    Fault("truncated JSON", _content(lambda text: text[: len(text) // 2])),
    Fault("wrong types", _content(_raise(str))),
    Fault("out of range", _content(_raise(int))),
    Fault("only prose", _content(lambda text: "It is relevant. Y. I would give it 5 out of 5.")),
]
EVERYTHING = [*ERRORS, *READABLE, *UNREADABLE]
