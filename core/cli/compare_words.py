"""A comparison of two runs in words, as JSON, and as JUnit tests."""

from __future__ import annotations

from typing import Any

from core.base.errors import as_sentence
from core.cli.junit import State, TestLine
from core.cli.lines import Json
from core.cli.outcome import ROUNDING, Outcome, counted, whole_test
from core.report.changes import Change
from core.report.compare import Comparison, Difference, differences, moved, scored_pairs
from core.run.compared import Compared

LISTED = 5  # pairs that got worse, in words
_SAID = {
    "better": "B is better than A",
    "worse": "B is worse than A",
    "within_margin": "neither is better or worse than the other",
    "cannot_tell": "cannot tell whether B is better or worse than A",
}


def more_failed(found: Comparison) -> str:
    """The sentence where B failed in more of the common conversations; empty where it did not."""
    if found.more_failed <= 0:
        return ""
    return (
        f"B failed in more of the common conversations than A: in {found.failed('b')} of {found.common},"
        f" A in {found.failed('a')}."
    )


def as_json(found: Compared, main: Difference, margin: float) -> Json:
    """Every number of the comparison; null where there is none."""
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
    names = {name: rounded.pop(name) or None for name in ("judge", "criterion")}
    return {"verdict": rounded.pop("verdict"), **names, **rounded}


def _pair(row: Any) -> Json:
    names = ("scenario", "persona", "repeat", "question", "conversation_a", "conversation_b")
    return {**{name: getattr(row, name) for name in names}, "a": round(row.a, 6), "b": round(row.b, 6)}


def spoken(found: Compared, main: Difference, margin: float) -> str:
    """The verdict and what stands behind it, a line each."""
    lines = [verdict_line(found, main, margin)]
    lines += [f"  {_line(one)}" for one in differences(found.comparison, margin)]
    comparison = found.comparison
    if len(comparison.only_a) or len(comparison.only_b):
        lines.append(f"  not paired: {len(comparison.only_a)} conversations of A, {len(comparison.only_b)} of B")
    if found.shared.differing:
        lines.append(f"  not compared, since judged in different versions: {', '.join(found.shared.differing)}")
    nothing = "nothing but how conversations ended" if comparison.more_failed > 0 else "nothing"
    lines.append("changed: " + (", ".join(map(_change, found.changes)) or nothing))
    worse = moved(comparison, main.judge, main.criterion)
    if len(worse):
        lines.append(f"got worse: {len(worse)}")
    lines += [f"  {row.a:.3f} -> {row.b:.3f}  {row.scenario} {row.persona}" for row in worse.head(LISTED).itertuples()]
    return "\n".join(lines)


def verdict_line(found: Compared, main: Difference, margin: float) -> str:
    """The verdict in one sentence, with its interval and of how many."""
    name = f"{main.judge} {main.criterion}".strip()
    if not main.pairs:
        return f"{name or 'scores'}: cannot tell, {_nothing(found.comparison, main)}"
    of = counted(main.pairs, "pair") + (f" of {counted(main.clusters, 'scenario')}" if main.clustered else "")
    if main.low is None or main.high is None:
        are = "is" if main.pairs == 1 else "are"
        return f"{name}: cannot tell, {of} {are} too few ({main.difference:+.3f})"
    numbers = f"{main.difference:+.3f}, 95 % interval {main.low:+.3f} to {main.high:+.3f}, {of}"
    beyond = f" by more than {margin:.12g}" if margin else ""
    said = "noise floor, both are the same bot" if found.noise else f"{_SAID[main.verdict]}{beyond}"
    return f"{name}: {said} ({numbers}; smallest difference these could have shown: {_detectable(main)})"


def _nothing(found: Comparison, main: Difference) -> str:
    """Why there is no pair with a score on both sides."""
    if found.pairs.empty:
        return f"none of {counted(found.common, 'common conversation')} came to its end on both sides"
    return "no pair has a score on both sides" if main.criterion else "no judge scored both runs"


def _detectable(main: Difference) -> str:
    if main.detectable is not None:
        return f"{main.detectable:.3f}"
    return "not known, since no pair differs" if main.low == main.high == 0 else "not known, since all differ alike"


def _line(one: Difference) -> str:
    name = f"{one.judge} {one.criterion}{' (less is better)' if one.lower else ''}"
    if one.difference is None or one.mean_a is None or one.mean_b is None:
        return f"{name:<36} unscored ({one.unscored} pairs)"
    between = "too few" if one.low is None or one.high is None else f"{one.low:+.3f} to {one.high:+.3f}"
    return f"{name:<36} {one.mean_a:.3f} -> {one.mean_b:.3f}  {one.difference:+.3f} ({between})  n = {one.pairs}"


def _change(change: Change) -> str:
    return change.name if change.area == "bot" else f"{change.area} {change.name}"


def pair_tests(found: Compared, main: Difference, margin: float, outcome: Outcome) -> list[TestLine]:
    """A test for the verdict, which ends as the command does, and one for every pair.

    A pair is an error only where B alone failed and the command fails for that; a loss is told in the test's output.
    """
    comparison = found.comparison
    sign = -1.0 if main.lower else 1.0
    table = scored_pairs(comparison, main.judge, main.criterion)
    tests = [whole_test("verdict", "B against A", outcome, spoken(found, main, margin))]
    tests += [_test(row, sign * row.difference, margin) for row in table.itertuples()]
    tests += [_broken(row, outcome.broken) for row in comparison.broken.itertuples()]
    for side, rows in (("A", comparison.only_a), ("B", comparison.only_b)):
        tests += [_named(row, "skipped", f"only in {side}") for row in rows.itertuples()]
    return tests


def _test(row: Any, gain: float, margin: float) -> TestLine:
    if gain != gain:
        return _named(row, "skipped", "no score on a side")
    lost = f", worse by more than {margin:.12g}" if margin else ", worse"
    told = f"{row.a:.3f} -> {row.b:.3f}{lost if gain < -margin - ROUNDING else ''}"
    return _named(row, "passed", told)


def _broken(row: Any, strict: bool) -> TestLine:
    sides = [
        (side.upper(), getattr(row, f"status_{side}"), as_sentence(getattr(row, f"error_{side}"))) for side in "ab"
    ]
    told = "; ".join(f"{side} {status}{': ' if error else ''}{error}" for side, status, error in sides)
    alone = row.status_b == "failed" and row.status_a != "failed"
    return _named(row, "error" if strict and alone else "skipped", told)


def _named(row: Any, state: State, told: str = "") -> TestLine:
    name = f"{row.scenario} {row.persona} #{row.repeat}: {' '.join(row.question.split())}"
    return TestLine(row.kind or "answers", f"compare.{row.scenario}", name, state, told, told)
