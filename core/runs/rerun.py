"""The same cases once more: with the bot as it is now, or with another seed to see how much is noise."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.judges.registry import judges_of
from core.runs.judging import how_of, versions_of
from core.runs.plan import Plan
from core.runs.snapshot import changed, take_snapshot
from core.store.rows import RunRow
from core.store.store import Store


def same_cases(run: RunRow) -> Plan:
    """The plan of a run for a run of its own, with the same seed and so the same cases.

    Raises BadInput for a judged file, which nobody can run again.
    """
    kept = {name: value for name, value in run.plan.items() if name in Plan.model_fields}
    try:
        if run.plan.get("file"):
            raise ValueError("a file")
        plan = Plan.model_validate(kept)
    except (ValidationError, ValueError) as error:
        told = f"{run.id} cannot be run again, since its answers come from a file. Choose a simulation run."
        raise BadInput(told, "not_repeatable", id=run.id) from error
    return plan.model_copy(update={"cases_seed": plan.drawn_by})


def other_seed(run: RunRow, taken: set[int]) -> Plan:
    """The same cases with a seed that is not among `taken`, and no call answered from the call log (A/A run)."""
    plan = same_cases(run)
    seed = next(seed for seed in range(plan.seed + 1, plan.seed + 2 + len(taken)) if seed not in taken)
    return plan.model_copy(update={"seed": seed, "cache": False})


def drifted(store: Store, run: RunRow, engine: Engine, knowledge: Path | None = None) -> tuple[str, ...]:
    """What of the bot is not as it was in the run, by name: files, engine, models; raises BadInput for a bot that is gone."""
    plan, bot = same_cases(run), load_bot(run.bot, knowledge)
    judges = judges_of(plan.judges, bot)
    here = take_snapshot(plan, bot, [], engine, versions_of(judges, engine, how_of(plan, bot)))
    return tuple(name for name in changed(store.runs.snapshot(run.id), here) if name not in here.judges)
