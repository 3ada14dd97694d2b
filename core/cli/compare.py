"""`compare`: is run B better than run A."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from core.base.errors import BadInput
from core.cli.exit_codes import INCONCLUSIVE
from core.cli.options import MIN_PAIRED, share
from core.cli.output import print_result


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    compare = commands.add_parser("compare", help="compare two runs: is B better than A")
    compare.add_argument("a", metavar="A", help="ID of the earlier run")
    compare.add_argument("b", metavar="B", help="ID of the later run")
    compare.add_argument("--judge", default="", help="decide by this judge (default: turn)")
    compare.add_argument("--criterion", default="", help="decide by this criterion (default: overall)")
    compare.add_argument("--margin", type=share, default=0.0, metavar="X", help="ignore differences up to X")
    worse = "exit 1 if B is worse by more than the margin, or if more conversations failed in B"
    compare.add_argument("--fail-if-worse", action="store_true", help=worse)
    fewer = f"with --fail-if-worse: exit {INCONCLUSIVE} if a smaller share of a run's conversations can be compared"
    compare.add_argument("--min-paired", type=share, metavar="SHARE", help=f"{fewer} (default {MIN_PAIRED:g})")
    compare.add_argument("--json", action="store_true")
    compare.add_argument("--junit", metavar="FILE", help="also write the result and every pair as JUnit tests")
    return compare


def run(arguments: argparse.Namespace) -> int:
    """Compare two runs; raises BadInput if nothing can be compared.

    With --fail-if-worse exit 1 if B is worse, and 3 if too few conversations could be compared to pass.
    """
    from core.analysis.compare import difference_by
    from core.analysis.compare_runs import compare_runs
    from core.analysis.provenance import provenance, provenance_text
    from core.base.translate import translator
    from core.cli import report_comparison as report
    from core.cli.junit import check_report, write_junit
    from core.store.store import open_store

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
