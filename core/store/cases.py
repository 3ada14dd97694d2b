"""The conversations of a run without what was said: for comparisons of many."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import pandas as pd
from sqlalchemy import select

from core.store.database import Database
from core.store.lean import rows_of
from core.store.runs import CASE, CONVERSATIONS
from core.store.text_columns import bare

_COLUMNS = {**CASE, "status": CONVERSATIONS.c.status, "error": CONVERSATIONS.c.error}
frames: Any = pd  # typed too loosely to be checked


class CaseTables:
    """The part of the store that lists cases."""

    db: Database

    def cases(self, run_id: str) -> pd.DataFrame:
        """One row per conversation of a run, by number: who, about what, how it ended (`core.analysis.compare`)."""
        columns = (bare(column, self.db.engine.dialect.name).label(name) for name, column in _COLUMNS.items())
        mine = CONVERSATIONS.c.run_id == run_id
        rows = rows_of(self.db, select(*columns).where(mine).order_by(CONVERSATIONS.c.number))
        return frames.DataFrame({name: list(map(itemgetter(at), rows)) for at, name in enumerate(_COLUMNS)})
