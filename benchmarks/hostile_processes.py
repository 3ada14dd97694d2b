"""Faults between processes: a data folder that goes, a locked database, two that resume one run, `kill -9` of `index` and `generate`.

Each trial gives "" if nothing was lost and every command ended with a status of docs/command-line.md and no traceback,
else what went wrong. Run by `python -m benchmarks.hostile_trials`.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from filecmp import dircmp
from pathlib import Path
from typing import Any

from core.base.settings import ROOT

BOT, ENDS, LIMIT = "hinata", (0, 1, 2, 3), 120.0
SEEDS = "core/datasets/examples/en"
CASES = 24  # conversations of a run
BEGUN = 5  # turns stored from which a run is under way
KILLS = 3  # of each command, at moments drawn by a seed
LOCKED = 15.0  # seconds
DOCUMENTS = 30  # of the bot that is indexed
Environment = Mapping[str, str]


def process_trials(folder: Path, environment: Environment) -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of each trial, and what tries it in a folder of its own."""
    drawn = random.Random(1)
    for name, go in (("renamed", _rename), ("deleted", shutil.rmtree)):
        yield (
            f"the data folder is {name} during a run",
            lambda go=go, name=name: vanishing(folder / name, environment, go),
        )
    yield f"the database is locked for {LOCKED:g} s at the start", lambda: locked(folder / "locked", environment)
    yield "two processes resume one run", lambda: two_resume(folder / "two", environment)
    for number in range(KILLS):
        share = drawn.uniform(0.05, 0.9)
        yield (
            f"kill -9 during index, {number + 1}",
            lambda n=number, s=share: killed_index(folder / f"i{n}", environment, s),
        )
        yield (
            f"kill -9 during generate, {number + 1}",
            lambda n=number, s=share: killed_generate(folder / f"g{n}", environment, s),
        )


def _begun(place: Path, environment: Environment) -> tuple[Environment, Path, subprocess.Popen[bytes]]:
    """A run in a folder of its own, once it has stored some turns (or is over): its environment, data folder, process."""
    place.mkdir()
    data = place / "data"
    env = {**environment, "KIKU_DATA_DIR": str(data)}
    run = start(env, *simulate())
    _until(lambda: turns(data) > BEGUN, run)
    return env, data, run


def vanishing(place: Path, environment: Environment, go: Callable[[Path], object]) -> str:
    """The folder goes while the run is on; a renamed one that comes back can be resumed, and nothing stored is lost."""
    env, data, run = _begun(place, environment)
    if turns(data) <= BEGUN:
        return f"the run did not begin: {ended(run)}"
    stored = turns(data)
    go(data)
    if wrong := ended(run):
        return wrong
    there = data.with_name("away")
    if not there.exists():
        return ended(start(env, "runs"))
    if data.exists():
        shutil.rmtree(data)
    there.rename(data)
    return resumed(env, data) or ("" if turns(data) >= stored else "a stored turn was lost")


def _rename(data: Path) -> None:
    data.rename(data.with_name("away"))


def locked(place: Path, environment: Environment) -> str:
    """A run that begins while another process writes waits, and is then like any other."""
    place.mkdir()
    data = place / "data"
    env = {**environment, "KIKU_DATA_DIR": str(data)}
    if wrong := ended(start(env, "runs")):
        return wrong
    with closing(sqlite3.connect(data / "kiku.db", isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        run = start(env, *simulate())
        time.sleep(LOCKED)
        if run.poll() is not None:
            return f"the run did not wait: {ended(run) or 'it is over'}"
        writer.execute("COMMIT")
    return ended(run) or resumed(env, data)


def two_resume(place: Path, environment: Environment) -> str:
    """Two processes begin at once if one was killed: one finishes, the other says so or helps; nothing is done twice."""
    env, data, run = _begun(place, environment)
    if turns(data) <= BEGUN:
        return f"the run did not begin: {ended(run)}"
    run.send_signal(signal.SIGKILL)
    run.wait()
    (name,) = column(data, "select id from runs")
    wrong = [ended(one) for one in [start(env, "resume", str(name)) for _ in range(2)]]
    twice = column(data, "select count(*) from turns group by conversation_id, number having count(*) > 1")
    return "; ".join(filter(None, wrong)) or ("a turn was taken twice" if twice else resumed(env, data))


def killed_index(place: Path, environment: Environment, share: float) -> str:
    """An index that was cut off is built by the next call, with all passages."""
    place.mkdir()
    knowledge, data = place / "knowledge", place / "data"
    documents = knowledge / "many" / "documents"
    documents.mkdir(parents=True)
    (knowledge / "many" / "bot.toml").write_text('name = "x"\nlanguage = "en"\n', "utf-8")
    for number in range(DOCUMENTS):
        parts = (f"## Part {n}\n\nItem {number}-{n} is kept for {n + 2} days.\n\n" for n in range(20))
        (documents / f"d{number}.md").write_text(f"# Document {number}\n\n{''.join(parts)}", "utf-8")
    env = {**environment, "KIKU_KNOWLEDGE_DIR": str(knowledge), "KIKU_DATA_DIR": str(data)}
    begun = time.monotonic()
    if wrong := ended(start(env, "index", "--bot", "many", "--json")):
        return wrong
    whole = time.monotonic() - begun
    first = _indexed(env)
    shutil.rmtree(data)
    cut = start(env, "index", "--bot", "many")
    time.sleep(share * whole)
    cut.send_signal(signal.SIGKILL)
    cut.wait()
    retried = _indexed(env)
    return "" if first and first == retried else f"{retried} after the kill, {first} without"


def _indexed(env: Environment) -> str:
    """What `index` says that it holds."""
    done = subprocess.run(
        _command("index", "--bot", "many", "--json"), env=env, cwd=ROOT, capture_output=True, text=True
    )
    with suppress(ValueError):
        found = json.loads(done.stdout)
        return str({name: found[name] for name in found if name in ("passages", "documents")})
    return f"status {done.returncode}: {done.stderr[-200:]}"


def killed_generate(place: Path, environment: Environment, share: float) -> str:
    """A test set that was cut off goes on where it was, and is the same as one made at once."""
    place.mkdir()
    env = {**environment, "KIKU_DATA_DIR": str(place / "data")}
    how = ("generate", "--seed-documents", SEEDS, "--count", "4", "--seed", "1", "--out")
    begun = time.monotonic()
    if wrong := ended(start(env, *how, str(place / "whole" / "set"))):
        return wrong
    whole = time.monotonic() - begun
    cut = start(env, *how, str(place / "cut" / "set"))
    time.sleep(share * whole)
    cut.send_signal(signal.SIGKILL)
    cut.wait()
    if wrong := ended(start(env, *how, str(place / "cut" / "set"))):
        return wrong
    return _difference(dircmp(place / "whole", place / "cut"))


def _difference(both: dircmp[str]) -> str:
    """The first file that is in one folder alone, or differs."""
    changed = [
        name for name in both.diff_files if name != "manifest.json" or _undated(both.left) != _undated(both.right)
    ]
    odd = [name for name in (*both.left_only, *both.right_only, *changed) if not name.endswith(".lock")]
    return f"{odd[0]} differs" if odd else next(filter(None, map(_difference, both.subdirs.values())), "")


def _undated(folder: str) -> object:
    """What the manifest of a test set says, without when it was made."""

    def without(found: Any) -> Any:
        if isinstance(found, dict):
            return {name: without(one) for name, one in found.items() if name not in ("at", "seconds")}
        return [without(one) for one in found] if isinstance(found, list) else found

    return without(json.loads((Path(folder) / "manifest.json").read_text("utf-8")))


def simulate() -> tuple[str, ...]:
    return ("simulate", "--bot", BOT, "--limit", str(CASES), "--max-turns", "2", "--seed", "1", "--concurrency", "1")


def resumed(env: Environment, data: Path) -> str:
    """ "" if the run can be finished, and each of its conversations once."""
    (name,) = column(data, "select id from runs")
    if wrong := ended(start(env, "resume", str(name))):
        return wrong
    done = column(data, "select count(*) from conversations where status = 'done'")[0]
    return "" if done == CASES else f"{done} of {CASES} conversations are done"


def turns(data: Path) -> int:
    """How many turns are stored; 0 if there is no database yet."""
    found = column(data, "select count(*) from turns where reply_text <> ''")
    return int(str(found[0])) if found else 0


def column(data: Path, query: str) -> list[object]:
    file = data / "kiku.db"
    if not file.exists():
        return []
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as connection:
        return [row[0] for row in connection.execute(query)]
    return []


def start(env: Environment, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(_command(*command), env=dict(env), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _command(*command: str) -> list[str]:
    return [sys.executable, "-m", "core", *command]


def ended(process: subprocess.Popen[bytes]) -> str:
    """ "" if the process came to a good end."""
    try:
        out, stderr = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"not over within {LIMIT:g} s"
    last = stderr.strip().splitlines()[-1:] or [b""]
    if b"Traceback" in stderr or b"Traceback" in out:
        return f"a traceback: {last[0][-200:].decode('utf-8', 'replace')}"
    good = process.returncode in ENDS
    return "" if good else f"status {process.returncode}: {last[0][-200:].decode('utf-8', 'replace')}"


def _until(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> bool:
    end = time.monotonic() + LIMIT
    while process.poll() is None and time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False
