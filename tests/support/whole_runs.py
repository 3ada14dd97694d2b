"""Runs that are carried out from their plan to their end."""

from __future__ import annotations

from core.base.prompt import Engine
from core.base.types import Bot
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store


def carry_out(store: Store, indexes: Indexes, bot: Bot, engine: Engine, plan: Plan) -> str:
    """Carry out a plan within 50 seconds; returns the run's id."""
    runner = Runner(store, indexes, engine)
    try:
        run_id = runner.start(plan)
        assert runner.wait(run_id, 50)
    finally:
        runner.close()
    return run_id
