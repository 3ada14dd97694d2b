"""Charts carry their intervals and what is unscored, and say no more than the numbers do."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from core.analysis.clarification import count_questions
from core.analysis.confidence_intervals import T_UNITS, Interval, mean_interval
from core.analysis.run_means import (
    JudgeScores,
    MeanScore,
    by_column,
    conversation_scores,
    criterion_scores,
    mean_of,
    pass_verdict,
)
from core.base.calls import Spending
from core.charts import scores as charts
from core.charts.heat_maps import criteria_by, heat_map
from core.charts.questions_time_cost import cost_by_role, questions_asked, seconds_by_stage
from core.charts.runs import RunScore, score_over_runs
from core.charts.style import hover_text, interval_text
from core.charts.turns import turn_lines
from tests.charts.test_charts import LINE, MARKS, frame_of, t

NAN = float("nan")
FRAME = frame_of(*[("turn", name, n, n / 20) for n in range(1, 11) for name in ("relevance", "overall")])


def test_a_line_is_reached_only_when_all_of_the_interval_reaches_it() -> None:
    assert pass_verdict(Interval(0.9, 0.95), LINE) == "reached"
    assert pass_verdict(Interval(0.89, 0.95), LINE) == "open"
    assert pass_verdict(Interval(0.8, 0.89), LINE) == "missed"
    assert pass_verdict(None, LINE) == "open"


def test_a_mean_comes_with_its_interval_and_the_unscored() -> None:
    frame = pd.concat([frame_of(("turn", "overall", 3, NAN)), FRAME])
    one = mean_of("x", conversation_scores(frame, "overall", "turn"))
    assert one is not None and (one.n, one.unscored) == (10, 1)
    assert one.interval == mean_interval([n / 20 for n in range(1, 11)])
    assert mean_of("x", conversation_scores(frame_of(("turn", "overall", 1, NAN)), "overall", "turn")) is None
    words = hover_text(one, t)
    assert interval_text(one.interval) in words and "charts.unscored 1" in words


def test_above_few_values_the_interval_is_the_same_but_quick() -> None:
    dice = random.Random(4)
    values = [dice.choice((0.4, 0.6, 0.8, 1.0)) for _ in range(T_UNITS + 1)]
    normal, slow = mean_interval(values), mean_interval(values[:T_UNITS])
    assert normal and slow
    assert (normal.low, normal.high) == pytest.approx((slow.low, slow.high), abs=0.005)


def test_bars_have_whiskers_as_long_as_their_intervals() -> None:
    figure = charts.criterion_bars(JudgeScores(FRAME, "turn"), MARKS, t).figure
    found = mean_interval([n / 20 for n in range(1, 11)])
    assert found is not None
    whisker = figure.data[2].error_x
    assert figure.data[0].x[0] + whisker.array[0] == pytest.approx(found.high)
    assert figure.data[0].x[0] - whisker.arrayminus[0] == pytest.approx(found.low)


def test_a_persona_with_one_conversation_has_no_interval() -> None:
    people = FRAME.assign(persona_name=["one"] * 2 + ["many"] * 18)
    found = {one.name: one for one in by_column(people, "persona_name", "turn")}
    assert found["one"].interval is None and found["many"].interval is not None and found["many"].n == 9


def of_personas(*people: tuple[str, int, float]) -> pd.DataFrame:
    """Scores of relevance (overall is 0.5 throughout) from (persona, conversations, relevance)."""
    every = [(name, value) for name, n, value in people for _ in range(n)]
    rows = [
        ("turn", criterion, n, mark)
        for n, (_, value) in enumerate(every)
        for criterion, mark in (("relevance", value), ("overall", 0.5))
    ]
    return frame_of(*rows).assign(persona_name=[name for name, _ in every for _ in range(2)])


def test_a_grid_of_criteria_names_its_weakest_cell_where_it_stands_out() -> None:
    chart = criteria_by(
        JudgeScores(of_personas(("<i>good", 6, 0.9), ("bad", 6, 0.2)), "turn"), "persona_name", MARKS, t
    )
    assert chart.finding == "charts.grid_title bad relevance 20%"
    assert sorted(chart.figure.data[0].z.round(6).tolist()) == [[0.2, 0.5], [0.9, 0.5]]
    assert "<i>good" not in str(chart.figure.to_dict())
    few = criteria_by(JudgeScores(of_personas(("good", 6, 0.9), ("bad", 4, 0.2)), "turn"), "persona_name", MARKS, t)
    assert few.finding == "charts.few 20–90%"
    tied = criteria_by(
        JudgeScores(of_personas(("good", 6, 0.9), ("bad", 6, 0.2), ("poor", 6, 0.202)), "turn"),
        "persona_name",
        MARKS,
        t,
    )
    assert tied.finding == "charts.tie 20–90%"
    assert criteria_by(JudgeScores(FRAME, "turn"), "kind", MARKS, t).finding.startswith("charts.single")
    assert criteria_by(JudgeScores(FRAME, "nobody"), "kind", MARKS, t).finding == "charts.empty"


def test_cells_show_mean_interval_count_and_what_is_unscored() -> None:
    frame = pd.concat([FRAME, frame_of(("turn", "relevance", 11, NAN), ("turn", "overall", 11, 0.5))])
    hover = {
        text.split(":")[0].split("<br>")[1]: text
        for text in criteria_by(JudgeScores(frame, "turn"), "kind", MARKS, t).figure.data[1].text
    }
    known = mean_interval([n / 20 for n in range(1, 11)])
    assert known and interval_text(known) in hover["relevance"] and "charts.conversations 10" in hover["relevance"]
    assert "charts.unscored 1" in hover["relevance"] and "charts.unscored 0" in hover["criteria.overall"]
    lone = [text for text in heat_map(JudgeScores(frame, "turn"), MARKS, t).figure.data[1].text if "relevance" in text]
    assert sum("charts.too_few_scenarios" in text and "charts.conversations 1" in text for text in lone) == 10
    assert sum("charts.not_scored" in text for text in lone) == 1


def test_conversations_of_a_scenario_shown_alone_are_independent() -> None:
    alike = FRAME.assign(scenario="s1")
    (overall,) = [
        text
        for text in heat_map(JudgeScores(alike, "turn"), MARKS, t).figure.data[1].text
        if "criteria.overall" in text
    ]
    known = mean_interval([n / 20 for n in range(1, 11)])
    assert interval_text(known) in overall


def test_criteria_of_a_conversation_are_means_of_its_scored_turns() -> None:
    first = frame_of(("turn", "overall", 1, 0.2), ("turn", "relevance", 1, 1.0))
    second = frame_of(("turn", "overall", 1, 0.6), ("turn", "relevance", 1, NAN)).assign(turn=2)
    row = criterion_scores(pd.concat([first, second]), "turn").iloc[0]
    assert (row["overall"], row["relevance"], row["conversation"]) == (pytest.approx(0.4), 1.0, "c1")


def test_clarifying_questions_are_counted_per_conversation_and_unknown_ones_shown() -> None:
    turns = pd.DataFrame(
        [("a", "ask"), ("a", "ask"), ("a", "search"), ("b", "search"), ("c", ""), ("c", "")],
        columns=["conversation", "decision"],
    )
    chart = questions_asked(count_questions(turns), 1, t)
    assert list(chart.figure.data[0].x) == [0.5, 0, 0.5]
    assert chart.finding == "charts.asked_title 50% 1.0 2  (charts.asked_without 1)"
    unknown = questions_asked(count_questions(turns[turns["conversation"] == "c"]), 1, t)
    assert unknown.finding == "charts.asked_unknown"


def test_seconds_are_medians_of_the_turns_that_had_the_stage() -> None:
    turns = [{"clarify": 1.0, "answer": 3.0, "total": 4.0}, {"clarify": 2.0}, {"clarify": 3.0, "answer": 5.0}]
    chart = seconds_by_stage(turns, t)
    assert list(chart.figure.data[0].y) == ["charts.stage_clarify", "charts.stage_answer"]
    assert list(chart.figure.data[0].x) == [2.0, 4.0]
    assert seconds_by_stage([], t).finding == "charts.seconds_none"


def test_cost_is_given_per_conversation_without_what_has_no_price() -> None:
    spent = {
        "bot": Spending(calls=4, cost=2.0, unpriced=1),
        "judge": Spending(calls=4, cost=6.0),
        "user": Spending(calls=3, unpriced=3),
    }
    chart = cost_by_role(spent, 4, lambda value: f"{value:g} <b>", t)
    assert list(chart.figure.data[0].y) == ["models.role_judge", "models.role_bot"] and list(
        chart.figure.data[0].x
    ) == [1.5, 0.5]
    assert "2 <b>" in chart.finding and "charts.cost_unpriced 4" in chart.finding
    assert cost_by_role({}, 4, str, t).finding == "charts.cost_none"


def run_score(name: str, mean: float, version: str = "v1", half: float = 0.01) -> RunScore:
    return RunScore(
        name, "2026-01-01 10:00", "<b>n", MeanScore(name, mean, 50, Interval(mean - half, mean + half)), version
    )


def test_runs_are_joined_only_while_the_judge_stays_the_same() -> None:
    runs = [run_score("r1", 0.5), run_score("r2", 0.6), run_score("r3", 0.95, "v2")]
    chart = score_over_runs(runs, LINE, t)
    lines = [list(trace.x) for trace in chart.figure.data if trace.mode == "lines" and trace.x[0] is not None]
    assert lines == [[0, 1], [2]]
    marks = {
        trace.name: [mark[0] for mark in trace.customdata] for trace in chart.figure.data if trace.mode == "markers"
    }
    assert marks == {"charts.run_reached": ["r3"], "charts.run_missed": ["r1", "r2"]}
    assert chart.finding.startswith("charts.runs_version") and "<b>n" not in str(chart.figure.to_dict())


def test_runs_with_and_without_clarifying_questions_are_neither_joined_nor_compared() -> None:
    runs = [run_score("r1", 0.5), run_score("r2", 0.6), run_score("r3", 0.7)._replace(asks=False)]
    chart = score_over_runs(runs, LINE, t)
    assert [list(trace.x) for trace in chart.figure.data if trace.mode == "lines" and trace.x[0] is not None] == [
        [0, 1],
        [2],
    ]
    assert chart.finding == "charts.runs_asking 70%"
    values = chart.figure.layout.xaxis.ticktext
    assert ["charts.run_without" in text for text in values] == [False, False, True]
    assert ["50%" in values[0], "60%" in values[1], "70%" in values[2]] == [True] * 3


def test_a_change_between_runs_is_claimed_only_where_intervals_are_apart() -> None:
    def title(*runs: RunScore) -> str:
        return str(score_over_runs(runs, LINE, t).finding).split()[0]

    assert title(run_score("a", 0.5), run_score("b", 0.6)) == "charts.runs_up"
    assert title(run_score("a", 0.6), run_score("b", 0.5)) == "charts.runs_down"
    assert title(run_score("a", 0.5, half=0.1), run_score("b", 0.6, half=0.1)) == "charts.runs_same"
    assert title(run_score("a", 0.5)) == "charts.runs_one"


def test_the_opened_run_has_a_ring_and_the_title_is_about_it() -> None:
    runs = [run_score("r1", 0.5), run_score("r2", 0.6), run_score("r3", 0.4)]
    chart = score_over_runs(runs, LINE, t, opened="r2")
    (ring,) = [trace for trace in chart.figure.data if trace.name == "charts.this_run"]
    assert (list(ring.x), list(ring.y)) == ([1], [0.6])
    assert chart.finding == "charts.run_up 60% 50%"
    assert score_over_runs(runs, LINE, t, opened="r1").finding == "charts.run_one 50%"
    for newest in ("r3", "gone", None):
        assert score_over_runs(runs, LINE, t, opened=newest).finding == "charts.runs_down 40% 60%"
    assert not [
        trace for trace in score_over_runs(runs, LINE, t, opened="gone").figure.data if "opened" in (trace.name or "")
    ]


def test_a_bar_without_an_interval_says_so() -> None:
    figure = charts.by_group(
        JudgeScores(of_personas(("one", 5, 0.1), ("many", 6, 0.9)), "turn"), "persona_name", MARKS, t
    ).figure
    notes = figure.data[-1].text
    assert ["charts.no_interval" in note for note in notes] == [False, True]  # many, one
    whisker = figure.data[2].error_x
    assert [len(whisker.array), len(whisker.arrayminus), len(figure.data[2].x)] == [1, 1, 1]  # of "many" alone
    assert figure.data[2].y[0] == figure.data[0].y[0]


def test_a_worst_persona_is_named_only_where_it_stands_out() -> None:
    def title(*people: tuple[str, int, float]) -> str:
        frame = of_personas(*people)
        return str(
            charts.by_group(
                JudgeScores(frame[frame["criterion"] == "relevance"], "turn"), "persona_name", MARKS, t
            ).finding
        )

    assert title(("a", 5, 0.9), ("b", 5, 0.5)) == "charts.persona_title b 50%"
    assert title(("a", 3, 0.9), ("b", 3, 0.5)) == "charts.few 50–90%"
    assert title(("a", 9, 0.9), ("b", 4, 0.5)) == "charts.few 50–90%"
    assert title(("a", 9, 1.0)) == "charts.single 100%"
    assert title(("a", 5, 0.9), ("b", 5, 0.5), ("c", 5, 0.501)) == "charts.tie 50–90%"
    assert title(("a", 5, 0.9), ("b", 5, 0.9)) == "charts.persona_same 90%"


def test_turns_of_few_conversations_neither_rise_nor_fall() -> None:
    later = [("turn", "overall", n, 0.2) for n in range(1, 5)]
    frame = pd.concat([FRAME[FRAME["criterion"] == "overall"], frame_of(*later).assign(turn=2)])
    assert turn_lines(JudgeScores(frame, "turn"), LINE, t).finding == "charts.turn_few 2 4"
    enough = pd.concat([frame, frame_of(("turn", "overall", 5, 0.2)).assign(turn=2)])
    assert turn_lines(JudgeScores(enough, "turn"), LINE, t).finding.startswith("charts.turn_title_rises")


def test_conversations_of_one_scenario_are_hardly_more_than_one_observation() -> None:
    values = [n / 10 for n in range(1, 10)]
    alone = mean_interval(values, scenarios=range(9))
    thrice = mean_interval(values * 3, scenarios=[*range(9)] * 3)
    fooled = mean_interval(values * 3)
    assert alone and thrice and fooled and alone == mean_interval(values)
    wide, narrow = thrice.high - thrice.low, fooled.high - fooled.low
    assert wide > 1.5 * narrow and wide >= 0.95 * (alone.high - alone.low)
    assert mean_interval([0.5, 0.7] * 6, scenarios=[1, 2] * 6) is None  # two scenarios, however often
