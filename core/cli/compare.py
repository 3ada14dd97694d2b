"""The command `compare`: is run B better than run A, as a sentence, JSON, JUnit XML and an exit code."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.cli.compare_words import as_json, more_failed, pair_tests, spoken
from core.cli.junit import check_report, write_junit
from core.cli.outcome import ROUNDING, Outcome, counted
from core.cli.signals import UNTOLD
from core.report.compare import Comparison, Difference, difference_by
from core.run.alive import find_interrupted
from core.run.compared import Compared, compare_runs, known_run
from core.store.rows import RunRow
from core.store.store import open_store

PAIRED = 0.5  # share of each run's conversations that a pass has to rest on


def add_compare(commands: Any, share: Any) -> None:
    """The command's options."""
    command = commands.add_parser("compare", help="is run B better than run A")
    command.add_argument("a", metavar="A", help="the earlier run's id")
    command.add_argument("b", metavar="B", help="the later run's id")
    command.add_argument("--judge", default="", help="decide by this judge (default: turn)")
    command.add_argument("--criterion", default="", help="decide by this criterion (default: overall)")
    command.add_argument("--margin", type=share, default=0.0, metavar="X", help="a difference up to X does not matter")
    worse = "exit 1 where B is worse beyond the margin, or fails where A did not"
    command.add_argument("--fail-if-worse", action="store_true", help=worse)
    fewer = f"with --fail-if-worse: exit {UNTOLD} where a smaller share of a run's conversations is compared"
    command.add_argument("--min-paired", type=share, metavar="SHARE", help=f"{fewer} (default {PAIRED:g})")
    command.add_argument("--json", action="store_true")
    command.add_argument("--junit", metavar="FILE", help="also write the verdict and every pair as JUnit tests")
    command.set_defaults(command=compare)


def compare(arguments: argparse.Namespace, engine: Engine) -> int:
    """Compare two runs; raises BadInput where nothing can be compared.

    With --fail-if-worse exit 1 where B is worse, and 3 where too few conversations could be compared to pass.
    """
    if arguments.min_paired is not None and not arguments.fail_if_worse:
        raise BadInput("--min-paired does nothing without --fail-if-worse. Give both, or neither.")
    check_report(arguments.junit)
    a, b = _two_runs(arguments)
    found = compare_runs(open_store(), a, b)
    judge, criterion = _decisive(arguments, found)
    main = difference_by(found.comparison, judge, criterion, arguments.margin)
    outcome = _outcome(arguments, found, main)
    told = as_json(found, main, arguments.margin)
    print(json.dumps(told, ensure_ascii=False) if arguments.json else spoken(found, main, arguments.margin))
    for line in (*_notes(found, main), *outcome.told):
        print(line, file=sys.stderr)
    if arguments.junit:
        write_junit(arguments.junit, f"{a.id} {b.id}", pair_tests(found, main, arguments.margin, outcome))
    return outcome.code


def _two_runs(arguments: argparse.Namespace) -> tuple[RunRow, RunRow]:
    """The runs that are named; raises BadInput where they are not two, or still going on."""
    store = open_store()
    find_interrupted(store)
    a, b = (known_run(store, name) for name in (arguments.a, arguments.b))
    if a.id == b.id:
        raise BadInput(f"{a.id} is named twice. Name two runs.")
    for run in (a, b):
        if run.status == "running":
            raise BadInput(f"{run.id} is still going on. Wait for its end or stop it first.")
    return a, b


def _decisive(arguments: argparse.Namespace, found: Compared) -> tuple[str, str]:
    """The judge and criterion of the verdict; as asked (empty: none) where no score is needed to tell how the runs ended.

    Raises BadInput where there is nothing to decide by.
    """
    comparison, asked = found.comparison, (arguments.judge, arguments.criterion)
    if not comparison.common:
        raise BadInput(
            f"{found.a.id} and {found.b.id} have no case in common (scenario, question, persona, repeat)."
            " Run the same scenarios and personas for both."
        )
    head = comparison.headline(*asked)
    if head:
        return head
    _check_names(arguments, found)
    if comparison.pairs.empty or (arguments.fail_if_worse and comparison.more_failed > 0):
        return asked
    differing, one_sided = (
        [name for name in names if arguments.judge in ("", name)]
        for names in (found.shared.differing, found.shared.one_sided)
    )
    if differing:
        raise BadInput(
            f"{', '.join(differing)} scored the two runs in different versions, which cannot be compared."
            " Score both again with judge-run, or on the page."
        )
    if one_sided:
        raise BadInput(
            f"{', '.join(one_sided)} scored one of the two runs only."
            " Let judge-run score the other, too, or do so on the page."
        )
    return asked


def _check_names(arguments: argparse.Namespace, found: Compared) -> None:
    """Raises BadInput where a judge or criterion is asked for that nobody knows of, or that scored nothing here."""
    shared, criteria = found.shared, found.comparison.criteria
    others = {*shared.differing, *shared.one_sided}
    if arguments.judge in others or not (arguments.judge or arguments.criterion):
        return
    if criteria or (arguments.judge and others):
        known = ", ".join([*(f"{judge} {name}" for judge, name in criteria), *sorted(others)])
        raise BadInput(f"No such judge and criterion scored both runs: known are {known}. Choose one of them.")


def _outcome(arguments: argparse.Namespace, whole: Compared, main: Difference) -> Outcome:
    """1 where B is worse or failed more often than A, 3 where too little was compared; 0 where nobody asked."""
    few = _few(whole.comparison, main, PAIRED if arguments.min_paired is None else arguments.min_paired)
    more = more_failed(whole.comparison)
    told = tuple(line for line in (more, few) if line)
    if not arguments.fail_if_worse:
        return Outcome(0, told)
    if main.verdict == "worse" or more:
        return Outcome(1, told, broken=bool(more))
    return Outcome(UNTOLD if few else 0, told)


def _notes(whole: Compared, main: Difference) -> list[str]:
    """What is left out, and what the comparison cannot show."""
    found, notes = whole.comparison, list[str]()
    if whole.noise and not whole.seeds_differ:
        notes.append("Both runs have the same seed, so this says nothing about noise. Run again with another seed.")
    if main.unscored:
        have = "has" if main.unscored == 1 else "have"
        notes.append(f"{main.unscored} of {counted(len(found.pairs), 'pair')} {have} no score on a side.")
    if len(found.broken):
        told = f"{counted(len(found.broken), 'pair')} did not come to an end:"
        told += f" A failed in {found.failed('a')}, B in {found.failed('b')}."
        if found.broken_turns:
            turns = "1 scored turn is" if found.broken_turns == 1 else f"{found.broken_turns} scored turns are"
            told += f" Their {turns} in the means of the runs, and not in this comparison."
        notes.append(told)
    return notes


def _few(found: Comparison, main: Difference, least: float) -> str:
    """The sentence where less than this share of a run's conversations was compared; empty where it was more."""
    if not main.pairs:
        return "No pair could be compared, so nothing is known of B's scores against A's."
    if min(main.pairs / found.cases(side) for side in "ab") >= least - ROUNDING:
        return ""
    of = (
        f"{counted(main.pairs, 'pair')} of {counted(found.cases('a'), 'conversation')} of A and {found.cases('b')} of B"
    )
    return (
        f"Only {of} could be compared, less than --min-paired {least:.12g}."
        " Run the same scenarios and personas for both."
    )
