"""`judge-run`: let further judges score a run that is over."""

from __future__ import annotations

import argparse

from core.cli.options import engine_of, judging_options
from core.cli.report_judging import follow_judging
from core.runs.judging.jobs import JudgingJobs, JudgingRequest
from core.store.store import open_store


def run(arguments: argparse.Namespace) -> int:
    """Judge the run and print its means; earlier scores of the same version stay. Ctrl-C keeps what is finished."""
    store, options = open_store(), judging_options(arguments)
    limits = {"budget": arguments.budget, "repeats": arguments.repeats}
    with JudgingJobs(store, engine_of(arguments)) as judgings:
        job = judgings.rejudge(arguments.run, JudgingRequest(arguments.judges, options, **limits))
        return follow_judging(store, job, arguments.judges[0], arguments.json)
