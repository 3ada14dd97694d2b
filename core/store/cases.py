"""The conversations of a run without what was said: for comparisons of many."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sqlalchemy import select

from core.store.database import Database
from core.store.lasting import lasting
from core.store.runs import CONVERSATIONS

_CASE = {
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
    "status": CONVERSATIONS.c.status,
    "error": CONVERSATIONS.c.error,
}
frames: Any = pd  # typed too loosely to be checked


class CaseTables:
    """The part of the store that lists cases."""

    db: Database

    @lasting
    def cases(self, run_id: str) -> pd.DataFrame:
        """One row per conversation of a run, by number: who, about what, how it ended (`core.report.compare`)."""
        wanted = (
            select(*(column.label(name) for name, column in _CASE.items()))
            .where(CONVERSATIONS.c.run_id == run_id)
            .order_by(CONVERSATIONS.c.number)
        )
        with self.db.read() as connection:
            rows = [tuple(row) for row in connection.execute(wanted)]
        return frames.DataFrame(rows, columns=list(_CASE))
