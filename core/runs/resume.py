"""Resuming a run where it stopped: its job is restored from its stored rows."""

from __future__ import annotations

from typing import NamedTuple

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.runs.plan import Case, Plan, plan_of
from core.runs.snapshot import case_of, changed_parts, personas_of, take_snapshot
from core.runs.worker import ActiveRun
from core.store.rows import ENDED, RunRow
from core.store.store import Store


class Takeover(NamedTuple):
    """How a run is resumed."""

    engine: Engine
    owner: str
    budget: float | None = None  # in place of the plan's
    budget_calls: int | None = None  # in place of the plan's
    retry_failed: bool = False


class ResumedRun(NamedTuple):
    """A resumed run."""

    conversations: int  # that are left
    changed: tuple[str, ...] = ()  # names of the files, judges and models that have changed since the run began

    @property
    def warning(self) -> str:
        """A sentence about what has changed; "" if nothing has, or if no conversation is left."""
        if not self.changed or not self.conversations:
            return ""
        return f"Changed since the run started: {', '.join(self.changed)}. The rest of the run uses the current ones."


def restore_run(store: Store, run_id: str, takeover: Takeover) -> tuple[ActiveRun, ResumedRun]:
    """The run with the conversations that are left, and a report about it.

    Raises BadInput for an unknown run, a judged file, and a bot or judge that is gone.
    """
    row = store.runs.require(run_id)
    plan = _plan(row, takeover)
    bot = load_bot(plan.bot)
    spent = store.calls.spending(run_id)
    budget = Budget(plan.budget, plan.budget_calls, spent.cost, spent.calls)
    cases = _cases_left(store, run_id, takeover.retry_failed)
    run = ActiveRun(run_id, plan, bot, cases, takeover.engine, budget, takeover.owner)
    now = take_snapshot(plan, bot, cases, takeover.engine, run.versions)
    return run, ResumedRun(len(cases), changed_parts(store.runs.snapshot(run_id), now))


def still_running(run_id: str) -> BadInput:
    """The error if a process is working on the run."""
    return BadInput(f"{run_id} is still running. Wait until it is done, or stop it.", "run_under_way", id=run_id)


def _plan(run: RunRow, takeover: Takeover) -> Plan:
    if run.is_answer_file:
        message = f"{run.id} cannot be resumed, since its answers come from a file. Use judge-run to score it further."
        raise BadInput(message, "not_resumable", id=run.id)
    limits = {"budget": takeover.budget, "budget_calls": takeover.budget_calls}
    return plan_of(run).model_copy(update={name: value for name, value in limits.items() if value is not None})


def _cases_left(store: Store, run_id: str, retry_failed: bool) -> list[Case]:
    """The conversations that have not ended, as they were planned."""
    personas = personas_of(store, run_id)
    ended = ("done",) if retry_failed else ENDED
    return [case_of(row, personas) for row in store.conversations.of_run(run_id) if row.status not in ended]
