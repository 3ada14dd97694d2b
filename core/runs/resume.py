"""Resuming a run where it stopped: its job is restored from its stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.runs.plan import plan_of
from core.runs.snapshot import case_of, changed_parts, personas_of, take_snapshot
from core.runs.worker import ActiveRun
from core.store.rows import ENDED
from core.store.store import Store


class ResumedRun(NamedTuple):
    conversations: int  # that are left
    changed: tuple[str, ...] = ()  # names of the files, judges and models that have changed since the run began

    @property
    def warning(self) -> str:
        """A sentence about what has changed; "" if nothing has, or if no conversation is left."""
        if not self.changed or not self.conversations:
            return ""
        return f"Changed since the run started: {', '.join(self.changed)}. The rest of the run uses the current ones."


def restore_run(
    store: Store, run_id: str, engine: Engine, owner: str, limits: Mapping[str, float | None], retry_failed: bool
) -> tuple[ActiveRun, ResumedRun]:
    """The run with the conversations that are left, and a report about it.

    limits: budgets in place of the plan's, by their names there (None: the plan's). Raises BadInput for an unknown run, a
    judged file, and a bot or judge that is gone.
    """
    row = store.runs.require(run_id)
    if row.is_answer_file:
        message = f"{row.id} cannot be resumed, since its answers come from a file. Use judge-run to score it further."
        raise BadInput(message, "not_resumable", id=row.id)
    plan = plan_of(row).model_copy(update={name: limit for name, limit in limits.items() if limit is not None})
    bot = load_bot(plan.bot)
    spent = store.calls.spending(run_id)
    budget = Budget(plan.budget, plan.budget_calls, spent.cost, spent.calls)
    personas, ended = personas_of(store, run_id), ("done",) if retry_failed else ENDED
    cases = [case_of(row, personas) for row in store.conversations.of_run(run_id) if row.status not in ended]
    run = ActiveRun(run_id, plan, bot, cases, engine, budget, owner)
    now = take_snapshot(plan, bot, cases, engine, run.versions)
    return run, ResumedRun(len(cases), changed_parts(store.runs.snapshot(run_id), now))


def still_running(run_id: str) -> BadInput:
    """The error if a process is working on the run."""
    return BadInput(f"{run_id} is still running. Wait until it is done, or stop it.", "run_under_way", id=run_id)
