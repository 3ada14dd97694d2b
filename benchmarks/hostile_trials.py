"""Hostile inputs and faults, each in a process of its own: which end with a sound result or one clear sentence.

    python -m benchmarks.hostile_trials [--only GROUP] [--kills N]

A trial survives if the command ends within LIMIT seconds with a status of docs/command-line.md, and with no traceback.
--kills N: `kill_trials` with N kills afterwards (on a quiet machine; 100 take about twenty minutes).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.hostile_files import DATA_PLACES, file_trials, size_trials
from benchmarks.hostile_processes import process_trials
from core.base.settings import ROOT

LIMIT = 60.0  # seconds
ENDS = (0, 1, 2, 3)
BOT = "hinata"
LONGEST_ERROR = 20_000  # bytes of what is said about an error
SIZE = 30_000  # characters of a hostile text
RUNS = (
    "1",
    "1.",
    "1,",
    "1/2/",
    " ",
    "\n",
    '"',
    "「",
    "(",
    "[",
    "[1]",
    "あ",
    "ー",
    "一",
    "😀",
    "a ",
    "**a ",
    "# a\n",
    "- ",
    "| ",
)


class Trial(NamedTuple):
    """A command, what it reads, and what is done to the data folder before."""

    name: str
    command: tuple[str | bytes, ...]
    prepare: Callable[[Path], object] = lambda folder: None


def text_trials(folder: Path) -> Iterator[Trial]:
    """Long runs of one sign in a question, an answer, a reference and a passage."""
    for place, unit in enumerate(RUNS):
        text = (unit * (SIZE // len(unit)))[:SIZE]
        file = folder / f"answers-{place}.jsonl"
        row = {"id": 1, "question": text, "answer": text, "reference": f"{text}x", "contexts": [text]}
        file.write_text(json.dumps(row) + "\n", "utf-8")
        judges = ("turn", "correctness", "groundedness", "relevance")
        yield Trial(f"judges on {unit!r} × {SIZE:,}", ("judge", *judges, "--in", str(file), "--out", "-"))
        yield Trial(f"ask {unit!r} × 8,000", ("ask", text[:8_000] or "x", "--bot", BOT))


def table_trials(folder: Path) -> Iterator[Trial]:
    """Tables of too many columns, cells and bytes."""
    tables = {
        "equal.csv": b"question," * 20_000 + b"\nq,\n",
        "quotes.csv": b'question,answer\n"' + b'"a' * 100_000,
        "deep.jsonl": b"[" * 100_000,
        "digits.jsonl": b'{"question": ' + b"9" * 6_000 + b"}",
        "bomb.xlsx": _bomb(300),
    }
    for name, data in tables.items():
        (folder / name).write_bytes(data)
        yield Trial(name, ("judge", "turn", "--in", str(folder / name), "--out", "-"))


def _bomb(megabytes: int) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as packed, packed.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(megabytes):
            part.write(b" " * 1_000_000)
    return out.getvalue()


def document_trials(folder: Path) -> Iterator[Trial]:
    """A bot with one hostile document."""
    documents = {
        "headings": "".join(f"# 見出し{n}\n\n本文{n}\n\n" for n in range(20_000)),
        "emphasis": "**休暇* " * 20_000,
        "nested": "".join(" " * (2 * n) + "- 休暇\n" for n in range(1_000)),
        "columns": "|" + "休暇|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + ("|" + "1|" * 2_000 + "\n") * 5,
        "backticks": "".join("`" * (n % 50 + 1) + "休暇" for n in range(20_000)),
    }
    for name, text in documents.items():
        file = folder / "knowledge" / name / "documents" / "d.md"
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")
        (file.parents[1] / "bot.toml").write_text('name = "x"\nlanguage = "ja"\n', "utf-8")
        yield Trial(f"a document of {name}", ("ask", "休暇の期限は?", "--bot", name))


def argument_trials(folder: Path) -> Iterator[Trial]:
    """Arguments and files that lead nowhere."""
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    rows = folder / "rows.jsonl"
    rows.write_text('{"id": 1, "text": "休暇"}\n', "utf-8")
    history = folder / "history.jsonl"
    turns = ({"role": "assistant" if n % 2 else "user", "text": f"休暇{n}"} for n in range(1_000))
    history.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
    number = folder / "knowledge" / "number"
    number.mkdir(parents=True)
    (number / "bot.toml").write_text(f'name = "x"\nlanguage = "ja"\nbig = {"9" * 6_000}\n', "utf-8")
    yield Trial("ask in another encoding", ("ask", b"abc\xff", "--bot", BOT))
    yield Trial("resume in another encoding", ("resume", b"\xff"))
    yield Trial("a loop of links", ("assess", "--in", str(rows), "--out", str(folder / "a")))
    yield Trial("a history of 1,000 turns", ("ask", "期限は?", "--bot", BOT, "--history", str(history)))
    yield Trial("a number of 6,000 digits", ("ask", "q", "--bot", "number"))


def database_trials() -> Iterator[Trial]:
    """A damaged database."""
    damages: dict[str, Callable[[Path], object]] = {
        "a missing table": lambda file: _change(file, "PRAGMA foreign_keys=OFF", "DROP TABLE scores"),
        "a broken record": lambda file: _change(file, "UPDATE runs SET plan = '{'"),
        "flipped pages": _flip,
        "no database": lambda file: file.write_bytes(b"no database" * 1_000),
    }
    for name, damage in damages.items():
        for command in (("runs",), ("check",)):
            yield Trial(f"{command[0]} on {name}", command, damage)


def _change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def _flip(file: Path) -> None:
    _change(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(file.read_bytes())
    for place in range(8_192, len(data), 3 * 4_096):
        data[place : place + 512] = b"\xff" * 512
    file.write_bytes(data)


def file_and_size_trials(folder: Path) -> Iterator[Trial]:
    """Files of the wrong kind and with hostile content; rows and tables of very many parts."""
    small = folder / "knowledge" / "small"
    (small / "documents").mkdir(parents=True)
    (small / "bot.toml").write_text('name = "x"\nlanguage = "ja"\n', "utf-8")
    (small / "documents" / "d.md").write_text("# 休暇\n\n休暇の期限は5日です。\n", "utf-8")
    (small / "questions.csv").write_text("question\n休暇の期限は？\n", "utf-8")
    for name, command, prepare in file_trials(folder, small):
        yield Trial(name, command, prepare)
    for name, command in size_trials(folder):
        yield Trial(name, command)


def place_trials() -> Iterator[tuple[Trial, dict[str, str]]]:
    """Settings that lead nowhere, and the environment that has them."""
    for setting in ("KIKU_DATA_DIR", "KIKU_KNOWLEDGE_DIR"):
        for value in ("~nobody-of-that-name/x", "x" * 5_000, "/dev/null", "/proc/1/x"):
            yield Trial(f"{setting} is {value[:30]!r}", ("runs",)), {setting: value}
            yield Trial(f"{setting} is {value[:30]!r}, ask", ("ask", "q", "--bot", BOT)), {setting: value}


def full_output_trials() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Commands whose output is full."""
    for command in (("--help",), ("ask", "--help"), ("runs",), ("ask", "休暇の期限は？", "--bot", BOT)):
        yield f"{' '.join(command)} > /dev/full", command


def ended(trial: Trial, environment: dict[str, str], full: bool = False) -> str:
    """ "" if the trial survived, else what went wrong; full: nothing can be written to its output."""
    command = [sys.executable.encode(), b"-m", b"core"]
    command += [part if isinstance(part, bytes) else part.encode() for part in trial.command]
    try:
        with open("/dev/full" if full else os.devnull, "wb") as nowhere:
            out = nowhere if full else subprocess.PIPE
            piped = subprocess.PIPE
            done = subprocess.run(command, env=environment, cwd=ROOT, stdout=out, stderr=piped, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"not over within {LIMIT:g} s"
    if b"Traceback" in done.stderr or b"Traceback" in (done.stdout or b""):
        return "a traceback"
    if full and not done.returncode:
        return "status 0, although nothing could be written"
    if len(done.stderr) > LONGEST_ERROR:
        return f"{len(done.stderr):,} bytes on standard error"
    return (
        "" if done.returncode in ENDS else f"status {done.returncode}: {done.stderr[-200:].decode('utf-8', 'replace')}"
    )


def main(kills: int, only: str) -> int:
    """The number of trials that did not survive; only: of the groups whose name begins so."""
    lost: list[str] = []
    tried = 0

    def tell(name: str, wrong: str, begun: float) -> None:
        nonlocal tried
        tried += 1
        lost.extend([name] if wrong else [])
        print(f"{'LOST' if wrong else 'ok':<5}{time.monotonic() - begun:6.1f} s  {name}  {wrong}", flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "knowledge", folder / "knowledge")
        environment = {
            **os.environ,
            "KIKU_KNOWLEDGE_DIR": str(folder / "knowledge"),
            "KIKU_DATA_DIR": str(folder / "data"),
        }
        first = Trial("a run", ("simulate", "--bot", BOT, "--limit", "1", "--max-turns", "1"))
        assert not ended(first, environment), "nothing works"
        whole = (folder / "data" / "kiku.db").read_bytes()
        groups = {
            "texts": text_trials(folder),
            "tables": table_trials(folder),
            "documents": document_trials(folder),
            "arguments": argument_trials(folder),
            "database": database_trials(),
            "files": file_and_size_trials(folder),
        }
        for trial in (one for group, trials in groups.items() if group.startswith(only) for one in trials):
            _clear(folder / "data", whole)
            trial.prepare(folder / "data" / "kiku.db")
            begun = time.monotonic()
            tell(trial.name, ended(trial, environment), begun)
        _clear(folder / "data", whole)
        for trial, changed in place_trials() if "places".startswith(only) else ():
            begun = time.monotonic()
            tell(trial.name, ended(trial, {**environment, **changed}), begun)
        for what, command in full_output_trials() if "outputs".startswith(only) else ():
            begun = time.monotonic()
            tell(what, ended(Trial(what, command), environment, full=True), begun)
        for what, go in process_trials(folder, environment) if "processes".startswith(only) else ():
            begun = time.monotonic()
            tell(what, go(), begun)
    print(f"tried {tried}, survived {tried - len(lost)}")
    if kills:
        subprocess.run([sys.executable, "-m", "benchmarks.kill_trials", str(kills)], cwd=ROOT, check=True)
    return len(lost)


def _clear(data: Path, whole: bytes) -> None:
    """The data folder as it was after the first run; what trials put there is taken away."""
    for name in ("kiku.db", "kiku.db-wal", "kiku.db-shm", *DATA_PLACES, "errors.log.1"):
        file = data / name
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        file.unlink(missing_ok=True)
    (data / "kiku.db").write_bytes(whole)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=0)
    options.add_argument(
        "--only", default="", help="texts, tables, documents, arguments, database, files, places, outputs or processes"
    )
    arguments = options.parse_args()
    sys.exit(min(main(arguments.kills, arguments.only), 1))
