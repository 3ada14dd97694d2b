"""CPU per call of the engine (call log, cache, limits, reading and all) against the bare client doing the same calls.

    python -m benchmarks.llm_overhead [CALLS] [THREADS]  (300 and 8)

The server runs in a process of its own and replies at once; both sides send the same requests, in turns, so that what
else the machine does meets both. The bare client is `openai`'s own, which reads each reply into its types.
"""

from __future__ import annotations

import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import openai
from pydantic import SecretStr

from benchmarks.command_line import argument_parser
from benchmarks.loopback import CRITERIA, MARK, completion
from core.base.settings import Settings
from core.base.types import Sample
from core.judges.turn.turn import JudgeTurn
from core.llm.engine_choice import openai_engine
from core.llm.server_features import Probe
from core.store.store import Store

ROUNDS = 6
VERDICT = {"steps": ["期限を知りたい。"], "conclusion": "正しい。", **dict.fromkeys(CRITERIA, MARK)}


class Handler(BaseHTTPRequestHandler):
    """Replies to a probe, and to the judge's prompt."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        reply: Any = VERDICT if b"turn_verdict" in body else {"answer": "yes", "number": 3}
        data = completion(json.dumps(reply, ensure_ascii=False))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve(port: Any) -> None:
    """Serve until the process is ended."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.put(server.server_address[1])
    server.serve_forever()


def prompt(number: int) -> JudgeTurn:
    """One of many different questions to the judge."""
    contexts = tuple(f"経費 › 精算{n}\n交通費は翌月の10日までに経費システムで精算します。" * 3 for n in range(6))
    sample = Sample(
        question=f"{number}番の交通費の精算の期限はいつですか", answer="翌月の10日までです。[1]", contexts=contexts
    )
    return JudgeTurn(sample=sample, guidelines="丁寧に答える。", language="ja")


def cpu(work: Callable[[int], object], numbers: range, threads: int) -> float:
    """CPU seconds of this process per call."""
    begun = time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, numbers))
    return (time.process_time() - begun) / len(numbers)


def main(calls: int, threads: int) -> float:
    """The ratio of both."""
    port: Any = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{port.get(timeout=20)}/v1"
    store = Store(f"sqlite:///{tempfile.mkdtemp()}/kiku.db")
    engine = openai_engine(Settings(openai_api_key=SecretStr("sk-x"), openai_base_url=url, model="m"), store.calls)
    client = openai.OpenAI(api_key="sk-x", base_url=url, max_retries=0)
    engine.ask(Probe())
    engine.ask(prompt(0))
    body = json.loads(store.calls.newest()[0].request)

    def bare(number: int) -> object:
        return client.chat.completions.create(**body)

    cpu(bare, range(50), threads)
    cpu(lambda n: engine.ask(prompt(n)), range(50), threads)
    shares: list[float] = []
    for turn in range(1, ROUNDS + 1):
        numbers = range(turn * calls, (turn + 1) * calls)
        ours, theirs = cpu(lambda n: engine.ask(prompt(n)), numbers, threads), cpu(bare, numbers, threads)
        shares.append(ours / theirs)
        print(f"engine {ours * 1000:.2f} ms, bare client {theirs * 1000:.2f} ms of CPU per call: {ours / theirs:.2f}")
    print(f"median ratio {statistics.median(shares):.2f} ({calls} calls a round, {threads} threads)")
    server.terminate()
    return statistics.median(shares)


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("calls", type=int, nargs="?", default=300)
    parser.add_argument("threads", type=int, nargs="?", default=8)
    options = parser.parse_args()
    sys.exit(0 if main(options.calls, options.threads) <= 1.3 else 1)
