"""The conversations of a run without what was said: for comparisons of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from sqlalchemy import false, func, or_, select

from core.store.database import Database
from core.store.lasting import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS

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

    @lasting
    def conversation_means(self, run_id: str, versions: Mapping[str, str]) -> pd.DataFrame:
        """One row per conversation, judge and criterion, as they were given: the mean over scored turns, NaN without any.

        versions: which one of each judge; other judges are left out. Repeated verdicts on a turn count as their mean.
        """
        of = (TURNS.c.conversation_id.label("conversation"), SCORES.c.judge, SCORES.c.criterion)
        ours = [(SCORES.c.judge == judge) & (SCORES.c.version == version) for judge, version in versions.items()]
        each = (
            select(*of, func.avg(SCORES.c.value).label("value"), func.min(SCORES.c.id).label("first"))
            .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
            .where(CONVERSATIONS.c.run_id == run_id, or_(false(), *ours))
            .group_by(SCORES.c.turn_id, *of)
        ).subquery()
        keys = (each.c.conversation, each.c.judge, each.c.criterion)
        wanted = select(*keys, func.avg(each.c.value)).group_by(*keys).order_by(func.min(each.c.first))
        with self.db.read() as connection:
            rows = [tuple(row) for row in connection.execute(wanted)]
        table = frames.DataFrame(rows, columns=["conversation", "judge", "criterion", "value"])
        return table.astype({"value": "float64"})
