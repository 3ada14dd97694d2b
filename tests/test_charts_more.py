"""Charts carry their intervals and what is unscored, and say no more than the numbers do."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from core.base.calls import Spending
from core.report import charts
from core.report.charts_map import criteria_by
from core.report.charts_runs import Past, over_runs
from core.report.charts_work import cost_by_role, questions_asked, seconds_by_stage
from core.report.intervals import FEW, Interval, mean_interval
from core.report.looks import between, told
from core.report.means import Measured, by_column, measured, verdict
from core.report.summary import conversation_scores, criterion_scores
from tests.test_charts import LINE, frame_of, say

NAN = float("nan")
FRAME = frame_of(*[("turn", name, n, n / 20) for n in range(1, 11) for name in ("relevance", "overall")])


def test_a_line_is_reached_only_when_all_of_the_interval_reaches_it() -> None:
    assert verdict(Interval(0.9, 0.95, 9), LINE) == "reached"
    assert verdict(Interval(0.89, 0.95, 9), LINE) == "open"
    assert verdict(Interval(0.8, 0.89, 9), LINE) == "missed"
    assert verdict(None, LINE) == "open"


def test_a_mean_comes_with_its_interval_and_the_unscored() -> None:
    frame = pd.concat([frame_of(("turn", "overall", 3, NAN)), FRAME])
    one = measured("x", conversation_scores(frame))
    assert one is not None and (one.n, one.unscored) == (10, 1)
    assert one.interval == mean_interval([n / 20 for n in range(1, 11)])
    assert measured("x", conversation_scores(frame_of(("turn", "overall", 1, NAN)))) is None
    words = told(one, say)
    assert between(one.interval) in words and "charts_more.unscored 1" in words


def test_above_few_values_the_interval_is_the_same_but_quick() -> None:
    dice = random.Random(4)
    values = [dice.choice((0.4, 0.6, 0.8, 1.0)) for _ in range(FEW + 1)]
    quick, slow = mean_interval(values), mean_interval(values[:FEW])
    assert quick and slow
    assert (quick.low, quick.high) == pytest.approx((slow.low, slow.high), abs=0.005)


def test_bars_have_whiskers_as_long_as_their_intervals() -> None:
    figure = charts.by_criterion(FRAME, LINE, say)
    found = mean_interval([n / 20 for n in range(1, 11)])
    assert found is not None
    whisker = figure.data[2].error_x
    assert figure.data[0].x[0] + whisker.array[0] == pytest.approx(found.high)
    assert figure.data[0].x[0] - whisker.arrayminus[0] == pytest.approx(found.low)


def test_a_persona_with_one_conversation_has_no_interval() -> None:
    people = FRAME.assign(persona_name=["one"] * 2 + ["many"] * 18)
    found = {one.name: one for one in by_column(people, "persona_name")}
    assert found["one"].interval is None and found["many"].interval is not None and found["many"].n == 9


def test_a_grid_of_criteria_names_its_weakest_cell_and_counts_each() -> None:
    people = frame_of(
        *[
            ("turn", name, n, value)
            for n in range(1, 7)
            for name, value in (("relevance", 0.2 if n > 5 else 0.9), ("overall", 0.5))
        ]
    ).assign(persona_name=["<i>good"] * 10 + ["bad"] * 2)
    figure = criteria_by(people, "persona_name", say)
    assert figure.layout.title.text == "charts_more.grid_title &lt;i&gt;good relevance 90%"  # of enough conversations
    assert figure.data[0].z.tolist() == [[0.9, 0.5], [0.2, 0.5]]
    assert any("charts_more.talks 5" in text for text in figure.data[1].text)
    assert "<i>good" not in str(figure.to_dict())
    kinds = criteria_by(FRAME, "kind", say)
    assert kinds.layout.title.text.startswith("charts_more.grid_title kinds.faq")
    assert criteria_by(FRAME, "kind", say, "nobody").layout.title.text == "charts.empty"


def test_criteria_of_a_conversation_are_means_of_its_scored_turns() -> None:
    first = frame_of(("turn", "overall", 1, 0.2), ("turn", "relevance", 1, 1.0))
    second = frame_of(("turn", "overall", 1, 0.6), ("turn", "relevance", 1, NAN)).assign(turn=2)
    row = criterion_scores(pd.concat([first, second])).iloc[0]
    assert (row["overall"], row["relevance"], row["conversation"]) == (pytest.approx(0.4), 1.0, "c1")


def test_questions_back_are_counted_per_conversation_and_the_unknown_told() -> None:
    turns = pd.DataFrame(
        [("a", "ask"), ("a", "ask"), ("a", "search"), ("b", "search"), ("c", ""), ("c", "")],
        columns=["conversation", "decision"],
    )
    figure = questions_asked(turns, say)
    assert list(figure.data[0].x) == [0.5, 0, 0.5]
    assert figure.layout.title.text == "charts_more.asked_title 50% 1.0 2  (charts_more.asked_without 1)"
    unknown = questions_asked(turns[turns["conversation"] == "c"], say)
    assert unknown.layout.title.text == "charts_more.asked_unknown"


def test_seconds_are_medians_of_the_turns_that_had_the_stage() -> None:
    turns = [{"clarify": 1.0, "answer": 3.0, "total": 4.0}, {"clarify": 2.0}, {"clarify": 3.0, "answer": 5.0}]
    figure = seconds_by_stage(turns, say)
    assert list(figure.data[0].y) == ["charts_more.stage_clarify", "charts_more.stage_answer"]
    assert list(figure.data[0].x) == [2.0, 4.0]
    assert seconds_by_stage([], say).layout.title.text == "charts_more.seconds_none"


def test_cost_is_told_per_conversation_without_what_has_no_price() -> None:
    spent = {
        "bot": Spending(calls=4, cost=2.0, unpriced=1),
        "judge": Spending(calls=4, cost=6.0),
        "user": Spending(calls=3, unpriced=3),
    }
    figure = cost_by_role(spent, 4, lambda value: f"{value:g} <b>", say)
    assert list(figure.data[0].y) == ["models.role_judge", "models.role_bot"] and list(figure.data[0].x) == [1.5, 0.5]
    assert "2 &lt;b&gt;" in figure.layout.title.text and "charts_more.cost_unpriced 4" in figure.layout.title.text
    assert cost_by_role({}, 4, str, say).layout.title.text == "charts_more.cost_none"


def past(name: str, mean: float, version: str = "v1", half: float = 0.01) -> Past:
    return Past(
        name, "2026-01-01 10:00", "<b>n", Measured(name, mean, 50, Interval(mean - half, mean + half, 50)), version
    )


def test_runs_are_joined_only_while_the_judge_stays_the_same() -> None:
    runs = [past("r1", 0.5), past("r2", 0.6), past("r3", 0.95, "v2")]
    figure = over_runs(runs, LINE, say)
    lines = [list(trace.x) for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]
    assert lines == [[0, 1], [2]]
    marks = {trace.name: [mark[0] for mark in trace.customdata] for trace in figure.data if trace.mode == "markers"}
    assert marks == {"charts_more.run_reached": ["r3"], "charts_more.run_missed": ["r1", "r2"]}
    assert figure.layout.title.text.startswith("charts_more.runs_version") and "<b>n" not in str(figure.to_dict())


def test_a_change_between_runs_is_claimed_only_where_intervals_are_apart() -> None:
    def title(*runs: Past) -> str:
        return str(over_runs(runs, LINE, say).layout.title.text).split()[0]

    assert title(past("a", 0.5), past("b", 0.6)) == "charts_more.runs_up"
    assert title(past("a", 0.6), past("b", 0.5)) == "charts_more.runs_down"
    assert title(past("a", 0.5, half=0.1), past("b", 0.6, half=0.1)) == "charts_more.runs_same"
    assert title(past("a", 0.5)) == "charts_more.runs_one"


def test_conversations_of_one_scenario_are_hardly_more_than_one_observation() -> None:
    values = [n / 10 for n in range(1, 10)]
    alone = mean_interval(values, scenarios=range(9))
    thrice = mean_interval(values * 3, scenarios=[*range(9)] * 3)
    fooled = mean_interval(values * 3)
    assert alone and thrice and fooled and alone == mean_interval(values)
    wide, narrow = thrice.high - thrice.low, fooled.high - fooled.low
    assert wide > 1.5 * narrow and wide >= 0.95 * (alone.high - alone.low) and thrice.n == 27
    assert mean_interval([0.5, 0.7] * 6, scenarios=[1, 2] * 6) is None  # two scenarios, however often
