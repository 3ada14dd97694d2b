"""What is damaged in the results database, and what of it can still be read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import inspect, select
from sqlalchemy.exc import SQLAlchemyError

from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.store.database import Database
from core.store.schema import METADATA, RUNS

MAX_DAMAGES = 20  # damages that SQLite lists


class Damage(NamedTuple):
    """What is wrong, as sentences, and which runs can and cannot be read as a whole, by id."""

    found: tuple[str, ...]
    readable: tuple[str, ...]
    unreadable: tuple[str, ...]


def check_file(file: Path) -> list[str]:
    """What SQLite says of a file's pages and keys, and the tables that it lacks; empty if all is well."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as connection:
            messages = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_DAMAGES})")]
            keys = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_DAMAGES)
            tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        return [" ".join(str(error).split())]
    problems = [line for part in messages for line in part.splitlines() if line != "ok"]
    problems += [
        f"a row of the table {table} refers to one of {parent} that is missing" for table, _, parent, _ in keys
    ]
    return [*problems, *(f"the table {name} is missing" for name in METADATA.tables if name not in tables)]


def check_database(db: Database, read_run: Callable[[str], object]) -> Damage:
    """The damages of a database; `read_run` reads all of one run, and raises if something of it cannot be read.

    Of a database server only its tables and what can be read are checked, not the files in which it keeps them.
    """
    file = db.engine.url.database if db.embedded else None
    problems = check_file(Path(file)) if file else []
    try:
        if not db.embedded:
            tables = set(inspect(db.engine).get_table_names())
            problems = [f"the table {name} is missing" for name in METADATA.tables if name not in tables]
        ids = db.column(select(RUNS.c.id))
    except (SQLAlchemyError, BadInput, ValueError) as error:
        return Damage((*problems, f"the list of runs cannot be read ({_line(error)})"), (), ())
    readable: list[str] = []
    unreadable: list[str] = []
    for run_id in ids:
        try:
            read_run(run_id)
            readable.append(run_id)
        except Exception as error:  # whatever a damaged record makes of itself
            problems.append(f"run {run_id}: {_line(error)}")
            unreadable.append(run_id)
    return Damage(tuple(problems), tuple(readable), tuple(unreadable))


def _line(error: Any) -> str:
    if isinstance(error, ValidationError):
        return str(field_fault(error, f"{error.title} "))[:200]
    return " ".join(str(getattr(error, "orig", error)).split())[:200] or type(error).__name__
