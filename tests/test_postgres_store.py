"""On PostgreSQL the store does all that it does on SQLite: the same tests again, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.store.store import Store
from tests import (
    test_asking,
    test_cases,
    test_export,
    test_fixing,
    test_health,
    test_look,
    test_rejudge,
    test_repeats,
    test_resume,
    test_run,
    test_store,
    test_store_calls,
    test_summary,
)

MODULES = (
    *(test_look, test_store, test_store_calls, test_resume, test_rejudge, test_run, test_summary),
    *(test_asking, test_cases, test_export, test_fixing, test_health, test_repeats),
)
OF_SQLITE = {
    "test_a_new_database_has_exactly_the_tables_that_the_code_knows",
    "test_sqlite_writes_ahead_and_checks_foreign_keys",
    "test_a_full_disk_breaks_a_run_off_and_loses_nothing",
    "test_two_stores_on_one_file_wait_for_each_other",
}


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    """An empty database on the server."""
    store = Store(postgres_url)
    yield store
    store.close()


def _again() -> dict[str, Any]:
    """The fixtures of those modules, and their tests that use the store."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            fixture = type(value).__name__ == "FixtureFunctionDefinition" and name != "store"
            of_store = name.startswith("test_") and name not in OF_SQLITE and "store" in value.__code__.co_varnames
            if fixture or of_store:
                found[name if fixture else f"{name}_on_postgres"] = value
    return found


globals().update(_again())
