"""`simulate`: let personas talk to a bot, and judge every turn."""

from __future__ import annotations

import argparse
from typing import get_args

from pydantic import ValidationError

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.types import Bot, ScenarioKind
from core.cli.options import engine_of, judging_options, warn_of_left_out
from core.cli.pass_mark import check_pass_mark
from core.cli.report_run import follow_run, report_run
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner, check_clarify
from core.simulation.scenarios import read_scenarios
from core.store.store import open_store


def run(arguments: argparse.Namespace) -> int:
    """Make a run and print its summary.

    Exit 1 if the score is below the pass mark (--fail-under), or if there is a pass mark and no score. Exit 3 if no pass
    mark was given and the run stopped before its end, as at its budget, or nothing could be scored. Stopped by Ctrl-C or
    SIGTERM it still prints the summary of what is finished, and exits with 130 or 143.
    """
    check_pass_mark(arguments)
    engine, bot = engine_of(arguments), load_bot(arguments.bot)
    plan = _plan(arguments, bot)
    check_clarify(plan, bot)
    warn_of_left_out(bot)
    store, indexes = open_store(), Indexes()
    indexes.get(bot)  # what cannot be searched is reported before there is a run
    with Runner(store, indexes, engine) as runner:
        run_id = runner.start(plan)
        interrupted = follow_run(runner, store, run_id)
    return report_run(arguments, store, run_id, interrupted)


def _plan(arguments: argparse.Namespace, bot: Bot) -> Plan:
    """What the options ask for; raises BadInput for a number that is too large."""
    same_name = ("repeats", "seed", "max_turns", "limit", "concurrency", "judge_language", "budget", "budget_calls")
    try:
        return Plan(
            bot=bot.id,
            scenarios=_questions(arguments.questions, bot),
            personas=() if arguments.personas in ("", "all") else _names("--personas", arguments.personas),
            cross=arguments.personas == "all",
            judges=_names("--judges", arguments.judges),
            language=arguments.language or bot.language,
            cache=not arguments.no_cache,
            clarify=not arguments.no_clarify,
            today=arguments.today,
            first_message=arguments.first_message,
            **judging_options(arguments),
            **{name: getattr(arguments, name) for name in same_name},
        )
    except ValidationError as error:
        option = f"--{error.errors()[0]['loc'][0]}".replace("_", "-")
        raise BadInput(f"{field_fault(error, field=option)}. Give another value.", "bad_option") from error


def _questions(option: str, bot: Bot) -> tuple[str, ...]:
    """The ids of the scenarios: all (none named), those of a kind, or as listed; raises BadInput for an unknown name."""
    if option in ("", "all"):
        return ()
    names, scenarios = _names("--questions", option), read_scenarios(bot)
    known = {scenario.id for scenario in scenarios} | {scenario.kind for scenario in scenarios}
    for name in names:
        if name in get_args(ScenarioKind) and name not in known:
            raise BadInput(f"{bot.id} has no questions of kind {name}. Choose another kind or all.", "no_questions")
        if name not in known:
            examples = ", ".join([*get_args(ScenarioKind), *(scenario.id for scenario in scenarios[:5])])
            message = f"{bot.id} has no question or kind {name!r}. Choose from all, {examples} and so on."
            raise BadInput(message, "unknown_scenario", id=name)
    return tuple(scenario.id for scenario in scenarios if scenario.kind in names or scenario.id in names)


def _names(option: str, listed: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    if not names:
        raise BadInput(f"{option} {listed!r} has no names. Give at least one.")
    return names
