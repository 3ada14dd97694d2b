"""`compare`: is run B better than run A."""

from __future__ import annotations

import argparse
import json
import sys

from core.analysis.compare import difference_by
from core.analysis.compare_runs import compare_runs
from core.analysis.provenance import provenance, provenance_text
from core.base.errors import BadInput
from core.base.translate import translator
from core.cli import report_comparison as report
from core.cli.junit import check_report, write_junit
from core.cli.output import print_result
from core.store.store import open_store


def run(arguments: argparse.Namespace) -> int:
    """Compare two runs; raises BadInput if nothing can be compared.

    With --fail-if-worse exit 1 if B is worse, and 3 if too few conversations could be compared to pass.
    """
    if arguments.min_paired is not None and not arguments.fail_if_worse:
        raise BadInput("--min-paired needs --fail-if-worse.")
    check_report(arguments.junit)
    store, margin = open_store(), arguments.margin
    a, b = report.two_runs(store, arguments.a, arguments.b)
    comparison = compare_runs(store, a, b)
    main = difference_by(comparison.scores, *report.decisive_criterion(arguments, comparison), margin)
    outcome = report.outcome(arguments, comparison, main)
    if arguments.json:
        print_result(json.dumps(report.as_json(comparison, main, margin), ensure_ascii=False))
    else:
        print_result(report.as_text(comparison, main, margin))
        for name, compared in (("A", a), ("B", b)):
            print_result(f"{name}: {provenance_text(translator('en'), provenance(store, compared, main.judge))}")
    for line in (*report.notes(comparison, main), *outcome.messages):
        print(line, file=sys.stderr)
    if arguments.junit:
        write_junit(arguments.junit, f"{a.id} {b.id}", report.pair_tests(comparison, main, margin, outcome))
    return outcome.code
