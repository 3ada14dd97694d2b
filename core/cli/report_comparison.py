"""A comparison of two runs: how the command ends, and the verdict in words, as JSON, and as JUnit tests."""

from __future__ import annotations

import argparse
from typing import Any

from core.analysis.compare import Comparison, Difference, changed_pairs, differences, scored_pairs
from core.analysis.compare_runs import RunComparison
from core.analysis.snapshot_changes import Change
from core.base.errors import BadInput, as_sentence
from core.base.means import ROUNDING
from core.cli.exit_codes import BELOW_PASS_MARK, INCONCLUSIVE
from core.cli.json_lines import Json
from core.cli.junit import CommandOutcome, JUnitState, JUnitTest, case_name, outcome_test
from core.cli.output import count_text
from core.cli.parser import MIN_PAIRED
from core.runs.heartbeat import find_interrupted
from core.store.rows import RunRow
from core.store.store import Store

MAX_LISTED = 5  # pairs that got worse, in words
_VERDICTS = {
    "better": "B is better than A",
    "worse": "B is worse than A",
    "within_margin": "neither run is better",
    "cannot_tell": "cannot tell whether B is better or worse than A",
}


def two_runs(store: Store, first: str, second: str) -> tuple[RunRow, RunRow]:
    """The runs that are named; raises BadInput if they are not two, or still going on."""
    find_interrupted(store)
    a, b = (store.runs.require(name) for name in (first, second))
    if a.id == b.id:
        raise BadInput(f"{a.id} is given twice. Give two different runs.")
    for run in (a, b):
        if run.status == "running":
            raise BadInput(f"{run.id} is still running. Wait until it is done, or stop it.")
    return a, b


def decisive_criterion(arguments: argparse.Namespace, compared: RunComparison) -> tuple[str, str]:
    """The judge and criterion of the verdict; as asked (empty: none) if no score is needed to tell how the runs ended.

    Raises BadInput if there is nothing to decide by.
    """
    comparison, asked = compared.scores, (arguments.judge, arguments.criterion)
    if not comparison.common:
        raise BadInput(
            f"{compared.a.id} and {compared.b.id} have no conversation in common (same scenario, question, persona and repeat)."
            " Run the same scenarios and personas for both."
        )
    main = comparison.main_criterion(*asked)
    if main:
        return main
    _check_names(arguments, compared)
    if comparison.pairs.empty or (arguments.fail_if_worse and comparison.more_failed > 0):
        return asked
    differing, one_sided = (
        [name for name in names if arguments.judge in ("", name)]
        for names in (compared.shared.differing, compared.shared.one_sided)
    )
    if differing:
        raise BadInput(
            f"{', '.join(differing)} scored the two runs with different versions, which cannot be compared."
            " Score both runs with judge-run or on the page."
        )
    if one_sided:
        raise BadInput(
            f"{', '.join(one_sided)} scored only one of the two runs."
            " Score the other one with judge-run or on the page."
        )
    return asked


def _check_names(arguments: argparse.Namespace, compared: RunComparison) -> None:
    """Raises BadInput if a judge or criterion is asked for that nobody knows of, or that scored nothing here."""
    shared, criteria = compared.shared, compared.scores.criteria
    others = {*shared.differing, *shared.one_sided}
    if arguments.judge in others or not (arguments.judge or arguments.criterion):
        return
    if criteria or (arguments.judge and others):
        names = ", ".join([*(f"{judge} {name}" for judge, name in criteria), *sorted(others)])
        raise BadInput(f"This judge and criterion did not score both runs. Choose one of {names}.")


def outcome(arguments: argparse.Namespace, compared: RunComparison, main: Difference) -> CommandOutcome:
    """1 if B is worse or failed more often than A, 3 if too little was compared; 0 if nobody asked."""
    few = _few(compared.scores, main, MIN_PAIRED if arguments.min_paired is None else arguments.min_paired)
    newly_failed = _newly_failed(compared.scores)
    messages = tuple(line for line in (newly_failed, few) if line)
    if not arguments.fail_if_worse:
        return CommandOutcome(0, messages)
    if main.verdict == "worse" or newly_failed:
        return CommandOutcome(BELOW_PASS_MARK, messages, broken=bool(newly_failed))
    return CommandOutcome(INCONCLUSIVE if few else 0, messages)


def notes(compared: RunComparison, main: Difference) -> list[str]:
    """What is left out, and what the comparison cannot show."""
    comparison, notes = compared.scores, list[str]()
    if compared.is_noise and not compared.seeds_differ:
        notes.append("Both runs have the same seed, so they say nothing about noise. Run again with another seed.")
    if main.unscored:
        have = "has" if main.unscored == 1 else "have"
        notes.append(f"{main.unscored} of {count_text(len(comparison.pairs), 'pair')} {have} no score on one side.")
    if len(comparison.unfinished):
        message = f"{count_text(len(comparison.unfinished), 'pair')} did not finish:"
        message += f" A failed in {comparison.failed('a')}, B in {comparison.failed('b')}."
        if comparison.unfinished_turns:
            are = "is" if comparison.unfinished_turns == 1 else "are"
            turns = count_text(comparison.unfinished_turns, "scored turn")
            message += f" Their {turns} {are} in the means of the runs, but not in this comparison."
        notes.append(message)
    return notes


def _few(comparison: Comparison, main: Difference, least: float) -> str:
    """The sentence if less than this share of a run's conversations was compared; empty if it was more."""
    if not main.pairs:
        return "No pair could be compared."
    if min(main.pairs / comparison.count_cases(side) for side in "ab") >= least - ROUNDING:
        return ""
    of = f"{count_text(main.pairs, 'pair')} of {count_text(comparison.count_cases('a'), 'conversation')} of A and {comparison.count_cases('b')} of B"
    return (
        f"Only {of} could be compared, less than --min-paired {least:.12g}."
        " Run the same scenarios and personas for both."
    )


def _newly_failed(comparison: Comparison) -> str:
    """The sentence if B failed in more of the common conversations; empty if it did not."""
    if comparison.more_failed <= 0:
        return ""
    return f"B failed more often: {comparison.failed('b')} of {comparison.common} common conversations, A {comparison.failed('a')}."


def as_json(compared: RunComparison, main: Difference, margin: float) -> Json:
    """Every number of the comparison; null if there is none."""
    comparison = compared.scores
    worse = changed_pairs(comparison, main.judge, main.criterion)
    return {
        "a": compared.a.id,
        "b": compared.b.id,
        **_numbers(main),
        "margin": margin,
        "noise_floor": compared.is_noise,
        "clustered_by": "scenario" if main.clustered else "conversation",
        "broken": {
            "pairs": len(comparison.unfinished),
            "failed_a": comparison.failed("a"),
            "failed_b": comparison.failed("b"),
            "turns": comparison.unfinished_turns,
        },
        "unpaired": {"a": len(comparison.only_a), "b": len(comparison.only_b)},
        "compared": {side: round(main.pairs / max(1, comparison.count_cases(side)), 6) for side in "ab"},
        "criteria": [_numbers(difference) for difference in differences(comparison, margin)],
        "not_compared": {"other_version": compared.shared.differing, "one_side": compared.shared.one_sided},
        "changes": [change.model_dump(mode="json", exclude_defaults=True) for change in compared.changes],
        "worse": [_pair(row) for row in worse.itertuples()],
    }


def _numbers(difference: Difference) -> Json:
    fields = difference.model_dump()
    rounded = {
        "lower" if name == "lower_is_better" else name: round(value, 6) if isinstance(value, float) else value
        for name, value in fields.items()
    }
    names = {name: rounded.pop(name) or None for name in ("judge", "criterion")}
    return {"verdict": rounded.pop("verdict"), **names, **rounded}


def _pair(row: Any) -> Json:
    names = ("scenario", "persona", "repeat", "question", "conversation_a", "conversation_b")
    return {**{name: getattr(row, name) for name in names}, "a": round(row.a, 6), "b": round(row.b, 6)}


def as_text(compared: RunComparison, main: Difference, margin: float) -> str:
    """The verdict and what stands behind it, a line each."""
    lines = [verdict_line(compared, main, margin)]
    lines += [f"  {_difference_line(difference)}" for difference in differences(compared.scores, margin)]
    comparison = compared.scores
    if len(comparison.only_a) or len(comparison.only_b):
        lines.append(f"  not paired: {len(comparison.only_a)} conversations of A, {len(comparison.only_b)} of B")
    if compared.shared.differing:
        lines.append(
            f"  not compared, since different judge versions scored A and B: {', '.join(compared.shared.differing)}"
        )
    nothing = "nothing except how conversations ended" if comparison.more_failed > 0 else "nothing"
    lines.append("changed: " + (", ".join(map(_change, compared.changes)) or nothing))
    worse = changed_pairs(comparison, main.judge, main.criterion)
    if len(worse):
        lines.append(f"got worse: {len(worse)}")
    lines += [
        f"  {row.a:.3f} -> {row.b:.3f}  {row.scenario} {row.persona}" for row in worse.head(MAX_LISTED).itertuples()
    ]
    return "\n".join(lines)


def verdict_line(compared: RunComparison, main: Difference, margin: float) -> str:
    """The verdict in one sentence, with its interval and of how many."""
    name = f"{main.judge} {main.criterion}".strip()
    if not main.pairs:
        return f"{name or 'scores'}: cannot tell, {_nothing(compared.scores, main)}"
    of = count_text(main.pairs, "pair") + (f" of {count_text(main.clusters, 'scenario')}" if main.clustered else "")
    if main.low is None or main.high is None:
        are = "is" if main.pairs == 1 else "are"
        return f"{name}: cannot tell, {of} {are} too few ({main.difference:+.3f})"
    numbers = f"{main.difference:+.3f}, 95 % confidence interval {main.low:+.3f} to {main.high:+.3f}, {of}"
    beyond = f" by more than {margin:.12g}" if margin else ""
    conclusion = "noise, both runs are of the same bot" if compared.is_noise else f"{_VERDICTS[main.verdict]}{beyond}"
    return f"{name}: {conclusion} ({numbers}; smallest detectable difference: {_detectable(main)})"


def _nothing(comparison: Comparison, main: Difference) -> str:
    """Why there is no pair with a score on both sides."""
    if comparison.pairs.empty:
        return f"none of {count_text(comparison.common, 'common conversation')} is done on both sides"
    return "no pair has both scores" if main.criterion else "no judge scored both runs"


def _detectable(main: Difference) -> str:
    if main.detectable is not None:
        return f"{main.detectable:.3f}"
    return (
        f"unknown, since {'no pair differs' if main.low == main.high == 0 else 'all pairs differ by the same amount'}"
    )


def _difference_line(difference: Difference) -> str:
    name = f"{difference.judge} {difference.criterion}{' (lower is better)' if difference.lower_is_better else ''}"
    if difference.difference is None or difference.mean_a is None or difference.mean_b is None:
        return f"{name:<36} not scored ({difference.unscored} pairs)"
    has_interval = difference.low is not None and difference.high is not None
    between = f"{difference.low:+.3f} to {difference.high:+.3f}" if has_interval else "too few"
    return f"{name:<36} {difference.mean_a:.3f} -> {difference.mean_b:.3f}  {difference.difference:+.3f} ({between})  n = {difference.pairs}"


def _change(change: Change) -> str:
    return change.name if change.area == "bot" else f"{change.area} {change.name}"


def pair_tests(compared: RunComparison, main: Difference, margin: float, outcome: CommandOutcome) -> list[JUnitTest]:
    """A test for the verdict, which ends as the command does, and one for every pair.

    A pair is an error only if B alone failed and the command fails for that; a loss is shown in the test's output.
    """
    comparison = compared.scores
    sign = -1.0 if main.lower_is_better else 1.0
    table = scored_pairs(comparison, main.judge, main.criterion)
    tests = [outcome_test("verdict", "B against A", outcome, as_text(compared, main, margin))]
    tests += [_test(row, sign, margin) for row in table.itertuples()]
    tests += [_unfinished(row, outcome.broken) for row in comparison.unfinished.itertuples()]
    for side, rows in (("A", comparison.only_a), ("B", comparison.only_b)):
        tests += [_named(row, "skipped", f"only in {side}") for row in rows.itertuples()]
    return tests


def _test(row: Any, sign: float, margin: float) -> JUnitTest:
    improvement = sign * row.difference
    if improvement != improvement:
        return _named(row, "skipped", "no score on one side")
    lost = f", worse by more than {margin:.12g}" if margin else ", worse"
    message = f"{row.a:.3f} -> {row.b:.3f}{lost if improvement < -margin - ROUNDING else ''}"
    return _named(row, "passed", message)


def _unfinished(row: Any, strict: bool) -> JUnitTest:
    sides = (("A", row.status_a, as_sentence(row.error_a)), ("B", row.status_b, as_sentence(row.error_b)))
    message = "; ".join(f"{side} {status}{': ' if error else ''}{error}" for side, status, error in sides)
    alone = row.status_b == "failed" and row.status_a != "failed"
    return _named(row, "error" if strict and alone else "skipped", message)


def _named(row: Any, state: JUnitState, message: str = "") -> JUnitTest:
    name = case_name(row.scenario, row.persona, row.repeat, row.question)
    return JUnitTest(row.kind or "answers", f"compare.{row.scenario}", name, state, message, message)
