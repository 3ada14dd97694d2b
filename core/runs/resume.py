"""Taking up a run where it stopped: its job again, from what is stored of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Persona
from core.judges.registry import judges_of
from core.runs.judging import how_of
from core.runs.plan import Case, Plan
from core.runs.snapshot import changed, take_snapshot
from core.runs.worker import Job
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store


class Given(NamedTuple):
    """What a run goes on with: an engine, under which owner, and limits in place of the plan's."""

    engine: Engine
    owner: str
    budget: float | None = None
    budget_calls: int | None = None


class Resumed(NamedTuple):
    """A run that goes on: how many conversations are left, and what is not as it was when the run began, by name."""

    id: str
    conversations: int
    changed: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What has changed, as a sentence; empty where nothing has, or where nothing is left to go on with."""
        if not self.changed or not self.conversations:
            return ""
        return f"Changed since the run started: {', '.join(self.changed)}. The rest of the run uses the current ones."


def rebuild(
    store: Store, run_id: str, given: Given, knowledge: Path | None, retry_failed: bool = False
) -> tuple[Job, Resumed]:
    """The job of a run with the conversations that are left, and what to tell of it.

    Raises BadInput for an unknown run, a judged file, and a bot or judge that is not there any more.
    """
    run = store.runs.get(run_id)
    if run is None:
        raise BadInput(f"There is no run {run_id!r}. See `python -m core runs` for the ids.", "unknown_run", id=run_id)
    plan = _plan(run, given)
    bot = load_bot(plan.bot, knowledge)
    spent = store.calls.spending(run_id)
    budget = Budget(plan.budget, plan.budget_calls, spent.cost, spent.calls)
    judges, how = judges_of(plan.judges, bot), how_of(plan, bot)
    cases = _left(store, run_id, retry_failed)
    job = Job(run_id, plan, bot, cases, judges, how, given.engine, budget, given.owner)
    here = take_snapshot(plan, bot, cases, given.engine, job.versions)
    return job, Resumed(run_id, len(cases), changed(store.runs.snapshot(run_id), here))


def going_on(run_id: str) -> BadInput:
    """Somebody works on the run."""
    return BadInput(f"{run_id} is still running. Wait until it is done, or stop it.", "run_under_way", id=run_id)


def _plan(run: RunRow, given: Given) -> Plan:
    limits = {"budget": given.budget, "budget_calls": given.budget_calls}
    try:
        return Plan.model_validate({**run.plan, **{name: value for name, value in limits.items() if value is not None}})
    except ValidationError as error:
        told = f"{run.id} cannot be resumed, since its answers come from a file. Use judge-run to score it further."
        raise BadInput(told, "not_resumable", id=run.id) from error


def _left(store: Store, run_id: str, retry_failed: bool) -> list[Case]:
    """The conversations that are not over, as they were planned."""
    who = personas_of(store, run_id)
    over = ("done",) if retry_failed else ("done", "failed")
    return [case_of(row, who) for row in store.conversations.of_run(run_id) if row.status not in over]


def personas_of(store: Store, run_id: str) -> dict[str, Persona]:
    """The personas of a run as they were when it began, by id."""
    return {one["id"]: Persona.model_validate(one) for one in store.runs.snapshot(run_id).get("personas", ())}


def case_of(row: ConversationRow, who: Mapping[str, Persona]) -> Case:
    """A conversation as it was planned."""
    return Case(number=row.number, scenario=row.scenario, persona=who[row.persona_id], repeat=row.repeat)
