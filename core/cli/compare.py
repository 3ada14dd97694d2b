"""The command `compare`: is run B better than run A, as a sentence, JSON, JUnit XML and an exit code."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from core.base.errors import BadInput, as_sentence
from core.base.prompt import Engine
from core.cli.junit import State, TestLine, check_report, write_junit
from core.cli.lines import Json
from core.cli.signals import UNTOLD
from core.report.changes import Change
from core.report.compare import Comparison, Difference, difference_by, differences, moved, scored_pairs
from core.run.alive import find_interrupted
from core.run.compared import Compared, compare_runs, known_run
from core.store.store import open_store

LISTED = 5  # pairs that got worse, in words
PAIRED = 0.5  # share of each run's conversations that a pass has to rest on
_ROUNDING = 1e-9
_SAID = {
    "better": "B is better than A",
    "worse": "B is worse than A",
    "cannot_tell": "cannot tell whether B is better or worse than A",
}
Table = Any


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
    command.add_argument("--junit", metavar="FILE", help="also write every pair of conversations as a JUnit test")
    command.set_defaults(command=compare)


def compare(arguments: argparse.Namespace, engine: Engine) -> int:
    """Compare two runs; raises BadInput where nothing can be compared.

    With --fail-if-worse exit 1 where B is worse, and 3 where too few conversations could be compared to pass.
    """
    if arguments.min_paired is not None and not arguments.fail_if_worse:
        raise BadInput("--min-paired does nothing without --fail-if-worse. Give both, or neither.")
    check_report(arguments.junit)
    store = open_store()
    find_interrupted(store)
    a, b = (known_run(store, name) for name in (arguments.a, arguments.b))
    if a.id == b.id:
        raise BadInput(f"{a.id} is named twice. Name two runs.")
    for run in (a, b):
        if run.status == "running":
            raise BadInput(f"{run.id} is still going on. Wait for its end or stop it first.")
    found = compare_runs(store, a, b)
    judge, criterion = _decisive(arguments, found)
    main = difference_by(found.comparison, judge, criterion, arguments.margin)
    told = _json(found, main, arguments.margin)
    print(json.dumps(told, ensure_ascii=False) if arguments.json else _spoken(found, main, arguments.margin))
    if arguments.junit:
        write_junit(arguments.junit, f"{a.id} {b.id}", _tests(found, main, arguments.margin))
    return _exit_code(arguments, found, main)


def _decisive(arguments: argparse.Namespace, found: Compared) -> tuple[str, str]:
    """The judge and criterion of the verdict; raises BadInput where there is nothing to decide by."""
    if found.comparison.pairs.empty and found.comparison.broken.empty:
        raise BadInput(
            f"{found.a.id} and {found.b.id} have no case in common (scenario, question, persona, repeat)."
            " Run the same scenarios and personas for both."
        )
    head = found.comparison.headline(arguments.judge, arguments.criterion)
    if head:
        return head
    differing = ", ".join(found.shared.differing)
    if differing:
        raise BadInput(
            f"{differing} scored the two runs in different versions, which cannot be compared."
            " Score both again with judge-run, or on the page."
        )
    known = ", ".join(f"{judge} {name}" for judge, name in found.comparison.criteria) or "none"
    raise BadInput(f"No such judge and criterion scored both runs: known are {known}. Choose one of them.")


def _exit_code(arguments: argparse.Namespace, whole: Compared, main: Difference) -> int:
    """1 where B is worse, or failed more often than A, 3 where too little was compared; what is left out is always told."""
    found = whole.comparison
    if whole.noise and not whole.seeds_differ:
        print(
            "Both runs have the same seed, so this says nothing about noise. Run again with another seed.",
            file=sys.stderr,
        )
    if main.unscored:
        print(f"{main.unscored} of {main.unscored + main.pairs} pairs have no score on a side.", file=sys.stderr)
    more = found.failed("b") - found.failed("a")
    if len(found.broken):
        told = f"{len(found.broken)} pairs did not come to an end: A failed in {found.failed('a')}, B in {found.failed('b')}."
        told += f" Their {found.broken_turns} scored turns are in the means of the runs, and not in this comparison."
        print(told, file=sys.stderr)
    few = _few(found, main, PAIRED if arguments.min_paired is None else arguments.min_paired)
    if few:
        print(few, file=sys.stderr)
    if not arguments.fail_if_worse:
        return 0
    if main.verdict == "worse" or more > 0:
        return 1
    return UNTOLD if few else 0


def _few(found: Comparison, main: Difference, least: float) -> str:
    """The sentence where less than this share of a run's conversations was compared; empty where it was more."""
    if not main.pairs:
        return "No pair could be compared, so nothing is known of B against A."
    if min(main.pairs / found.cases(side) for side in "ab") >= least - _ROUNDING:
        return ""
    of = f"{main.pairs} pairs of {found.cases('a')} conversations of A and {found.cases('b')} of B"
    return (
        f"Only {of} could be compared, less than --min-paired {least:g}. Run the same scenarios and personas for both."
    )


def _json(found: Compared, main: Difference, margin: float) -> Json:
    comparison = found.comparison
    worse = moved(comparison, main.judge, main.criterion)
    return {
        "a": found.a.id,
        "b": found.b.id,
        **_numbers(main),
        "margin": margin,
        "noise_floor": found.noise,
        "clustered_by": "scenario" if main.clustered else "conversation",
        "broken": {
            "pairs": len(comparison.broken),
            "failed_a": comparison.failed("a"),
            "failed_b": comparison.failed("b"),
            "turns": comparison.broken_turns,
        },
        "unpaired": {"a": len(comparison.only_a), "b": len(comparison.only_b)},
        "compared": {side: round(main.pairs / max(1, comparison.cases(side)), 6) for side in "ab"},
        "criteria": [_numbers(one) for one in differences(comparison, margin)],
        "not_compared": {"other_version": found.shared.differing, "one_side": found.shared.one_sided},
        "changes": [change.model_dump(mode="json", exclude_defaults=True) for change in found.changes],
        "worse": [_pair(row) for row in worse.itertuples()],
    }


def _numbers(one: Difference) -> Json:
    rounded = {name: round(value, 6) if isinstance(value, float) else value for name, value in one.model_dump().items()}
    return {"verdict": rounded.pop("verdict"), **rounded}


def _pair(row: Any) -> Json:
    names = ("scenario", "persona", "repeat", "question", "conversation_a", "conversation_b")
    return {**{name: getattr(row, name) for name in names}, "a": round(row.a, 6), "b": round(row.b, 6)}


def _spoken(found: Compared, main: Difference, margin: float) -> str:
    lines = [_verdict(main, found.noise, margin)]
    lines += [f"  {_line(one)}" for one in differences(found.comparison, margin)]
    comparison = found.comparison
    if len(comparison.only_a) or len(comparison.only_b):
        lines.append(f"  not paired: {len(comparison.only_a)} conversations of A, {len(comparison.only_b)} of B")
    if found.shared.differing:
        lines.append(f"  not compared, since judged in different versions: {', '.join(found.shared.differing)}")
    lines.append("changed: " + (", ".join(map(_change, found.changes)) or "nothing"))
    worse = moved(comparison, main.judge, main.criterion)
    if len(worse):
        lines.append(f"got worse: {len(worse)}")
    lines += [f"  {row.a:.3f} -> {row.b:.3f}  {row.scenario} {row.persona}" for row in worse.head(LISTED).itertuples()]
    return "\n".join(lines)


def _verdict(main: Difference, noise: bool, margin: float = 0.0) -> str:
    """The verdict in one sentence, with its interval and of how many."""
    of = f"{main.pairs} pairs of {main.clusters} scenarios" if main.clustered else f"{main.pairs} pairs"
    if main.difference is None:
        return f"{main.judge} {main.criterion}: cannot tell, no pair has a score on both sides"
    if main.low is None or main.high is None or main.detectable is None:
        return f"{main.judge} {main.criterion}: cannot tell, {of} are too few ({main.difference:+.3f})"
    numbers = f"{main.difference:+.3f}, 95 % interval {main.low:+.3f} to {main.high:+.3f}, {of}"
    least = f"smallest difference these could have shown: {main.detectable:.3f}"
    beyond = f" by more than {margin:g}" if margin else ""
    said = "noise floor, both are the same bot" if noise else f"{_SAID[main.verdict]}{beyond}"
    return f"{main.judge} {main.criterion}: {said} ({numbers}; {least})"


def _line(one: Difference) -> str:
    name = f"{one.judge} {one.criterion}{' (less is better)' if one.lower else ''}"
    if one.difference is None or one.mean_a is None or one.mean_b is None:
        return f"{name:<36} unscored ({one.unscored} pairs)"
    between = "too few" if one.low is None or one.high is None else f"{one.low:+.3f} to {one.high:+.3f}"
    return f"{name:<36} {one.mean_a:.3f} -> {one.mean_b:.3f}  {one.difference:+.3f} ({between})  n = {one.pairs}"


def _change(change: Change) -> str:
    return change.name if change.area == "bot" else f"{change.area} {change.name}"


def _tests(found: Compared, main: Difference, margin: float) -> list[TestLine]:
    """Every pair as a test: failed where B lost more than the margin, an error where B broke off, else skipped or passed."""
    comparison = found.comparison
    sign = -1.0 if main.lower else 1.0
    table = scored_pairs(comparison, main.judge, main.criterion)
    tests = [_test(row, sign * row.difference, margin) for row in table.itertuples()]
    tests += [_broken(row) for row in comparison.broken.itertuples()]
    for side, rows in (("A", comparison.only_a), ("B", comparison.only_b)):
        tests += [_named(row, "skipped", f"only in {side}") for row in rows.itertuples()]
    return tests


def _test(row: Any, gain: float, margin: float) -> TestLine:
    if gain != gain:
        return _named(row, "skipped", "no score on a side")
    told = f"{row.a:.3f} -> {row.b:.3f}"
    return _named(row, "failed", told) if gain < -margin - 1e-9 else _named(row, "passed")


def _broken(row: Any) -> TestLine:
    if row.status_b == "failed":
        return _named(row, "error", as_sentence(row.error_b))
    return _named(row, "skipped", f"A {row.status_a}, B {row.status_b}. {as_sentence(row.error_a)}".strip())


def _named(row: Any, state: State, told: str = "") -> TestLine:
    name = f"{row.scenario} {row.persona} #{row.repeat}: {' '.join(row.question.split())}"
    return TestLine(row.kind or "answers", f"compare.{row.scenario}", name, state, told, told)
