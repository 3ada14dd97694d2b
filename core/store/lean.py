"""Queries whose rows stay as the driver gives them, or become numbers at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select

from core.store.database import Database
from core.store.retry import lasting


@lasting
def rows_of(db: Database, wanted: Select[*tuple[Any, ...]]) -> Sequence[Any]:
    """All rows of a query."""
    with db.read() as connection:
        return connection.execute(wanted).fetchall()


@lasting
def numbers_of(db: Database, wanted: Select[*tuple[Any, ...]], width: int) -> Any:
    """Rows of so many numbers as one array, NaN where there is none; no object is made for a row."""
    with db.read() as connection:
        cursor: Any = connection.execute(wanted).cursor
        return np.fromiter(cursor, dtype=np.dtype(("float64", (width,))))
