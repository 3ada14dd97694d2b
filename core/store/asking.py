"""Reading what the clarify scorecard needs of a run: who asked what, what the bot thought of it, and what it did."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import pandas as pd
from sqlalchemy import case, func, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import JSONB

from core.base.heap import building
from core.store.database import Database
from core.store.lean import rows_of
from core.store.runs import CASE, CONVERSATIONS, TURNS
from core.store.spans import texts_of
from core.store.text_columns import bare

_OF_TALK = (*CASE, "needs_asking", "facts", "closing")
_OF_TURN = ("turn", "decision", "user_text", "reply_text")
ASKING_COLUMNS = (*_OF_TALK, *_OF_TURN, "assessment", "choices")
NUL = r"\u0000"  # a NUL character in JSON, which PostgreSQL's functions refuse


class AskingTables:
    """The part of the store that reads how a bot asked back."""

    db: Database

    def asking_frame(self, run_id: str) -> pd.DataFrame:
        """One row per turn that the bot took, by conversation and turn (ASKING_COLUMNS).

        needs_asking: True, False or none; decision: "ask", "search", or "" where the bot does not tell; assessment: the
        scores and texts as a dict (equal ones are one object), none where there is no such thing; choices: what a
        question back offered.
        """
        with building():
            return self._asking_frame(run_id)

    def _asking_frame(self, run_id: str) -> pd.DataFrame:
        of_run = select(TURNS.c.id).select_from(CONVERSATIONS.join(TURNS)).where(CONVERSATIONS.c.run_id == run_id)
        about, mine = self._talks_asked(run_id), {int(row[0]) for row in rows_of(self.db, of_run)}
        columns = ("conversation_id", "number", "decision", "user_text", "reply_text", *_parts(self.db))
        took = [row for row in texts_of(self.db, mine, *columns) if row[0] in mine and row[-1] and row[1] in about]
        took.sort(key=lambda row: (about[row[1]][1], row[2]))
        read = cache(_read)  # a large run has few different assessments
        parts = [read(row[-2]) if isinstance(row[-2], str) else _told(row[-2]) for row in took]
        talks = list(zip(*(about[row[1]] for row in took), strict=True)) or [()] * len(_OF_TALK)
        turns = list(zip(*(row[2:6] for row in took), strict=True)) or [()] * len(_OF_TURN)
        found = dict(zip((*_OF_TALK, *_OF_TURN), (*talks, *turns), strict=True))
        found |= {"assessment": [one for one, _ in parts], "choices": [one for _, one in parts]}
        return cast(pd.DataFrame, cast(Any, pd.DataFrame)({name: list(found[name]) for name in ASKING_COLUMNS}))

    def _talks_asked(self, run_id: str) -> dict[str, tuple[Any, ...]]:
        """What is the same in all turns of a conversation (_OF_TALK), by its id."""
        dialect, c = self.db.engine.dialect.name, CONVERSATIONS.c
        columns = (bare(column, dialect) for column in (*CASE.values(), c.scenario, c.closing))
        read = cache(json.loads)  # a scenario is asked by several people
        rows = rows_of(self.db, select(*columns).where(c.run_id == run_id))
        return {str(row[0]): _about(tuple(row), read) for row in rows}


def _parts(db: Database) -> tuple[Any, Any]:
    """Assessment and choices out of a turn's record, as a JSON list of two; and whether there is a record, which is large."""
    there = TURNS.c.record.is_not(None)
    if db.engine.dialect.name == "sqlite":
        return func.json_extract(TURNS.c.record, "$.assessment", "$.reply.choices"), there
    record = sql_cast(TURNS.c.record, JSONB)
    parts = func.jsonb_build_array(record["assessment"], record["reply"]["choices"])
    odd = func.strpos(TURNS.c.record, NUL) > 0
    return case((odd, func.to_jsonb(TURNS.c.record)), else_=parts), there  # an odd record comes whole, as a text


def _about(row: tuple[Any, ...], read: Callable[[str], Any]) -> tuple[Any, ...]:
    *about, scenario, closing = row
    sheet: dict[str, Any] = (read(scenario) if isinstance(scenario, str) else scenario) or {}
    return (*about, sheet.get("needs_asking"), sheet.get("facts") or "", closing or "")


def _read(parts: str) -> tuple[Any, tuple[str, ...]]:
    return _told(json.loads(parts))


def _told(parts: Any) -> tuple[Any, tuple[str, ...]]:
    """Assessment and choices, also out of a whole record."""
    if isinstance(parts, dict):
        record = cast(dict[str, Any], parts)
        parts = record.get("assessment"), record["reply"].get("choices")
    return parts[0], tuple(parts[1] or ())
