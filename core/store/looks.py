"""The looks at runs that are held in memory, each until something in its run changes."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import func, select

from core.store.database import Database
from core.store.lean import rows_of
from core.store.look import Look
from core.store.runs import CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.turns import of_run

KEPT = 4  # runs held in memory; each takes some megabytes at ten thousand conversations


class _Seen(NamedTuple):
    """A look, the state of its run, and the pulse of the database when that was last asked for."""

    pulse: object | None
    stamp: object
    look: Look


class Looks:
    """The looks at the runs that were looked at last; a run that has changed is looked at anew."""

    def __init__(self, db: Database) -> None:
        self._db, self._lock = db, threading.Lock()
        self._kept: dict[str, _Seen] = {}

    def at(self, run_id: str) -> Look:
        """The run as it is now; its state is not asked for again while nothing at all was written."""
        pulse = self._db.pulse()  # before the state: what is written in between shows in the next one
        known = self._kept.get(run_id)
        still = known and pulse is not None and known.pulse == pulse
        stamp = known.stamp if known and still else stamp_of(self._db, run_id)
        with self._lock:
            known = self._kept.pop(run_id, None)
            look = known.look if known and known.stamp == stamp else Look(self._db, run_id)
            self._kept[run_id] = _Seen(pulse, stamp, look)
            while len(self._kept) > KEPT:
                self._kept.pop(next(iter(self._kept)))
        return look

    def stamp(self, run_id: str) -> object:
        """What changes whenever a number of the run does."""
        self.at(run_id)
        known = self._kept.get(run_id)
        return known.stamp if known else stamp_of(self._db, run_id)


def stamp_of(db: Database, run_id: str) -> object:
    """What changes whenever the run does: its state, its conversations' states, counts and sums of scores, and the
    reasons of the turn judged last (on SQLite a verdict that gives way to one as high may leave it its id)."""
    run = select(RUNS.c.status, RUNS.c.finished_at).where(RUNS.c.id == run_id)
    mine = CONVERSATIONS.c.run_id == run_id
    states = select(CONVERSATIONS.c.status, func.count()).where(mine).group_by(CONVERSATIONS.c.status)
    turns = select(func.count(), func.max(TURNS.c.id)).select_from(CONVERSATIONS.join(TURNS)).where(mine)
    value = SCORES.c.value
    sums = (func.count(value), func.sum(value), func.sum(value * SCORES.c.id))  # a new verdict may have an old one's id
    scores = of_run(select(func.count(), func.max(SCORES.c.id), *sums), run_id)
    found = [_sorted(rows_of(db, one)) for one in (run, states, turns, scores)]
    last = select(SCORES.c.turn_id).where(SCORES.c.id == found[-1][0][1]).scalar_subquery()
    newest = select(SCORES.c.id, SCORES.c.reasons).where(SCORES.c.turn_id == last)
    return (*found, _sorted(rows_of(db, newest)))


def _sorted(rows: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(sorted((tuple(row) for row in rows), key=str))
