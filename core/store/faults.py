"""Reading what was found wrong with the simulated users of a run: those verdicts alone, since the others hold no text."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
from sqlalchemy import Connection, distinct, func, select

from core.store.database import Database
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.scores import over_repeats

JUDGE = "simulated_user"
FAULT_COLUMNS = ("conversation", "number", "turn", "judge", "version", "criterion", "value", "label", "reasons")
_SCORE = ("judge", "version", "criterion", "value", "label", "reasons")


class FaultTables:
    """The part of the store that reads the faults of simulated users."""

    db: Database

    @lasting
    def user_faults(self, run_id: str, version: str = "") -> pd.DataFrame:
        """The turns in which the `simulated_user` judge found a fault, one row each (FAULT_COLUMNS), by turn.

        version: of the judge; without one the newest of those that saw the most turns.
        """
        with self.db.read() as connection:
            chosen = version or _widest(connection, run_id)
            wanted = (SCORES.c.judge == JUDGE) & (SCORES.c.version == chosen)
            bad = select(SCORES.c.turn_id).where(wanted, SCORES.c.value < 1)
            rows = (
                select(CONVERSATIONS.c.id, CONVERSATIONS.c.number, TURNS.c.number, *(SCORES.c[name] for name in _SCORE))
                .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
                .where(CONVERSATIONS.c.run_id == run_id, wanted, TURNS.c.id.in_(bad))
                .order_by(CONVERSATIONS.c.number, TURNS.c.number, SCORES.c.id)
            )
            found = [tuple(row) for row in connection.execute(rows)]
        table = cast(Any, pd.DataFrame)(found, columns=list(FAULT_COLUMNS))
        return cast(pd.DataFrame, over_repeats(table.astype({"value": "float64"})))


def _widest(connection: Connection, run_id: str) -> str:
    """The judge's version that saw the most turns, the newest of equals; "" where it saw none."""
    seen = func.count(distinct(SCORES.c.turn_id))
    wanted = (
        select(SCORES.c.version)
        .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
        .where(CONVERSATIONS.c.run_id == run_id, SCORES.c.judge == JUDGE)
        .group_by(SCORES.c.version)
        .order_by(seen.desc(), func.max(SCORES.c.id).desc())
        .limit(1)
    )
    return str(connection.execute(wanted).scalar() or "")
