"""How the database finds calls: by its indexes, without a look at their messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import event

from core.store.calls import Grouping
from core.store.store import Store

GROUPS: tuple[Grouping, ...] = ("role", "purpose", "model", "server", "run_id")


def test_sums_and_lists_of_failed_calls_do_not_read_the_messages(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'kiku.db'}")
    asked: list[tuple[str, Any]] = []
    event.listen(
        store.db.engine, "before_cursor_execute", lambda *told: asked.append((told[2], told[3]))
    )  # statement, values
    for column in GROUPS:
        store.spending_by(column)
        store.spending_by(column, "r1")
    store.spending("r1")
    store.runs_called()
    for sql, given in [one for one in asked if one[0].startswith("SELECT")]:
        plans = plan(store, sql, given)
        assert plans and all("COVERING INDEX" in step for step in plans if "calls" in step), (sql, plans)
    asked.clear()
    store.calls(failed=True)
    store.calls("r1", failed=True)
    store.calls("r1", role="judge", failed=True)
    for sql, given in [one for one in asked if one[0].startswith("SELECT")]:
        assert any("failed" in step for step in plan(store, sql, given)), sql


def plan(store: Store, sql: str, given: Any) -> list[str]:
    """How the database would go about a query."""
    with store.db.engine.connect() as connection:
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", given)]
