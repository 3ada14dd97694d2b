"""Reading what the clarify scorecard needs of a run: who asked what, what the bot thought of it, and what it did."""

from __future__ import annotations

import json
from typing import Any, cast

import pandas as pd
from sqlalchemy import Connection, case, func, select
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects.postgresql import JSONB

from core.store.database import Database
from core.store.lasting import lasting
from core.store.runs import CONVERSATIONS, TURNS

ASKING_COLUMNS = (
    *("conversation", "number", "scenario", "question", "kind", "persona", "persona_name", "repeat", "needs_asking"),
    *("facts", "closing", "turn", "decision", "user_text", "reply_text", "assessment", "choices"),
)
NUL = r"\u0000"  # a NUL character in JSON, which PostgreSQL's functions refuse
_OF_CONVERSATION = ("id", "number", "scenario_id", "question", "kind", "persona_id", "persona_name", "repeat")


class AskingTables:
    """The part of the store that reads how a bot asked back."""

    db: Database

    @lasting
    def asking_frame(self, run_id: str) -> pd.DataFrame:
        """One row per turn that the bot took, by conversation and turn (ASKING_COLUMNS).

        needs_asking: True, False or none; decision: "ask", "search", or "" where the bot does not tell; assessment: the
        scores and texts as a dict, none where there is no such thing; choices: what a question back offered.
        """
        c, t = CONVERSATIONS.c, TURNS.c
        with self.db.read() as connection:
            wanted = (
                select(
                    *(c[name] for name in _OF_CONVERSATION), c.scenario, c.closing,
                    t.number.label("turn"), t.decision, t.user_text, t.reply_text, _parts(connection),
                )
                .select_from(CONVERSATIONS.join(TURNS))
                .where(c.run_id == run_id, t.record.is_not(None))
                .order_by(c.number, t.number)
            )  # fmt: skip
            rows = [_row(tuple(row)) for row in connection.execute(wanted)]
        table = cast(Any, pd.DataFrame)(rows, columns=list(ASKING_COLUMNS))
        return cast(pd.DataFrame, table)


def _parts(connection: Connection) -> Any:
    """Assessment and choices out of a turn's record, as a JSON list of two; the rest of it is large."""
    if connection.dialect.name == "sqlite":
        return func.json_extract(TURNS.c.record, "$.assessment", "$.reply.choices")
    record = sql_cast(TURNS.c.record, JSONB)
    parts = func.jsonb_build_array(record["assessment"], record["reply"]["choices"])
    odd = func.strpos(TURNS.c.record, NUL) > 0
    return case((odd, func.to_jsonb(TURNS.c.record)), else_=parts)  # such a record comes whole, as a text


def _row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    *about, scenario, closing, turn, decision, user_text, reply_text, parts = row
    sheet: dict[str, Any] = scenario or {}
    assessment, choices = _told(json.loads(parts) if isinstance(parts, str) else parts)
    wanted = (sheet.get("needs_asking"), sheet.get("facts") or "", closing or "")
    return (*about, *wanted, turn, decision or "", user_text, reply_text, assessment, tuple(choices or ()))


def _told(parts: Any) -> Any:
    """Assessment and choices, also out of a whole record."""
    if not isinstance(parts, dict):
        return parts
    record = cast(dict[str, Any], parts)
    return record.get("assessment"), record["reply"].get("choices")
