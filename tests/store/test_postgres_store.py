"""On PostgreSQL the store does all that it does on SQLite: the same tests again, on a real server."""

from __future__ import annotations

from typing import Any

import pytest

from core.store.store import Store
from tests.analysis import test_clarification, test_compared_conversations, test_run_means, test_simulator_health
from tests.export import test_export_files, test_label_files
from tests.runs import test_judging_jobs, test_repeated_judging, test_replay, test_resume, test_runner
from tests.store import test_calls, test_labels, test_score_tables, test_store

MODULES = (
    *(test_score_tables, test_store, test_calls, test_resume, test_judging_jobs, test_runner, test_run_means),
    *(test_clarification, test_compared_conversations, test_export_files, test_replay, test_simulator_health),
    *(test_repeated_judging, test_labels, test_label_files),
)
OF_SQLITE = {
    "test_a_new_database_has_exactly_the_tables_that_the_code_knows",
    "test_sqlite_writes_ahead_and_checks_foreign_keys",
    "test_a_full_disk_breaks_a_run_off_and_loses_nothing",
    "test_an_end_that_cannot_be_stored_is_told_and_stored_with_a_later_heartbeat",
    "test_two_stores_on_one_file_wait_for_each_other",
}


@pytest.fixture
def store(postgres_store: Store) -> Store:
    """An empty database on the server."""
    return postgres_store


def _second() -> dict[str, Any]:
    """The fixtures of those modules, and their tests that use the store."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            fixture = type(value).__name__ == "FixtureFunctionDefinition" and name != "store"
            of_store = name.startswith("test_") and name not in OF_SQLITE and "store" in value.__code__.co_varnames
            if fixture or of_store:
                found[name if fixture else f"{name}_on_postgres"] = value
    return found


globals().update(_second())
