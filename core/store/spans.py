"""Texts of many turns, read in pieces by the turns' ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, select

from core.store.database import Database
from core.store.lean import rows_of
from core.store.looked import THIN
from core.store.runs import TURNS
from core.store.text_columns import bare

AT_ONCE = 5_000  # turns in one question; SQLite takes 32,766 parameters, PostgreSQL 65,535


def texts_of(db: Database, turns: Iterable[int], *columns: str | ColumnElement[Any]) -> Iterator[Any]:
    """Rows of a turn's id and these columns, by id; those that are still there, and maybe of some turns between them."""
    dialect = db.engine.dialect.name
    of = (bare(TURNS.c[one], dialect) if isinstance(one, str) else one for one in columns)
    wanted, ids = select(TURNS.c.id, *of).order_by(TURNS.c.id), sorted(set(turns))
    for start in range(0, len(ids), AT_ONCE):
        yield from rows_of(db, wanted.where(_among(ids[start : start + AT_ONCE])))


def _among(ids: Sequence[int]) -> ColumnElement[bool]:
    """One span where most of it is wanted, which is quicker than a list."""
    if ids[-1] - ids[0] < THIN * len(ids):
        return TURNS.c.id.between(ids[0], ids[-1])
    return TURNS.c.id.in_(ids)
