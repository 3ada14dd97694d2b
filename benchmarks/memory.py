"""How much memory a plan of many conversations takes, while it is planned and while it runs; and its bytes on disk.

    python -m benchmarks.memory [CONVERSATIONS] [SECONDS] [ENGINE]

CONVERSATIONS (10,000) of three turns at most, each with a question of its own, on the embedded engine or (`openai`) on a
server on loopback that replies at once; after SECONDS (120; 0: at its end) the run is stopped. RSS is this process's, with
all libraries and the index; what the server takes is not in it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import text

from benchmarks.bot_indexes import bots_in
from benchmarks.command_line import argument_parser
from benchmarks.loopback import loopback
from benchmarks.process_memory import peak_mb, resident_mb
from benchmarks.throughput import TURNS, make_bot
from core.base.prompt import Engine
from core.base.settings import Settings
from core.llm.embedded import EmbeddedEngine
from core.llm.engine_choice import openai_engine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store

MOST = 1024.0  # MB
TICK = 10.0  # seconds between two lines


def main(conversations: int, seconds: int, engine_name: str) -> float:
    """The peak in MB."""
    with (
        tempfile.TemporaryDirectory() as folder,
        bots_in(Path(folder) / "knowledge") as knowledge,
        loopback(0.0) as server,
    ):
        file = Path(folder) / "kiku.db"
        make_bot(knowledge, conversations)
        store, indexes = Store(f"sqlite:///{file}"), Indexes(Path(folder) / "chroma")
        engine: Engine = EmbeddedEngine()
        if engine_name == "openai":
            known = Settings(openai_api_key=SecretStr("sk-x"), openai_base_url=server.url, model="m")
            engine = openai_engine(known, store.calls)
        runner = Runner(store, indexes, engine)
        run(runner, store, 2, 0)
        print(f"with libraries and index: {resident_mb():.0f} MB", flush=True)
        begun = time.monotonic()
        run_id = run(runner, store, conversations, seconds)
        done, cost = store.runs.progress(run_id), store.calls.spending(run_id)
        print(f"{done.done} of {done.total} conversations, {done.turns} turns, {cost.calls} calls")
        print(f"{done.turns / (time.monotonic() - begun):.1f} turns/s, peak {peak_mb():.0f} MB")
        sizes(store, file, max(1, done.done))
        runner.close()
        store.close()
    return peak_mb()


def run(runner: Runner, store: Store, conversations: int, seconds: int) -> str:
    """Start a run, say how it goes, stop it after a while; gives its id."""
    begun = time.monotonic()
    run_id = runner.start(Plan(bot="hinata", max_turns=TURNS, limit=conversations, seed=1, concurrency=32))
    print(
        f"{conversations} conversations planned in {time.monotonic() - begun:.1f} s: {resident_mb():.0f} MB", flush=True
    )
    while not runner.wait(run_id, TICK):
        progress = store.runs.progress(run_id)
        print(f"  {time.monotonic() - begun:4.0f} s  {progress.done:6} done  {resident_mb():.0f} MB", flush=True)
        if seconds and time.monotonic() - begun > seconds:
            runner.stop(run_id)
    return run_id


def sizes(store: Store, file: Path, conversations: int) -> None:
    """Rows and bytes for each finished conversation, by table with its indexes."""
    with store.db.read() as connection:
        connection.execute(text("pragma wal_checkpoint(truncate)"))
        for table in ("turns", "scores", "calls"):
            rows = connection.execute(text(f"select count(*) from {table}")).scalar() or 0
            print(f"  {table}: {rows / conversations:.1f} rows a conversation")
    print(f"  database: {file.stat().st_size / conversations / 1024:.1f} kB a conversation, indexes and all")


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("conversations", type=int, nargs="?", default=10_000)
    parser.add_argument("seconds", type=int, nargs="?", default=120)
    parser.add_argument("engine", choices=("embedded", "openai"), nargs="?", default="embedded")
    options = parser.parse_args()
    peak = main(options.conversations, options.seconds, options.engine)
    sys.exit(0 if peak < MOST else 1)
