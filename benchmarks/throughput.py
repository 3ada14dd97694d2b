"""How close a simulation comes to the bare client making the same calls; beside it, deepeval's simulator.

    python -m benchmarks.throughput [--rounds 3] [--conversations 200] [--at-once 64] [--delay 0.2] [--deepeval PYTHON]

A run of Kiku as `simulate` makes it (planning, search, call log, database, judges and all) against a server on loopback
that replies after `--delay` seconds. The bare client is `openai`'s own in threads: it sends the very same requests, each
after those it has to wait for (a turn's verdict is asked for beside the next turn), as many at once, and does nothing
with the replies. The rounds of both take turns, so that what else the machine does meets both. What the server can do
is found out before the clock starts, as it is in everybody's second run. `--deepeval` names a Python that has deepeval,
whose ConversationSimulator then holds as many conversations on the same server, its bot making the calls of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import openai
from pydantic import SecretStr

from benchmarks.bot_indexes import bots_in
from benchmarks.loopback import Loopback, ceiling, loopback
from core.base.settings import ROOT, Settings
from core.llm.engine_choice import openai_engine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store

TURNS = 3
JUDGE = "JudgeTurn"
TAILS = ("", "急いでいます。", "去年とは違うのでしょうか。", "初めてなので教えてください。", "出張中です。")
Bodies = list[tuple[str, dict[str, Any]]]


class Round(NamedTuple):
    """One side of a round: seconds, calls, and CPU seconds of this process."""

    seconds: float
    calls: int
    cpu: float

    def __str__(self) -> str:
        return (
            f"{self.seconds:.2f} s, {self.calls} calls, {self.cpu / max(1, self.calls) * 1000:.2f} ms of CPU per call"
        )


def make_bot(folder: Path, questions: int) -> None:
    """Hinata with so many different questions, so that the call log saves no call."""
    shutil.copytree(ROOT / "knowledge" / "hinata", folder / "hinata")
    shutil.copy(ROOT / "knowledge" / "personas.toml", folder)
    file = folder / "hinata" / "questions.csv"
    head, *rows = [line for line in file.read_text("utf-8-sig").splitlines() if line.strip()]
    asked = [row.split(",")[1] for row in rows if '"' not in row]
    known = len(asked) * len(TAILS)
    suffixes = ["" if n < known else f"({n // known}回目)" for n in range(questions)]
    made = [f"q{n},{asked[n % len(asked)]}{TAILS[n // len(asked) % len(TAILS)]}{suffixes[n]}" for n in range(questions)]
    file.write_text("\n".join(["id,question", *made]), "utf-8")
    assert head.startswith("id,question") and len(set(made)) == questions


def kiku(server: Loopback, indexes: Indexes, conversations: int, at_once: int) -> tuple[Round, Bodies]:
    """A run on an empty database, and the requests that it made."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/kiku.db")
        try:
            return kiku_on(store, server, indexes, conversations, at_once)
        finally:
            store.close()


def kiku_on(
    store: Store, server: Loopback, indexes: Indexes, conversations: int, at_once: int, seed: int = 1
) -> tuple[Round, Bodies]:
    """A run on a database; with a `seed` that it has not seen, no call is saved by the call log but the first assessments."""
    engine = openai_engine(
        Settings(openai_api_key=SecretStr("sk-x"), openai_base_url=server.url, model="m"), store.calls
    )
    engine.probe("bot")
    runner = Runner(store, indexes, engine)
    before, cpu, begun = server.calls(), time.process_time(), time.perf_counter()
    run_id = runner.start(
        Plan(
            bot="hinata",
            max_turns=TURNS,
            limit=conversations,
            seed=seed,
            concurrency=min(256, at_once),
            first_message="plain",
        )
    )
    runner.wait(run_id)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    progress = store.runs.progress(run_id)
    assert (progress.done, progress.turns) == (conversations, conversations * TURNS), progress
    assert store.records.score_frame(run_id)["value"].notna().all()
    calls = store.calls.newest(run_id, limit=10**6)
    done = Round(seconds, server.calls() - before, cpu)
    assert done.calls == len(calls)
    runner.close()
    return done, [(call.conversation_id + "|" + call.purpose, json.loads(call.request)) for call in reversed(calls)]


def bare(server: Loopback, bodies: Bodies, at_once: int) -> Round:
    """The same requests by the bare client: each conversation's in order, verdicts beside the next turn."""
    chains: dict[str, list[dict[str, Any]]] = {}
    verdicts: dict[str, list[dict[str, Any]]] = {}
    for mark, body in bodies:
        conversation, purpose = mark.split("|")
        (verdicts if purpose == JUDGE else chains).setdefault(conversation, []).append(body)
    ends = {mark: {i for i, body in enumerate(chain) if _answers(chain, i)} for mark, chain in chains.items()}
    client = openai.OpenAI(api_key="sk-x", base_url=server.url, max_retries=0)
    room = threading.BoundedSemaphore(at_once)
    before, cpu, begun = server.calls(), time.process_time(), time.perf_counter()

    def call(body: dict[str, Any]) -> None:
        with room:
            client.chat.completions.create(**body)

    with ThreadPoolExecutor(at_once) as talking, ThreadPoolExecutor(at_once) as judging:

        def converse(mark: str) -> None:
            left, judged = list(verdicts[mark]), list[Any]()
            for place, body in enumerate(chains[mark]):
                call(body)
                if place in ends[mark]:
                    judged.append(judging.submit(call, left.pop(0)))
            for verdict in judged:
                verdict.result()
            assert not left

        list(talking.map(converse, chains))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    return Round(seconds, server.calls() - before, cpu)


def _answers(chain: list[dict[str, Any]], place: int) -> bool:
    """Whether a request is a turn's last: the simulated user's comes next."""
    following = chain[place + 1] if place + 1 < len(chain) else None
    return not _is_user(chain[place]) and (following is None or _is_user(following))


def _is_user(body: dict[str, Any]) -> bool:
    return '"user_message"' in json.dumps(body.get("response_format", {}))


def deepeval(python: str, server: Loopback, conversations: int, at_once: int) -> Round:
    """As many conversations by deepeval's simulator, in its own Python."""
    script = Path(__file__).with_name("deepeval_round.py")
    quiet = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_UPDATE_WARNING_OPT_IN": "", "ERROR_REPORTING": ""}
    before = server.calls()
    with tempfile.TemporaryDirectory() as folder:
        command = [python, str(script), server.url, str(conversations), str(TURNS), str(at_once)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env={**os.environ, **quiet}, check=True
        )
    result = json.loads(done.stdout.strip().splitlines()[-1])
    return Round(result["seconds"], server.calls() - before, result["cpu"])


def main() -> float:
    """The median of wall time by the bare client's."""
    parser = argparse.ArgumentParser()
    for name, default in (("rounds", 3), ("conversations", 200), ("at-once", 64)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--deepeval", default="")
    options = parser.parse_args()
    speed, _ = ceiling(options.delay, options.at_once, options.at_once * 30)
    print(f"the server's ceiling: {speed:.0f} calls/s at {options.at_once} at once")
    ratios: list[float] = []
    others: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        bots_in(Path(folder) / "knowledge") as knowledge,
        loopback(options.delay) as server,
    ):
        make_bot(knowledge, options.conversations)
        indexes = Indexes(Path(folder) / "chroma")
        kiku(server, indexes, 4, 4)  # the index is built, everything is imported
        for _ in range(options.rounds):
            ours, bodies = kiku(server, indexes, options.conversations, options.at_once)
            theirs = bare(server, bodies, options.at_once)
            assert ours.calls == theirs.calls == len(bodies)
            ratios.append(ours.seconds / theirs.seconds)
            print(f"kiku {ours}; bare client {theirs}: {ratios[-1]:.3f}", flush=True)
            if options.deepeval:
                other = deepeval(options.deepeval, server, options.conversations, options.at_once)
                others.append((ours.seconds / ours.calls) / (other.seconds / other.calls))
                print(f"  deepeval {other}: kiku takes {others[-1]:.3f} of its time per call", flush=True)
        print(f"at most {server.status()['most']} calls were in the air")
    summary = f"median of kiku / bare client: {statistics.median(ratios):.3f}"
    print(summary + (f"; of kiku / deepeval per call: {statistics.median(others):.3f}" if others else ""))
    return statistics.median(ratios)


if __name__ == "__main__":
    sys.exit(0 if main() <= 1.15 else 1)
