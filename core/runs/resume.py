"""Going on with a run where it stopped: its job is restored from what is stored of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.runs.active_run import ActiveRun
from core.runs.plan import Case, Plan, plan_of
from core.runs.snapshot import case_of, changed_parts, personas_of, take_snapshot
from core.store.rows import ENDED, RunRow
from core.store.store import Store


class Takeover(NamedTuple):
    """How a run goes on: on which engine, under which owner, with which limits in place of the plan's."""

    engine: Engine
    owner: str
    budget: float | None = None
    budget_calls: int | None = None
    retry_failed: bool = False


class ResumedRun(NamedTuple):
    """A run that goes on: how many conversations are left, and what is not as it was when the run began, by name."""

    conversations: int
    changed: tuple[str, ...] = ()

    @property
    def warning(self) -> str:
        """What has changed, as a sentence; empty if nothing has, or if nothing is left to do."""
        if not self.changed or not self.conversations:
            return ""
        return f"Changed since the run started: {', '.join(self.changed)}. The rest of the run uses the current ones."


def restore_run(
    store: Store, run_id: str, takeover: Takeover, knowledge: Path | None = None
) -> tuple[ActiveRun, ResumedRun]:
    """The run with the conversations that are left, and what to say about it.

    Raises BadInput for an unknown run, a judged file, and a bot or judge that is gone.
    """
    row = store.runs.require(run_id)
    plan = _plan(row, takeover)
    bot = load_bot(plan.bot, knowledge)
    spent = store.calls.spending(run_id)
    budget = Budget(plan.budget, plan.budget_calls, spent.cost, spent.calls)
    cases = _cases_left(store, run_id, takeover.retry_failed)
    run = ActiveRun(run_id, plan, bot, cases, takeover.engine, budget, takeover.owner)
    now = take_snapshot(plan, bot, cases, takeover.engine, run.versions)
    return run, ResumedRun(len(cases), changed_parts(store.runs.snapshot(run_id), now))


def still_running(run_id: str) -> BadInput:
    """The error if somebody works on the run."""
    return BadInput(f"{run_id} is still running. Wait until it is done, or stop it.", "run_under_way", id=run_id)


def _plan(run: RunRow, takeover: Takeover) -> Plan:
    if run.is_answer_file:
        message = f"{run.id} cannot be resumed, since its answers come from a file. Use judge-run to score it further."
        raise BadInput(message, "not_resumable", id=run.id)
    limits = {"budget": takeover.budget, "budget_calls": takeover.budget_calls}
    return plan_of(run).model_copy(update={name: value for name, value in limits.items() if value is not None})


def _cases_left(store: Store, run_id: str, retry_failed: bool) -> list[Case]:
    """The conversations that are not over, as they were planned."""
    personas = personas_of(store, run_id)
    over = ("done",) if retry_failed else ENDED
    return [case_of(row, personas) for row in store.conversations.of_run(run_id) if row.status not in over]
