"""`judge-run`: let further judges score a run that is over."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.options import add_judging_options, count, engine_of, judging_options, money


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    judge_run = commands.add_parser("judge-run", help="score a finished run with more judges")
    judge_run.add_argument("run", metavar="RUN")
    judge_run.add_argument("judges", nargs="+", metavar="JUDGE")
    judge_run.add_argument("--repeats", type=count, default=1, metavar="K", help="scores per turn (default 1)")
    judge_run.add_argument(
        "--budget", type=money, default=0.0, metavar="X", help="cost limit: stop before the run costs more"
    )
    judge_run.add_argument("--json", action="store_true")
    add_judging_options(judge_run)
    return judge_run


def run(arguments: argparse.Namespace) -> int:
    """Judge the run and print its means; earlier scores of the same version stay. Ctrl-C keeps what is finished."""
    from core.cli.report_judging import follow_judging
    from core.runs.judging.jobs import JudgingJobs, JudgingRequest
    from core.store.store import open_store

    store, options = open_store(), judging_options(arguments)
    limits = {"budget": arguments.budget, "repeats": arguments.repeats}
    with JudgingJobs(store, engine_of(arguments)) as judgings:
        job = judgings.rejudge(arguments.run, JudgingRequest(arguments.judges, options, **limits))
        return follow_judging(store, job, arguments.judges[0], arguments.json)
