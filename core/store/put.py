"""Putting a row in the place of an earlier one, whoever else does the same at the moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def put(connection: Connection, table: Table, row: Mapping[str, Any], unique: Sequence[str]) -> None:
    """Insert a row, or let it replace the one that has the same values in `unique` (a constraint of the table)."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    changed = {name: value for name, value in row.items() if name not in unique}
    connection.execute(insert(table).values(dict(row)).on_conflict_do_update(index_elements=unique, set_=changed))
