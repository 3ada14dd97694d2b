"""How the database keeps calls, and finds them: by its indexes, without a look at their messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from core.base.calls import Call
from core.base.errors import BadInput
from core.store.calls import Grouping
from core.store.store import Store

GROUPS: tuple[Grouping, ...] = ("role", "purpose", "model", "server", "run_id")


def test_sums_and_lists_of_failed_calls_do_not_read_the_messages(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'kiku.db'}")
    asked: list[tuple[str, Any]] = []
    event.listen(
        store.db.engine, "before_cursor_execute", lambda *shown_text: asked.append((shown_text[2], shown_text[3]))
    )  # statement, values
    for column in GROUPS:
        store.calls.spending_by(column)
        store.calls.spending_by(column, "r1")
    store.calls.spending("r1")
    store.calls.run_ids()
    for sql, parameters in [one for one in asked if one[0].startswith("SELECT")]:
        plans = plan(store, sql, parameters)
        assert plans and all("COVERING INDEX" in step for step in plans if "calls" in step), (sql, plans)
    asked.clear()
    store.calls.newest(failed=True)
    store.calls.newest("r1", failed=True)
    store.calls.newest("r1", role="judge", failed=True)
    for sql, parameters in [one for one in asked if one[0].startswith("SELECT")]:
        assert any("failed" in step for step in plan(store, sql, parameters)), sql


def plan(store: Store, sql: str, parameters: Any) -> list[str]:
    """How the database would go about a query."""
    with store.db.engine.connect() as connection:
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", parameters)]


def call(**changes: Any) -> Call:
    shown_text: dict[str, Any] = {
        "purpose": "Rewrite",
        "role": "bot",
        "server": "http://here/v1",
        "model": "m",
        "output_mode": "text",
    }
    at = datetime(2026, 3, 1, 9, 0, 0, 250, UTC)
    return Call(
        **{**shown_text, "created_at": at, "key": "k1", "request": '{"a": "\x00é🙂"}', "reply": "{}", **changes}
    )


ODD = (
    {},
    {"cost": 0.25, "prompt_tokens": 7, "completion_tokens": 0, "cached_tokens": 3, "seconds": 1.5, "retries": 2},
    {
        "created_at": datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=9))),
        "error": "no",
        "run_id": "r",
        "repeat": 3,
    },
)


@pytest.mark.parametrize("changes", ODD)
def test_a_call_comes_back_as_it_was(changes: dict[str, Any], store: Store) -> None:
    stored = store.calls.add(call(**changes))
    assert store.calls.get(stored) == call(**changes, id=stored) or changes is ODD[2]


def test_the_newest_call_with_a_usable_reply_is_found(store: Store) -> None:
    for changes in ({"reply": "old"}, {"reply": "new"}, {"reply": "bad", "error": "no"}, {"key": "k2", "error": "no"}):
        store.calls.add(call(**changes))
    known = (store.calls.usable(key) for key in ("k1", "k2", "k3"))
    assert [one.reply if one else "none" for one in known] == ["new", "none", "none"]


def test_a_call_that_is_not_stored_is_never_said_to_be(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'kiku.db'}")
    with store.db.write() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER full BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    with pytest.raises(BadInput, match="Free some space"):
        store.calls.add(call())
    with store.db.write() as connection:
        connection.exec_driver_sql("DROP TRIGGER full")
    assert store.calls.add(call()) == 1 and len(store.calls.newest()) == 1
