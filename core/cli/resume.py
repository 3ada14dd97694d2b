"""`resume`: go on with a run where it stopped."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from core.cli.options import ENGINES, add_pass_mark_options, count, engine_named, engine_of, money

if TYPE_CHECKING:
    from core.base.prompt import Engine
    from core.store.store import Store


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    resume = commands.add_parser("resume", help="resume a run that stopped")
    resume.add_argument("run", metavar="RUN")
    resume.add_argument("--retry-failed", action="store_true", help="also run failed conversations again")
    budget = "cost limit (default: the run's)"
    resume.add_argument("--budget", type=money, metavar="X", help=budget)
    budget_calls = "call limit (default: the run's)"
    resume.add_argument("--budget-calls", type=count, metavar="N", help=budget_calls)
    resume.add_argument("--engine", choices=ENGINES, help="default: the engine of the run")
    add_pass_mark_options(resume)
    resume.add_argument("--json", action="store_true")
    return resume


def run(arguments: argparse.Namespace) -> int:
    """Go on with a run, on the engine it began with unless another is asked for; ends like `simulate`."""
    from core.cli.pass_mark import check_pass_mark
    from core.cli.run_report import follow_run, report_run
    from core.retrieval.index_cache import Indexes
    from core.runs.runner import Runner
    from core.store.store import open_store

    check_pass_mark(arguments)
    store = open_store()
    engine = _engine(arguments, store)
    with Runner(store, Indexes(), engine) as runner:
        limits = (arguments.budget, arguments.budget_calls)
        resumed = runner.resume(arguments.run, engine, arguments.retry_failed, *limits)
        if resumed.warning:
            print(resumed.warning, file=sys.stderr)
        interrupted = follow_run(runner, store, arguments.run)
    return report_run(arguments, store, arguments.run, interrupted)


def _engine(arguments: argparse.Namespace, store: Store) -> Engine:
    """The engine asked for, else the one that the run began with, else that of the settings; raises BadInput if it lacks something."""
    began_with = store.runs.snapshot(arguments.run).get("engine")
    if not arguments.engine and began_with in ENGINES:
        return engine_named(str(began_with))
    return engine_of(arguments)
