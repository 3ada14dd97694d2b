"""What each conversation writes, as single statements on SQLite's own connection: a tenth of SQLAlchemy's time.

Each is a transaction by itself, under the same conditions as the usual way (`core.store.leases`). Where one changes
nothing (the run is another's, a verdict is there already, the file takes nothing) the usual way is gone, which tells
why. So it is on any other database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from core.base.types import Score
from core.store.database import Database

_HELD = """(:owner IS NULL OR EXISTS (
    SELECT 1 FROM runs JOIN conversations AS talk ON talk.run_id = runs.id
    WHERE talk.id = {of} AND runs.owner = :owner AND runs.status = 'running'))"""
_CLAIMED = """(:claim IS NULL OR EXISTS (
    SELECT 1 FROM conversations AS talk WHERE talk.id = {of} AND talk.status = 'running' AND talk.started_at = :claim))"""
_MINE, _MY_TURN = (
    f"{_HELD} AND {_CLAIMED}".format(of=of) for of in (":of", "(SELECT conversation_id FROM turns WHERE id = :of)")
)
_BEGIN = f"""UPDATE conversations SET status = 'running', started_at = :at
    WHERE id = :of AND status IN ('waiting', iif(:again, 'running', 'waiting')) AND {_HELD.format(of=":of")}"""
_FINISH = f"""UPDATE conversations SET status = 'done', ending = :ending, closing = :closing, error = '', finished_at = :at
    WHERE id = :of AND {_MINE}"""
_VERDICT = ("judge", "version", "criterion", "value", "label", "reasons", "error")


class Whose(NamedTuple):
    """What is written into: a conversation, or a turn, by its id; its run's owner and the attempt's claim, where asked for."""

    of: str | int
    owner: str | None
    claim: datetime | None = None

    def values(self) -> dict[str, Any]:
        """The parameters of the conditions."""
        return {"of": self.of, "owner": self.owner, "claim": _moment(self.claim)}


def begin(db: Database, whose: Whose, at: datetime) -> bool:
    """Whether a waiting conversation was claimed at a moment; where `claim` is given, one under way, too."""
    again = whose.claim is not None
    return _changed(db, _BEGIN, {**whose.values(), "at": _moment(at), "again": again})[0] == 1


def finish(db: Database, whose: Whose, ending: str, closing: str, at: datetime) -> bool:
    """Whether a conversation was marked as done."""
    return _changed(db, _FINISH, {**whose.values(), "ending": ending, "closing": closing, "at": _moment(at)})[0] == 1


def new_turn(db: Database, whose: Whose, row: Mapping[str, Any]) -> int | None:
    """The id of a turn that was stored; none where it was not. row: its columns."""
    values = {**row, **whose.values(), "created_at": _moment(row["created_at"])}
    rows, turn_id = _changed(db, _inserted("turns", tuple(row)), values)
    return turn_id if rows == 1 else None


def new_scores(db: Database, whose: Whose, scores: Sequence[Score], repeat: int) -> bool:
    """Whether verdicts on a turn were stored; not where their judges have judged it before."""
    told = {f"{name}{n}": getattr(score, name) for n, score in enumerate(scores) for name in _VERDICT}
    rows, _ = _changed(db, _verdicts(len(scores)), {**told, **whose.values(), "repeat": repeat})
    return bool(scores) and rows == len(scores)


def _changed(db: Database, statement: str, values: Mapping[str, Any]) -> tuple[int, int]:
    """How many rows a statement changed, and the id of the last that it inserted; (0, 0) where it could not be done."""
    if db.embedded:
        with suppress(sqlite3.Error), db.statement(writes=True) as connection:
            done = connection.execute(statement, values)
            return int(done.rowcount), int(done.lastrowid or 0)
    return 0, 0


@lru_cache(maxsize=8)
def _inserted(table: str, columns: tuple[str, ...]) -> str:
    named = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({named}) SELECT {', '.join(f':{name}' for name in columns)} WHERE {_MINE}"


@lru_cache(maxsize=64)
def _verdicts(count: int) -> str:
    """Stores so many verdicts on a turn on which none of their judges has one."""
    rows = ", ".join(f"({', '.join(f':{name}{n}' for name in _VERDICT)})" for n in range(count))
    judges = ", ".join(f":judge{n}" for n in range(count))
    return f"""INSERT INTO scores (turn_id, {", ".join(_VERDICT)}, repeat)
        SELECT :of, told.*, :repeat FROM (VALUES {rows}) AS told
        WHERE {_MY_TURN} AND NOT EXISTS (SELECT 1 FROM scores WHERE turn_id = :of AND judge IN ({judges}))"""


def _moment(at: datetime | None) -> str | None:
    """A time in UTC as SQLite has it in its columns."""
    return at.replace(tzinfo=None).isoformat(" ", "microseconds") if at else None
