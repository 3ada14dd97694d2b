"""Random `kill -9` of a simulation, then `resume`: no stored turn lost, no finished call paid for twice.

    python -m benchmarks.kill_trials [TRIALS] [SEED]  (20 and 1)

Each trial begins `simulate` in a process of its own on an empty database, kills it at a random moment, notes what is
stored (every turn and verdict, byte for byte, and every call in the call log), and lets `resume` finish. Calls are counted
at the server. A call that was under way at the kill is nobody's fault: it was not finished.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import text

from benchmarks.command_line import argument_parser
from benchmarks.loopback import Loopback, loopback
from benchmarks.throughput import TURNS, make_bot
from core.base.settings import ROOT
from core.store.store import Store

QUESTIONS = 16
DELAY = 0.08  # seconds that the server takes for a reply
EACH = 4 * TURNS + 1  # calls of one conversation
TURNS_KEPT = "select id, conversation_id, number, user_text, reply_text, record, created_at from turns"
VERDICTS_KEPT = "select turn_id, judge, criterion, version, value, label, reasons, error from scores"


class Stored(NamedTuple):
    """What a database holds: turns, verdicts, and the requests of finished calls by SHA-256."""

    turns: Counter[Any]
    verdicts: Counter[Any]
    calls: set[str]


def stored(store: Store) -> Stored:
    """Everything that must outlive a kill."""
    with store.db.read() as connection:
        turns = Counter(tuple(row) for row in connection.execute(text(TURNS_KEPT)))
        verdicts = Counter(tuple(row) for row in connection.execute(text(VERDICTS_KEPT)))
        requests = connection.execute(text("select request from calls where error = ''")).scalars()
        calls = {hashlib.sha256(_sent(request)).hexdigest() for request in requests}
    return Stored(turns, verdicts, calls)


def trial(server: Loopback, environment: dict[str, str], database: Path, share: float) -> str:
    """One kill after about `share` of the calls; gives a line to print, raises AssertionError if anything was lost."""
    environment = {**environment, "KIKU_DATABASE_URL": f"sqlite:///{database}"}
    before = Counter(server.status()["seen"])
    wanted = before.total() + max(1, round(share * QUESTIONS * EACH))
    process = _core(environment, "simulate", "--bot", "hinata", "--concurrency", "8", "--seed", "1")
    while process.poll() is None and server.calls() < wanted:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    was_killed = process.wait(60) == -signal.SIGKILL
    while server.status()["now"]:  # replies that nobody waits for any more
        time.sleep(0.02)
    store = Store(f"sqlite:///{database}")
    stored_rows = stored(store)
    (run,) = store.runs.all()
    resumed = _core(environment, "resume", run.id)
    assert resumed.wait(600) == 0
    after, progress = stored(store), store.runs.progress(run.id)
    asked = Counter(server.status()["seen"]) - before
    twice = [call for call in stored_rows.calls if asked[call] != 1]
    assert not stored_rows.turns - after.turns, "a stored turn was lost or changed"
    assert not stored_rows.verdicts - after.verdicts, "a stored verdict was lost or changed"
    assert not twice, f"{len(twice)} finished calls were made again"
    assert (progress.done, progress.turns) == (QUESTIONS, QUESTIONS * TURNS), progress
    assert store.records.score_frame(run.id)["value"].notna().all()
    repeated = sum(count - 1 for count in asked.values())
    store.close()
    how = "killed" if was_killed else "over before the kill"
    summary = f"{stored_rows.turns.total()} turns, {len(stored_rows.calls)} calls stored"
    return f"{how} after {share:.0%}: {summary}; none lost, none made again ({repeated} calls under way were repeated)"


def main(trials: int, seed: int) -> int:
    """0 if all trials went well."""
    drawn = random.Random(seed)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, loopback(DELAY) as server:
        make_bot(Path(folder) / "knowledge", QUESTIONS)
        environment = {
            **os.environ,
            "KIKU_DATA_DIR": f"{folder}/data",
            "KIKU_KNOWLEDGE_DIR": f"{folder}/knowledge",
            "KIKU_ENGINE": "openai",
            "KIKU_MODEL": "m",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-x",
        }
        for number in range(1, trials + 1):
            try:
                outcome = trial(server, environment, Path(folder) / f"{number}.db", drawn.uniform(0.02, 0.98))
            except AssertionError as error:
                failed, outcome = failed + 1, f"FAILED: {error}"
            print(f"{number:3} {outcome}", flush=True)
    print(f"{trials - failed} of {trials} trials lost nothing and paid for nothing twice")
    return int(bool(failed))


def _core(environment: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "core", *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=quiet, stderr=quiet)


def _sent(request: str) -> bytes:
    """A request of the call log as it was sent."""
    return json.dumps(json.loads(request), ensure_ascii=False, separators=(",", ":")).encode()


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("trials", type=int, nargs="?", default=20)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    options = parser.parse_args()
    sys.exit(main(options.trials, options.seed))
