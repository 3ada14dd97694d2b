"""What the clarification page needs of a run: who asked what, what the bot thought of it, and what it did."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import pandas as pd
from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import JSONB

from core.store.column_types import bare
from core.store.conversations import iterate_turns
from core.store.database import Database
from core.store.run_queries import CONVERSATION_COLUMNS
from core.store.schema import CONVERSATIONS, TURNS

_OF_CONVERSATION = (*CONVERSATION_COLUMNS, "needs_asking", "facts", "closing")
_OF_TURN = ("turn", "decision", "user_text", "reply_text")
CLARIFICATION_COLUMNS = (*_OF_CONVERSATION, *_OF_TURN, "assessment", "choices")
NUL = r"\u0000"  # a NUL character in JSON, which PostgreSQL's functions refuse
_C = CONVERSATIONS.c


class StoredAssessment(NamedTuple):
    """What the bot thought of a message (scores and texts; None if it does not say), and the choices it offered."""

    assessment: dict[str, Any] | None
    choices: tuple[str, ...]


def read_clarification(db: Database, run_id: str) -> pd.DataFrame:
    """One row per turn that the bot took, by conversation and turn (CLARIFICATION_COLUMNS).

    needs_asking: True, False or none; decision: "ask", "search", or "" if the bot does not say; assessment: the scores
    and texts as a dict (equal ones are one object), None if there is no such thing; choices: what a clarifying question
    offered.
    """
    of_run = select(TURNS.c.id).select_from(CONVERSATIONS.join(TURNS)).where(_C.run_id == run_id)
    about, of_run_ids = _conversations(db, run_id), set(db.column(of_run))
    names = ("conversation_id", "number", "decision", "user_text", "reply_text")
    read_turns = iterate_turns(db, of_run_ids, *names, _thought(db), TURNS.c.record.is_not(None))
    rows = [row for row in read_turns if row[0] in of_run_ids and row[-1] and row[1] in about]
    rows.sort(key=lambda row: (about[row[1]][1], row[2]))
    read = cache(_as_thought)  # a large run has few different assessments
    thoughts = [(read if isinstance(row[-2], str) else _as_thought)(row[-2]) for row in rows]
    table = [(*about[row[1]], *row[2:6], *thought) for row, thought in zip(rows, thoughts, strict=True)]
    return pd.DataFrame({name: [row[at] for row in table] for at, name in enumerate(CLARIFICATION_COLUMNS)})


def _conversations(db: Database, run_id: str) -> dict[str, tuple[Any, ...]]:
    """What is the same in all turns of a conversation (_OF_CONVERSATION), by its id."""
    columns = (bare(column, db.dialect) for column in (*CONVERSATION_COLUMNS.values(), _C.scenario, _C.closing))
    read = cache(json.loads)  # a scenario is asked by several people
    return {str(row[0]): _about(tuple(row), read) for row in db.rows(select(*columns).where(_C.run_id == run_id))}


def _about(row: tuple[Any, ...], read: Callable[[str], Any]) -> tuple[Any, ...]:
    *about, scenario, closing = row
    sheet: dict[str, Any] = (read(scenario) if isinstance(scenario, str) else scenario) or {}
    return (*about, sheet.get("needs_asking"), sheet.get("facts") or "", closing or "")


def _thought(db: Database) -> ColumnElement[Any]:
    """Assessment and choices out of a turn's record, which is large, as a JSON list of two."""
    if db.embedded:
        return func.json_extract(TURNS.c.record, "$.assessment", "$.reply.choices")
    record = sql_cast(TURNS.c.record, JSONB)
    parts = func.jsonb_build_array(record["assessment"], record["reply"]["choices"])
    odd = func.strpos(TURNS.c.record, NUL) > 0
    return case((odd, func.to_jsonb(TURNS.c.record)), else_=parts)  # an odd record comes whole, as a text


def _as_thought(parts: Any) -> StoredAssessment:
    """Assessment and choices, also out of a whole record; JSON, maybe as its text."""
    parts = json.loads(parts) if isinstance(parts, str) else parts
    if isinstance(parts, dict):
        record = cast(dict[str, Any], parts)
        return StoredAssessment(record.get("assessment"), tuple(record["reply"].get("choices") or ()))
    return StoredAssessment(parts[0], tuple(parts[1] or ()))
