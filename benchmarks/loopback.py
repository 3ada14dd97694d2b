"""A model server in a process of its own for benchmarks: light enough not to be what is measured, and it counts.

It replies to every prompt of a simulation after a set time, the same to the same request; nobody ever says goodbye, so
that each conversation takes all its turns. Its own ceiling: `python -m benchmarks.loopback` (calls per second, and its
CPU per call, with the lightest client).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import threading
import time
import urllib.request
import zlib
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.command_line import argument_parser

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_SHAPE = re.compile(rb'"json_schema":\{"name":"(\w+)"')
MARK = {"reason": "資料1に書いてあるとおりで、期限も金額も合っている。", "score": 4}
REWRITE = "検索に使う一つの質問".encode()  # how our prompt for a standalone question ends
CRITERIA = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
REPLIES: dict[str, Any] = {
    "check": {"answer": "yes", "number": 3},
    "assessment": {
        "clarity": 1,
        "is_question": 1,
        "is_consultation": 5,
        "in_internal_docs": 1,
        "ask_person": 5,
        "ask_missing_info": "",
        "res_consultation": "",
        "ask_user_meta_info": "",
        "choices": [],
    },
    "worded_question": {"text": "経費はいつまでに精算すればよいでしょうか。"},
    "turn_verdict": {"steps": ["期限を知りたい。"], "conclusion": "正しい。", **dict.fromkeys(CRITERIA, MARK)},
    "": "翌月の10日までに経費システムで精算します。過ぎたときは上長の承認を受けてから出してください。[1]",
}


class _Protocol(asyncio.Protocol):
    """One connection: requests in order, each answered after the delay."""

    def __init__(self, home: _Home) -> None:
        self._home, self._got = home, bytearray()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._got += data
        while (end := self._got.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._got[:end])
            found = _LENGTH.search(head)
            size = end + 4 + (int(found[1]) if found else 0)
            if len(self._got) < size:
                return
            body = bytes(self._got[end + 4 : size])
            del self._got[:size]
            self._take(head, body)

    def _take(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET"):
            self._transport.write(_packed(json.dumps(self._home.status()).encode()))
            return
        home = self._home
        home.seen[hashlib.sha256(body).hexdigest()] += 1
        home.now += 1
        home.most = max(home.most, home.now)
        asyncio.get_running_loop().call_later(home.delay, self._give, body)

    def _give(self, body: bytes) -> None:
        self._home.now -= 1
        if not self._transport.is_closing():
            self._transport.write(_packed(_reply(body)))


class _Home:
    """What the connections share."""

    def __init__(self, delay: float) -> None:
        self.delay, self.seen = delay, Counter[str]()
        self.now = self.most = 0

    def status(self) -> dict[str, Any]:
        """What was asked since the last look: each request by its SHA-256, and how many were in the air at most."""
        return {"seen": dict(self.seen), "most": self.most, "now": self.now, "cpu": time.process_time()}


def _reply(body: bytes) -> bytes:
    found = _SHAPE.search(body)
    shape = found[1].decode() if found else ""
    if shape == "user_message":
        text: Any = {"text": f"では{zlib.crc32(body)}番の場合はどうなりますか。", "ending": None}
    else:
        text = REPLIES[shape]
    content = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    if not shape and REWRITE in body:
        content = f"{zlib.crc32(body)}番の交通費の精算の期限はいつですか"
    return completion(content)


def completion(content: str) -> bytes:
    """The body of a chat completion with this text."""
    usage = {"prompt_tokens": 900, "completion_tokens": 300, "total_tokens": 1200}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps(body, ensure_ascii=False).encode()


def _packed(data: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    return head.encode() + data


async def serve(delay: float) -> None:
    """Serve until the process is ended; prints the port."""
    home = _Home(delay)
    server = await asyncio.get_running_loop().create_server(lambda: _Protocol(home), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Loopback:
    """The server as its clients see it."""

    def __init__(self, port: int) -> None:
        self.port, self.url = port, f"http://127.0.0.1:{port}/v1"

    def status(self) -> dict[str, Any]:
        """How often each request came ("seen", by SHA-256), how many were in the air at most, its CPU seconds."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status", timeout=20) as answer:
            return json.loads(answer.read())

    def calls(self) -> int:
        """Requests so far."""
        return sum(self.status()["seen"].values())


@contextmanager
def loopback(delay: float) -> Generator[Loopback]:
    """A server that replies after `delay` seconds, while it runs."""
    command = [sys.executable, "-m", "benchmarks.loopback", str(delay)]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Loopback(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait(10)


def ceiling(delay: float, at_once: int, calls: int) -> tuple[float, float]:
    """(calls per second, the server's CPU seconds per call) with `at_once` connections that do nothing else."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "交通費" * 500}]}).encode()
    with loopback(delay) as server:

        def ask() -> None:
            connection = HTTPConnection("127.0.0.1", server.port)
            for _ in range(calls // at_once):
                connection.request("POST", "/v1/chat/completions", body)
                connection.getresponse().read()

        threads = [threading.Thread(target=ask) for _ in range(at_once)]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds, done = time.perf_counter() - begun, server.calls()
        return done / seconds, server.status()["cpu"] / done


def main() -> None:
    """The ceiling for slow and for immediate replies."""
    for pause in (0.2, 0.0):
        speed, cpu = ceiling(pause, 64, 6_400)
        print(f"{pause * 1000:.0f} ms replies, 64 at once: {speed:.0f} calls/s, {cpu * 1e6:.0f} µs of its CPU per call")


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("seconds", type=float, nargs="?", help="serve with this delay, as other scripts start it")
    delay = parser.parse_args().seconds
    main() if delay is None else asyncio.run(serve(delay))
