"""`resume`: go on with a run where it stopped."""

from __future__ import annotations

import argparse
import sys

from core.base.prompt import Engine
from core.cli.options import engine_named, engine_of
from core.cli.parser import ENGINES
from core.cli.pass_mark import check_pass_mark
from core.cli.report_run import follow_run, report_run
from core.retrieval.index_cache import Indexes
from core.runs.runner import Runner
from core.store.store import Store, open_store


def run(arguments: argparse.Namespace) -> int:
    """Go on with a run, on the engine it began with unless another is asked for; ends like `simulate`."""
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
