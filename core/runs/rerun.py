"""Another run of the same cases: with the bot as it is now, or with another seed to measure noise."""

from __future__ import annotations

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.judges.registry import judges_of
from core.runs.judging.judge_options import judge_options_of_plan, versions_of
from core.runs.plan import Plan, plan_of
from core.runs.snapshot import changed_parts, take_snapshot
from core.store.rows import RunRow
from core.store.store import Store


def rerun_plan(run: RunRow) -> Plan:
    """The plan of a run for another run with the same seed, the same cases and the same first messages.

    Raises BadInput for a judged file.
    """
    if run.is_answer_file:
        message = f"{run.id} cannot be run again, since its answers come from a file. Choose a simulation run."
        raise BadInput(message, "not_repeatable", id=run.id)
    plan = plan_of(run)
    return plan.model_copy(
        update={"cases_seed": plan.drawn_by, "first_messages_from_run": first_messages_source(run.id, plan)}
    )


def first_messages_source(run_id: str, plan: Plan) -> str:
    """The run whose first messages a rerun of this one sends again; "" if they are the plain questions."""
    return (plan.first_messages_from_run or run_id) if plan.first_message == "persona" else ""


def noise_plan(run: RunRow, used_seeds: set[int]) -> Plan:
    """The same cases with an unused seed, and no call answered from the call log (A/A run)."""
    plan = rerun_plan(run)
    seed = next(seed for seed in range(plan.seed + 1, plan.seed + 2 + len(used_seeds)) if seed not in used_seeds)
    return plan.model_copy(update={"seed": seed, "cache": False})


def changed_since(store: Store, run: RunRow, engine: Engine) -> tuple[str, ...]:
    """What has changed since the run (files, engine, models); raises BadInput if the bot no longer exists."""
    plan, bot = rerun_plan(run), load_bot(run.bot)
    judges = judges_of(plan.judges, bot)
    now = take_snapshot(plan, bot, [], engine, versions_of(judges, engine, judge_options_of_plan(plan, bot)))
    return tuple(name for name in changed_parts(store.runs.snapshot(run.id), now) if name not in now.judges)
