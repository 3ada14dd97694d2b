"""What the clarification page needs of a run: who asked what, what the bot thought of it, and what it did."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import pandas as pd
from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import JSONB

from core.store.database import Database
from core.store.run_tables import CONVERSATION_COLUMNS
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
    names = ("number", "decision", "user_text", "reply_text")
    columns = (
        *CONVERSATION_COLUMNS.values(),
        _C.scenario,
        _C.closing,
        *(TURNS.c[name] for name in names),
        _thought(db),
    )
    of_run = select(*columns).join_from(CONVERSATIONS, TURNS).where(_C.run_id == run_id, TURNS.c.record.is_not(None))
    read = cache(_as_thought)  # a large run has few different assessments
    table: list[tuple[Any, ...]] = []
    rows: Sequence[Any] = db.rows(of_run.order_by(_C.number, TURNS.c.number))
    for *about, scenario, closing, turn, decision, user_text, reply_text, thought in rows:
        sheet = (scenario["needs_asking"], scenario["facts"], closing)
        stored = read(thought) if isinstance(thought, str) else _as_thought(thought)
        table.append((*about, *sheet, turn, decision, user_text, reply_text, *stored))
    return pd.DataFrame({name: [row[at] for row in table] for at, name in enumerate(CLARIFICATION_COLUMNS)})


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
