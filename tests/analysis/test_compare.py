"""Two runs are compared pair by pair: what is missing is counted, never taken for zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.analysis.compare import (
    Comparison,
    changed_pairs,
    compare,
    difference_by,
    differences_within,
    scored_run,
    shared_versions,
)
from core.analysis.confidence_intervals import MIN_UNITS, T_UNITS, estimate, verdict_of
from core.charts.comparison import forest
from core.store.rows import JudgeVersion
from tests.charts.test_charts import t

CASE_COLUMNS = (
    *("conversation", "number", "scenario", "question", "kind", "persona", "persona_name"),
    *("repeat", "status", "error"),
)
NAN = float("nan")


def version(judge: str, name: str, turns: int) -> JudgeVersion:
    return JudgeVersion(judge=judge, version=name, turns=turns)


def cases(run: str, names: list[str], **columns: Any) -> pd.DataFrame:
    """Conversations about the scenarios named, all by the persona calm unless told."""
    rows = [
        {"conversation": f"{run}-{n}", "number": n, "scenario": name, "question": f"{name}?", "kind": "faq"}
        | {"persona": "calm", "persona_name": "Calm", "repeat": 1, "status": "done", "error": ""}
        for n, name in enumerate(names, 1)
    ]
    return pd.DataFrame(rows, columns=list(CASE_COLUMNS)).assign(**columns)


def scores(run: str, *values: float | list[float], judge: str = "turn", criterion: str = "overall") -> pd.DataFrame:
    """A score for each turn of each conversation, one by one."""
    rows = [
        {"conversation": f"{run}-{n}", "turn": turn, "judge": judge, "criterion": criterion, "value": value}
        for n, turn_values in enumerate(values, 1)
        for turn, value in enumerate(turn_values if isinstance(turn_values, list) else [turn_values], 1)
    ]
    return pd.DataFrame(rows, columns=["conversation", "turn", "judge", "criterion", "value"])


def compared(a: list[Any], b: list[Any], **options: Any) -> Comparison:
    """Two runs about as many scenarios as there are values."""
    names = [f"q{n}" for n in range(len(a))]
    return pair(scores("a", *a), scores("b", *b), cases("a", names), cases("b", names), **options)


def pair(a: pd.DataFrame, b: pd.DataFrame, cases_a: pd.DataFrame, cases_b: pd.DataFrame, **options: Any) -> Comparison:
    """Two runs by their scores and conversations."""
    return compare(scored_run(cases_a, a), scored_run(cases_b, b), **options)


def test_a_clear_gain_is_better_and_turned_round_where_less_is_better() -> None:
    a, b = [0.2, 0.4, 0.4, 0.6, 0.2, 0.4, 0.6, 0.4], [0.6, 0.6, 0.8, 0.8, 0.6, 0.6, 0.8, 0.8]
    found = difference_by(compared(a, b), "turn", "overall")
    assert (found.verdict, found.pairs, found.clusters, found.unscored) == ("better", 8, 8, 0)
    assert found.difference == pytest.approx(0.3) and found.low is not None and 0 < found.low < 0.3
    assert found.mean_a == pytest.approx(0.4) and found.mean_b == pytest.approx(0.7)
    less = {"turn": frozenset({"overall"})}
    assert difference_by(compared(a, b, lower_criteria=less), "turn", "overall").verdict == "worse"
    assert difference_by(compared(b, a), "turn", "overall").verdict == "worse"


def test_a_loss_within_the_margin_is_not_worse() -> None:
    found = compared([0.6] * 8, [0.5, 0.5, 0.5, 0.5, 0.4, 0.5, 0.5, 0.5])
    assert difference_by(found, "turn", "overall").verdict == "worse"
    assert difference_by(found, "turn", "overall", margin=0.2).verdict == "within_margin"
    assert difference_by(found, "turn", "overall", margin=0.1).verdict == "cannot_tell", "the interval goes beyond"


def test_neither_is_better_where_the_whole_interval_lies_within_the_margin() -> None:
    found = estimate([0.1, -0.1] * 8, range(16))
    assert found and found.low is not None and found.high is not None and found.low < 0 < found.high < 0.1
    assert verdict_of(found, margin=0.1) == verdict_of(found, lower_is_better=True, margin=0.1) == "within_margin"
    assert verdict_of(found, margin=0.02) == "cannot_tell", "it could be more than that"
    assert verdict_of(found) == "cannot_tell", "nothing lies within no margin"
    assert verdict_of(estimate([0.1, -0.1], range(2)), margin=1.0) == "cannot_tell", "there is no interval"


def test_turns_are_averaged_into_conversations_first() -> None:
    found = compared([[1.0, 0.0, NAN]] + [0.5] * 5, [[0.5]] + [0.5] * 5)
    one = difference_by(found, "turn", "overall")
    assert (one.difference, one.low, one.high, one.pairs) == (0.0, 0.0, 0.0, 6) and one.verdict == "cannot_tell"


def test_what_has_no_score_on_a_side_is_counted_and_never_zero() -> None:
    found = compared([0.5, NAN, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, NAN, 0.5, 0.5, 0.5, 0.5])
    one = difference_by(found, "turn", "overall")
    assert (one.pairs, one.unscored, one.mean_a, one.mean_b) == (5, 2, 0.5, 0.5)
    assert one.low is None and one.verdict == "cannot_tell"


def test_all_unscored_or_no_pair_is_inconclusive() -> None:
    nothing = difference_by(compared([NAN] * 7, [0.5] * 7), "turn", "overall")
    assert (nothing.pairs, nothing.unscored, nothing.difference, nothing.verdict) == (0, 7, None, "cannot_tell")
    apart = pair(scores("a", 0.5), scores("b", 0.5), cases("a", ["q1"]), cases("b", ["q2"]))
    assert apart.pairs.empty and len(apart.only_a) == len(apart.only_b) == 1
    assert difference_by(apart, "turn", "overall").pairs == 0 and changed_pairs(apart, "turn", "overall").empty
    empty = pair(scores("a"), scores("b"), cases("a", []), cases("b", []))
    assert empty.main_criterion() is None and empty.criteria == []


def test_one_pair_has_a_difference_but_no_interval() -> None:
    one = difference_by(compared([0.2], [0.8]), "turn", "overall")
    assert one.difference == pytest.approx(0.6) and (one.low, one.detectable, one.verdict) == (
        None,
        None,
        "cannot_tell",
    )


def test_failed_and_unpaired_conversations_are_listed_and_in_no_mean() -> None:
    names = [f"q{n}" for n in range(8)]
    b = cases("b", [*names[:7], "new"], status=["failed", *["done"] * 7], error=["fell", *[""] * 7])
    found = pair(scores("a", *[0.5] * 8), scores("b", 0.0, *[0.5] * 7), cases("a", names), b)
    assert list(found.unfinished["scenario"]) == ["q0"] and list(found.unfinished["error_b"]) == ["fell"]
    assert (found.failed("a"), found.failed("b")) == (0, 1)
    assert list(found.only_a["scenario"]) == ["q7"] and list(found.only_b["scenario"]) == ["new"]
    assert difference_by(found, "turn", "overall").difference == 0.0


def test_pairs_are_of_one_question_persona_and_repeat() -> None:
    a = cases("a", ["q", "q", "q"], persona=["calm", "busy", "calm"], repeat=[1, 1, 2])
    b = cases("b", ["q", "q", "q"], persona=["busy", "calm", "calm"], repeat=[1, 2, 1])
    pairs = pair(scores("a", 0.1, 0.2, 0.3), scores("b", 0.2, 0.3, 0.1), a, b).pairs
    assert list(zip(pairs["conversation_a"], pairs["conversation_b"], strict=True)) == [
        *(("a-1", "b-3"), ("a-2", "b-1"), ("a-3", "b-2"))
    ]
    other = cases("b", ["q", "q", "q"], question="another question?")
    assert pair(scores("a"), scores("b"), a, other).pairs.empty


def test_pairs_of_one_scenario_go_together() -> None:
    values = [0.3] * 6 + [-0.1] * 6 + [0.2] * 6 + [-0.2] * 6 + [0.25] * 6 + [0.0] * 6
    marks = [f"q{place // 6}" for place in range(36)]
    together, alone = estimate(values, marks), estimate(values, range(36))
    assert together and alone and (together.clusters, alone.clusters) == (6, 36)
    assert together.low is not None and alone.low is not None and together.low < 0 < alone.low
    assert verdict_of(alone) == "better" and verdict_of(together) == "cannot_tell"


@pytest.mark.parametrize("size", [MIN_UNITS, 40, T_UNITS, T_UNITS + 1])
def test_the_interval_is_that_of_students_t_on_even_data(size: int) -> None:
    values = np.random.default_rng(size).normal(0.1, 0.2, size)
    found = estimate(values, range(size))
    error = values.std(ddof=1) / np.sqrt(size)
    t = {MIN_UNITS: 2.571, 40: 2.023, T_UNITS: 1.966, T_UNITS + 1: 1.966}[size]
    assert found and found.low is not None and found.high is not None and found.detectable is not None
    assert (found.high - found.low) / (2 * t * error) == pytest.approx(1.0, abs=0.12)
    eighty = {MIN_UNITS: 0.920, 40: 0.851, T_UNITS: 0.843, T_UNITS + 1: 0.843}[size]
    assert found.detectable == pytest.approx((t + eighty) * error, rel=0.01)
    assert estimate(values, range(size)) == found


def test_ties_everywhere_are_an_interval_of_zero() -> None:
    found = estimate([0.0] * 10, range(10))
    assert found and (found.low, found.high) == (0.0, 0.0) and verdict_of(found) == "cannot_tell"
    assert verdict_of(estimate([0.0] * 10, range(10)), margin=0.05) == "within_margin"


@pytest.mark.parametrize("each", [0.0, -0.3])
def test_pairs_that_all_differ_alike_give_no_detectable_difference(each: float) -> None:
    found = estimate([each] * 15, range(15))
    assert found and found.low == found.high == pytest.approx(each) and found.detectable is None


def test_what_got_worse_comes_worst_first() -> None:
    found = compared([0.8, 0.8, 0.8, 0.2], [0.6, 0.2, 0.8, 0.6])
    worse, better = (changed_pairs(found, "turn", "overall", each) for each in (True, False))
    assert list(worse["scenario"]) == ["q1", "q0"] and list(better["scenario"]) == ["q3"]
    less = compared([0.8, 0.8, 0.8, 0.2], [0.6, 0.2, 0.8, 0.6], lower_criteria={"turn": frozenset({"overall"})})
    assert list(changed_pairs(less, "turn", "overall")["scenario"]) == ["q3"]


def test_groups_are_ordered_by_loss() -> None:
    names = [f"q{n}" for n in range(4)]
    kinds = ["faq", "faq", "vague", "vague"]
    frames = scores("a", 0.5, 0.5, 0.5, 0.5), scores("b", 0.7, 0.7, 0.1, 0.1)
    found = pair(*frames, cases("a", names, kind=kinds), cases("b", names))
    groups = differences_within(found, "turn", "overall", "kind")
    assert list(groups) == ["vague", "faq"] and [one.pairs for one in groups.values()] == [2, 2]
    assert groups["vague"].difference == pytest.approx(-0.4)


def test_versions_of_a_judge_are_never_mixed() -> None:
    a = [version("turn", "new", 3), version("turn", "old", 9), version("qa", "x", 9), version("sum", "s", 1)]
    b = [version("turn", "old", 9), version("turn", "new", 9), version("qa", "y", 9)]
    shared = shared_versions(a, b)
    assert shared.versions == {"turn": "old"} and shared.differing == ("qa",) and shared.one_sided == ("sum",)


def test_the_forest_shows_every_criterion_and_no_html() -> None:
    found = compared([0.2, 0.4, 0.4, 0.6, 0.2, 0.4, 0.6], [0.6, 0.6, 0.8, 0.8, 0.6, 0.6, 0.8])
    one = difference_by(found, "turn", "overall")
    chart = forest([("<b>x", one), ("y", one.model_copy(update={"verdict": "cannot_tell"}))], t, "criteria")
    assert "<b>x" not in str(chart.figure.to_dict()["layout"]["yaxis"]) and len(chart.figure.layout.yaxis.ticktext) == 2
    assert chart.finding == "charts.forest_criteria 0 1 2"
    assert [trace.marker.symbol for trace in chart.figure.data if trace.mode == "markers"] == ["triangle-up", "circle"]
    nothing = difference_by(compared([NAN], [NAN]), "turn", "overall")
    assert forest([("x", nothing)], t, "criteria").finding == "charts.empty"
