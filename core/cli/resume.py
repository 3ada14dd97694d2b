"""`resume`: go on with a run where it stopped."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from core.cli.options import ENGINES, add_pass_mark_options, count, engine_of, money

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
    from core.retrieval.indexes import Indexes
    from core.runs.runner import Runner
    from core.store.store import open_store

    check_pass_mark(arguments)
    store, engine = open_store(), engine_of(arguments)
    with Runner(store, Indexes(), engine) as runner:
        chosen = engine if arguments.engine else _first_engine(store, arguments.run, engine)
        limits = (arguments.budget, arguments.budget_calls)
        resumed = runner.resume(arguments.run, chosen, arguments.retry_failed, *limits)
        if resumed.warning:
            print(resumed.warning, file=sys.stderr)
        interrupted = follow_run(runner, store, arguments.run)
    return report_run(arguments, store, arguments.run, interrupted)


def _first_engine(store: Store, run_id: str, engine: Engine) -> Engine:
    """The engine that a run began with; raises BadInput if a model server lacks its key or model."""
    name = store.runs.snapshot(run_id).get("engine")
    if name not in ENGINES or name == getattr(engine, "name", ""):
        return engine
    return engine_of(argparse.Namespace(engine=name))
