"""Where a run is weak at a glance: coloured grids of scenario, persona or kind by criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.analysis.formatting import percent, short_label
from core.analysis.names import criterion_name
from core.analysis.run_means import JudgeScores, MeanScore, by_cell, criterion_scores
from core.base.means import ROUNDING
from core.base.translate import Translate
from core.charts.label_text import wrap_label
from core.charts.style import BARE, CELL_TEXT, Chart, Marks, apply_style, click_targets, empty_chart, go, hover_text
from core.charts.titles import range_title, worst_of

MAX_MAP_ROWS = 12  # scenarios in the heat map; more cannot be read
GREY_FROM = -0.25  # below zero the colours are greys, for criteria without a pass mark
CellMeans = Mapping[tuple[str, str], MeanScore]  # by row and criterion


def heat_map(judged: JudgeScores, marks: Marks, t: Translate) -> Chart:
    """Scenario by criterion, the lowest scenarios first (at most 12); a cell's custom data is the scenario's id."""
    scores = _scored(judged)
    if scores.empty:
        return empty_chart(t)
    main, lower_is_better = judged.main_criterion, judged.lower_is_better
    table = _means(scores, "scenario", judged)
    lowest = table.index[:MAX_MAP_ROWS]
    counts = scores.groupby("scenario", observed=True)[main].count()
    asked = dict(zip(scores["scenario"].astype(str), scores["question"].astype(str), strict=True))
    cells = by_cell(judged.frame, scores[scores["scenario"].isin(lowest)], "scenario", judged.judge)
    hover = _hover(table.loc[lowest], cells, [short_label(asked[row], 60) for row in lowest], t)
    figure = _grid(table.loc[lowest], judged, [wrap_label(asked[row]) for row in lowest], hover, marks, t)
    figure.data[1].hovertemplate = f"%{{text}}<br><i>{t('charts.map_open')}</i><extra></extra>"
    means = [MeanScore(str(row), float(mean), int(counts.loc[str(row)])) for row, mean in table[main].dropna().items()]
    at = worst_of(means, lower_is_better)
    if at is None:
        title = range_title(means, t, lower_is_better)
    else:
        words = {"name": short_label(asked[means[at].name], 40), "score": percent(means[at].mean)}
        title = t("charts.map_lower" if lower_is_better else "charts.map_title", **words)
    if len(table) > MAX_MAP_ROWS:
        title += f"  ({t('charts.map_more', n=MAX_MAP_ROWS, all=len(table))})"
    return apply_style(figure, title, 94 + 44 * len(lowest), top=56)


def criteria_by(judged: JudgeScores, column: str, marks: Marks, t: Translate) -> Chart:
    """Persona (`persona_name`) or `kind` by criterion, the weakest first; pointing at a cell tells interval and n."""
    scores = _scored(judged)
    scores = scores[scores[column] != ""]
    if scores.empty:
        return empty_chart(t)
    table = _means(scores, column, judged)
    names = {str(row): t(f"kinds.{row}") if column == "kind" else str(row) for row in table.index}
    cells = by_cell(judged.frame, scores, column, judged.judge)
    hover = _hover(table, cells, [short_label(name, 40) for name in names.values()], t)
    figure = _grid(table, judged, [wrap_label(name) for name in names.values()], hover, marks, t)
    figure.data[1].customdata = None  # a click opens nothing
    title = _weakest(cells, names, judged, t)
    return apply_style(figure, title, 114 + 44 * len(table), top=56)


def _scored(judged: JudgeScores) -> pd.DataFrame:
    """`criterion_scores` of the conversations with a score."""
    scores, names = criterion_scores(judged.frame, judged.judge), judged.criteria
    return scores[scores[names].notna().any(axis=1)] if names else scores[:0]


def _means(scores: pd.DataFrame, column: str, judged: JudgeScores) -> pd.DataFrame:
    """Each value of a column by criterion, the worst first."""
    means = scores.groupby(column, sort=True, observed=True)[judged.criteria].mean()
    return means.sort_values(judged.main_criterion, ascending=not judged.lower_is_better, kind="stable")


def _hover(shown: pd.DataFrame, cells: CellMeans, notes: Sequence[str], t: Translate) -> list[str]:
    """What each cell says when it is pointed at, row by row: of what, mean, interval or too few, n, unscored."""
    return [
        "<br>".join([note, f"{criterion_name(name, t)}: {hover_text(score, t) if score else t('charts.not_scored')}"])
        for row, note in zip(shown.index, notes, strict=True)
        for name in shown.columns
        for score in (cells.get((str(row), name)),)
    ]


def _weakest(cells: CellMeans, rows: Mapping[str, str], judged: JudgeScores, t: Translate) -> str:
    """The weakest cell among the criteria of which more is better (else of all), if one may be named."""
    lower = judged.lower_criteria
    named = [name for name in judged.criteria if name not in lower and name != "overall"] or judged.criteria
    lower_is_better = all(name in lower for name in named)
    scores = [(criterion, score) for (_, criterion), score in cells.items() if criterion in named]
    at = worst_of([score for _, score in scores], lower_is_better)
    if at is None:
        return range_title([score for _, score in scores], t, lower_is_better)
    name, score = scores[at]
    words = {"row": short_label(rows[score.name], 24), "name": criterion_name(name, t), "score": percent(score.mean)}
    return t("charts.grid_title", **words)


def _colors(marks: Marks) -> list[list[Any]]:
    """The colours of `Marks`, light enough for dark text: below the alert mark the stronger the lower."""
    pass_mark = marks.pass_mark - ROUNDING
    alert_mark = min(marks.alert_mark - ROUNDING, pass_mark)
    stops = (
        *((GREY_FROM, "#e6e7ea"), (GREY_FROM / 20, "#a6aab2")),
        *((0.0, "#e88a52"), (alert_mark, "#f7cdab")),
        *((alert_mark, "#b3c0e4"), (pass_mark, "#b3c0e4")),
        *((pass_mark, "#aacda5"), (1.0, "#aacda5")),
    )
    return [[max(0.0, value - GREY_FROM) / (1 - GREY_FROM), color] for value, color in stops]


def _grid(
    shown: pd.DataFrame, judged: JudgeScores, rows: Sequence[str], hover: Sequence[str], marks: Marks, t: Translate
) -> Any:
    """Coloured cells with their means, and above them unseen marks with what each tells when it is pointed at.

    Their custom data is the row's id. Criteria of which lower is better are grey, the darker the higher.
    """
    names, places = [criterion_name(name, t) for name in shown.columns], list(range(len(rows)))
    lower = {name: GREY_FROM * (1 - 0.9 * shown[name]) for name in shown.columns if name in judged.lower_criteria}
    figure = go.Figure(
        go.Heatmap(
            z=shown.assign(**lower).to_numpy(),
            text=[[percent(value) if value == value else "" for value in row] for row in shown.to_numpy()],
            x=names, y=places, zmin=GREY_FROM, zmax=1, colorscale=_colors(marks), xgap=3, ygap=3, showscale=False,
            texttemplate="%{text}", textfont={"color": CELL_TEXT}, hoverinfo="skip",
        )
    )  # fmt: skip
    across, down = names * len(places), [place for place in places for _ in names]
    ids, template = [[str(row)] for row in shown.index for _ in names], "%{text}<extra></extra>"
    figure.add_trace(click_targets(across, down, 36, ids, text=list(hover), hovertemplate=template))
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], tickvals=places, ticktext=list(rows), **BARE)
    figure.update_xaxes(range=[-0.5, len(names) - 0.5], side="top", **BARE)
    return figure
