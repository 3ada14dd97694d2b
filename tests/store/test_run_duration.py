"""The rest between a stop and going on counts neither as duration nor against the speed of a run."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from core.runs.rerun import rerun_plan
from core.store.database import now
from core.store.schema import CONVERSATIONS, RUNS, TURNS
from core.store.store import Store
from tests.support.stored_runs import a_conversation, a_run

HOUR = 3600.0


def moved(store: Store, hours: float, **columns: str) -> None:
    """Let what is stored have happened earlier."""
    with store.db.write() as connection:
        earlier = now() - timedelta(hours=hours)
        connection.execute(update(RUNS).values(**dict.fromkeys(columns.get("runs", "").split(), earlier)))
        connection.execute(update(TURNS).values(created_at=earlier))
        connection.execute(
            update(CONVERSATIONS).where(CONVERSATIONS.c.started_at.is_not(None)).values(started_at=earlier)
        )


def paused(store: Store) -> float:
    """The seconds that the run has rested."""
    return store.db.rows(select(RUNS.c.plan))[0].plan["paused"]


def test_a_stopped_run_that_goes_on_has_rested_meanwhile(store: Store) -> None:
    a_run(store, "r", ending="stopped", left=2)
    moved(store, 5, runs="created_at finished_at")
    assert store.runs.progress("r").seconds == pytest.approx(0, abs=1)
    plan = store.runs.get("r").plan
    assert store.leases.take_over("r", "me", plan)
    now_on = store.runs.progress("r")
    assert now_on.seconds < 60 and now_on.per_second > 2 / 60  # not two in five hours
    assert paused(store) == pytest.approx(5 * HOUR, rel=0.01)
    assert now_on.eta_seconds is not None and now_on.eta_seconds < 60


def test_pauses_add_up(store: Store) -> None:
    a_run(store, "r", ending="stopped", left=2)
    moved(store, 5, runs="created_at finished_at")
    for _ in range(2):
        assert store.leases.take_over("r", "me", store.runs.get("r").plan)
        store.runs.finish("r", "stopped")
    assert paused(store) == pytest.approx(5 * HOUR, rel=0.01)  # the second rest was none
    assert store.runs.progress("r").seconds < 60


def test_a_killed_run_ends_with_its_last_turn(store: Store) -> None:
    a_run(store, "r", ending="running", left=2)
    moved(store, 5, runs="created_at leased_until")
    assert store.leases.interrupt_orphans() == ["r"]
    assert store.runs.progress("r").seconds == pytest.approx(0, abs=1)  # not the five hours until somebody looked
    assert store.leases.take_over("r", "me", store.runs.get("r").plan)
    assert paused(store) == pytest.approx(5 * HOUR, rel=0.01)


def test_a_rerun_has_not_rested(store: Store) -> None:
    a_run(store, "r", ending="stopped", left=2)
    moved(store, 5, runs="created_at finished_at")
    assert store.leases.take_over("r", "me", store.runs.get("r").plan)
    rerun = store.runs.get("r").model_copy(
        update={"id": "r2", "plan": rerun_plan(store.runs.get("r")).model_dump(mode="json")}
    )
    store.runs.create(rerun, {}, [a_conversation("r2", 1)])
    moved(store, 1, runs="created_at")
    assert store.runs.progress("r2").seconds == pytest.approx(HOUR, rel=0.01)
