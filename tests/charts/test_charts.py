"""Charts show one judge at a time, say of how many, and never take a person's text for HTML."""

from __future__ import annotations

import pandas as pd

from core.analysis.run_means import JudgeScores, summarise
from core.charts import scores as charts
from core.charts.heat_maps import heat_map
from core.charts.label_text import wrap_label
from core.charts.style import BAMBOO, GREY, INDIGO, PERSIMMON, Marks, faded
from core.charts.turns import turn_lines
from core.store.export_records import SCORE_COLUMNS

LINE = 0.9
MARKS = Marks(LINE, 0.7)


def t(key: str, **details: object) -> str:
    if key.startswith("criteria.") and key != "criteria.overall":
        raise KeyError(key)
    return " ".join([key, *(str(value) for value in details.values())])


def frame_of(*rows: tuple[str, str, int, float]) -> pd.DataFrame:
    """A table of scores from (judge, criterion, conversation, value)."""
    found = [
        dict.fromkeys(SCORE_COLUMNS, "")
        | {"judge": judge, "criterion": name, "conversation": f"c{n}", "number": n, "turn": 1, "repeat": 1}
        | {"scenario": f"s{n}", "question": "<b>q</b>", "persona_name": "<i>p</i>", "kind": "faq", "value": value}
        for judge, name, n, value in rows
    ]
    return pd.DataFrame(found, columns=list(SCORE_COLUMNS)).astype({"value": "float64"})


FRAME = frame_of(
    ("turn", "overall", 1, 0.2),
    ("turn", "overall", 2, 0.4),
    ("keypoints", "completeness", 1, 1.0),
    ("keypoints", "completeness", 2, 0.8),
    ("keypoints", "hallucination", 1, 0.0),
    ("keypoints", "hallucination", 2, 0.1),
)


def test_the_criteria_are_those_of_the_judge_shown() -> None:
    bars = charts.criterion_bars(JudgeScores(FRAME, "keypoints", frozenset({"hallucination"})), MARKS, t).figure.data[0]
    assert list(bars.y) == ["completeness", "hallucination"] and list(bars.x) == [0.9, 0.05]
    assert list(bars.marker.color) == [faded(BAMBOO), faded(GREY)]
    assert list(charts.criterion_bars(JudgeScores(FRAME, "turn"), MARKS, t).figure.data[0].y) == ["criteria.overall"]


def test_a_judge_without_overall_is_shown_by_its_first_criterion() -> None:
    assert charts.distribution(JudgeScores(FRAME, "keypoints"), MARKS, t).finding.startswith("charts.spread_title 50%")
    found = summarise(FRAME, [], "keypoints")
    assert (found.criterion, found.score) == ("completeness", 0.9)
    assert set(found.criteria) == {"overall", "keypoints.completeness", "keypoints.hallucination"}


def test_names_that_people_wrote_are_no_html() -> None:
    drawn = [
        charts.by_group(JudgeScores(FRAME, "turn"), "persona_name", MARKS, t),
        heat_map(JudgeScores(FRAME, "keypoints"), MARKS, t),
    ]
    figures = [str(chart.figure.to_dict()) for chart in drawn]
    assert not any("<i>p" in figure or "<b>q" in figure for figure in figures)


def test_a_judge_that_scored_nothing_gives_empty_charts() -> None:
    for chart in (charts.criterion_bars, charts.distribution):
        assert chart(JudgeScores(FRAME, "nobody"), MARKS, t).finding == "charts.empty"
    assert turn_lines(JudgeScores(FRAME, "nobody"), LINE, t).finding == "charts.empty"
    assert charts.by_group(JudgeScores(FRAME, "nobody"), "kind", MARKS, t).finding == "charts.empty"


def test_where_less_is_better_the_highest_is_the_worst_and_there_is_no_pass_mark() -> None:
    less, frame = frozenset({"levenshtein"}), frame_of(("d", "levenshtein", 1, 0.0), ("d", "levenshtein", 2, 1.0))
    grid = heat_map(JudgeScores(frame, "d", less), MARKS, t)
    assert [cell[0] for cell in grid.figure.data[1].customdata] == ["s2", "s1"]
    assert grid.finding == "charts.few 0–100%"
    often = pd.concat([frame.assign(conversation=[f"{n}a", f"{n}b"], number=[2 * n, 2 * n + 1]) for n in range(5)])
    assert heat_map(JudgeScores(often, "d", less), MARKS, t).finding == "charts.map_lower <b>q</b> 100%"
    assert all(-0.25 <= cell < 0 for (cell,) in grid.figure.data[0].z), "grey: no pass mark applies"
    assert grid.figure.data[0].z[0][0] > grid.figure.data[0].z[1][0] and [
        list(row) for row in grid.figure.data[0].text
    ] == [
        ["100%"],
        ["0%"],
    ]
    spread = charts.distribution(JudgeScores(frame, "d", less), MARKS, t)
    assert spread.finding.startswith("charts.spread_lower 50%") and not spread.figure.layout.shapes
    people = frame.assign(persona_name=["good", "bad"])
    assert list(charts.by_group(JudgeScores(people, "d", less), "persona_name", MARKS, t).figure.data[0].y) == [
        "bad",
        "good",
    ]


def test_answers_without_a_kind_or_an_author_are_left_out_of_those_charts() -> None:
    frame = FRAME.assign(kind=["faq", "", *["faq"] * 4], persona_name=["", "p", *["p"] * 4])
    assert list(charts.by_group(JudgeScores(frame, "turn"), "kind", MARKS, t).figure.data[0].x) == [0.2]
    assert list(charts.by_group(JudgeScores(frame, "turn"), "persona_name", MARKS, t).figure.data[0].y) == ["p"]


def test_the_distribution_parts_its_bars_at_the_pass_mark_like_the_title() -> None:
    for line in (0.9, 0.87, 1.0, 0.0, 1 / 3):
        values = [line, line, max(0.0, line - 0.1), min(1.0, line + 0.1), (0.8 + 1.0) / 2]
        figure = charts.distribution(
            JudgeScores(frame_of(*[("turn", "overall", n, v) for n, v in enumerate(values)]), "turn"),
            Marks(line, 0.7),
            t,
        ).figure
        bars = figure.data[0]
        green = [n for n, color in zip(bars.y, bars.marker.color, strict=True) if color == BAMBOO]
        assert sum(bars.y) == 5 and sum(green) == sum(value >= line - 1e-9 for value in values)
        starts = [place - width / 0.88 / 2 for place, width in zip(bars.x, bars.width, strict=True)]
        first = min(start for start, color in zip(starts, bars.marker.color, strict=True) if color == BAMBOO)
        assert abs(first - line) < 1e-9
        assert (figure.layout.yaxis.dtick, figure.layout.yaxis.tickformat) == (1, ",d")


def test_colours_tell_pass_mark_and_alert_mark_and_no_bar_is_coloured_for_being_the_lowest() -> None:
    assert [MARKS.color(score) for score in (0.95, 0.9, 0.89, 0.7, 0.69)] == [BAMBOO, BAMBOO, INDIGO, INDIGO, PERSIMMON]
    high = frame_of(
        *[("turn", name, n, mark) for name, mark in (("relevance", 0.8), ("overall", 0.85)) for n in range(8)]
    )
    bars = charts.criterion_bars(JudgeScores(high, "turn"), MARKS, t).figure.data[0]
    assert list(bars.marker.color) == [INDIGO, INDIGO]
    few = charts.by_group(JudgeScores(FRAME, "turn"), "persona_name", MARKS, t).figure.data[0]
    assert list(few.marker.color) == [faded(PERSIMMON)], "too few for an interval"


def test_cells_have_the_colours_of_the_bars() -> None:
    scale = heat_map(JudgeScores(FRAME, "turn"), MARKS, t).figure.data[0].colorscale
    steps = [round(place * 1.25 - 0.25, 3) for place, _ in scale]
    assert steps == [-0.25, -0.013, 0.0, 0.7, 0.7, 0.9, 0.9, 1.0]


def test_labels_on_two_lines_keep_words_whole() -> None:
    assert wrap_label("We're a registered charity in Leeds") == "We're a<br>registered…"
    assert wrap_label("Reset my password") == "Reset my<br>password"
    assert wrap_label("x" * 40) == f"{'x' * 16}<br>{'x' * 16}…"
    assert wrap_label("パスワードを再設定したい") == "パスワードを再設<br>定したい"
    assert wrap_label("料金を知りたいです。") == "料金を知りたいで<br>す。"
    assert wrap_label("あいうえおかきく。さ") == "あいうえおかき<br>く。さ"
    assert wrap_label("<b>") == "&lt;b&gt;"
