"""Where a run is weak at a glance: coloured grids of scenario, persona or kind by criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.analysis.aggregate import MeanScore, by_cell, criteria_of, criterion_scores, headline
from core.charts.formatting import percent, shorten, wrap_label
from core.charts.style import GREY, LADDER, Translate, apply_style, criterion_name, empty_figure, hover_text
from core.charts.titles import Mean, range_title, worst_of

Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
MAP_ROWS = 12  # scenarios in the heat map; more cannot be read
Cells = Mapping[tuple[str, str], MeanScore]  # by row and criterion


def heat_map(
    frame: pd.DataFrame, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Scenario by criterion, the lowest scenarios first (at most 12); a cell's custom data is the scenario's id."""
    scores: Table = criterion_scores(frame, judge)
    names = criteria_of(frame, judge)
    scores = scores[scores[names].notna().any(axis=1)] if names else scores[:0]
    if scores.empty:
        return empty_figure(t)
    groups = scores.groupby("scenario", sort=True, observed=True)
    table, main = groups[names].mean(), headline(frame, judge)
    less, counts = main in lower, groups[main].count()
    order = table[main].sort_values(ascending=not less, kind="stable")
    lowest = order.index[:MAP_ROWS]
    asked = scores.drop_duplicates("scenario").set_index("scenario")["question"].astype(str)
    shown, cells = table.loc[lowest], by_cell(frame, scores[scores["scenario"].isin(lowest)], "scenario", judge)
    hover = _hover(shown, cells, [shorten(asked[row], 60) for row in lowest], t)
    figure = _grid(shown, lower, [wrap_label(asked[row]) for row in lowest], hover, t, clicks=True)
    title = _lowest({row: (float(mean), int(counts[row])) for row, mean in order.dropna().items()}, asked, less, t)
    if len(table) > MAP_ROWS:
        title += f"  ({t('charts.map_more', n=MAP_ROWS, all=len(table))})"
    return apply_style(figure, title, 130 + 44 * len(shown), top=92)


def _lowest(means: Mapping[Any, Mean], asked: Table, less: bool, t: Translate) -> str:
    """The scenario that went worst, where one may be named."""
    if not means:
        return t("charts.empty")
    at = worst_of(list(means.values()), less)
    if at is None:
        return range_title(list(means.values()), t, less)
    row = list(means)[at]
    return t(
        "charts.map_lower" if less else "charts.map_title", name=shorten(asked[row], 40), score=percent(means[row][0])
    )


def criteria_by(
    frame: pd.DataFrame, column: str, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Persona (`persona_name`) or `kind` by criterion, the weakest first; pointing at a cell tells interval and n."""
    names = criteria_of(frame, judge)
    scores: Table = criterion_scores(frame, judge)
    scores = scores[(scores[column] != "") & scores[names].notna().any(axis=1)] if names else scores[:0]
    if scores.empty:
        return empty_figure(t)
    table = scores.groupby(column, sort=True, observed=True)[names].mean()
    main, less = headline(frame, judge), headline(frame, judge) in lower
    table = table.loc[table[main].sort_values(ascending=not less, kind="stable").index]
    words = [t(f"kinds.{row}") if column == "kind" else str(row) for row in table.index]
    cells = by_cell(frame, scores, column, judge)
    hover = _hover(table, cells, [shorten(word, 40) for word in words], t)
    figure = _grid(table, lower, [wrap_label(word) for word in words], hover, t)
    title = _weakest(cells, dict(zip(map(str, table.index), words, strict=True)), names, lower, t)
    return apply_style(figure, title, 150 + 44 * len(table), top=92)


def _hover(shown: Table, cells: Cells, notes: Sequence[str], t: Translate) -> list[str]:
    """What each cell says when it is pointed at, row by row: of what, mean, interval or too few, n, unscored."""
    return [
        "<br>".join([note, f"{criterion_name(name, t)}: {hover_text(one, t) if one else t('charts.not_scored')}"])
        for row, note in zip(shown.index, notes, strict=True)
        for name in shown.columns
        for one in (cells.get((str(row), name)),)
    ]


def _weakest(cells: Cells, words: Mapping[str, str], names: Sequence[str], lower: frozenset[str], t: Translate) -> str:
    """The weakest cell among the criteria of which more is better (else of all), where one may be named."""
    kept = [name for name in names if name not in lower and name != "overall"] or list(names)
    less = all(name in lower for name in kept)
    mine = {place: one for place, one in cells.items() if place[1] in kept}
    means = [(one.mean, one.n) for one in mine.values()]
    at = worst_of(means, less)
    if at is None:
        return range_title(means, t, less) if means else t("charts.empty")
    (row, name), one = list(mine.items())[at]
    told_of = {"row": shorten(words[row], 24), "name": criterion_name(name, t), "score": percent(one.mean)}
    return t("charts.grid_title", **told_of)


def _grid(
    shown: Table,
    lower: frozenset[str],
    rows: Sequence[str],
    hover: Sequence[str],
    t: Translate,
    clicks: bool = False,
) -> plotly.Figure:
    """Coloured cells with their means and what they tell when they are pointed at."""
    names, places = [criterion_name(name, t) for name in shown.columns], list(range(len(rows)))
    figure = go.Figure(
        go.Heatmap(
            z=_goodness(shown, lower).to_numpy(),
            text=[[percent(value) if value == value else "" for value in row] for row in shown.to_numpy()],
            x=names,
            y=places,
            zmin=0.2,
            zmax=1,
            colorscale=LADDER,
            xgap=3,
            ygap=3,
            showscale=False,
            texttemplate="%{text}",
            hoverinfo="skip",
        )
    )
    figure.add_trace(_cells(shown, names, hover, t, clicks))
    bare = {"showgrid": False, "zeroline": False}
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], title=None, tickvals=places, ticktext=list(rows), **bare)
    figure.update_xaxes(range=[-0.5, len(names) - 0.5], side="top", title=None, **bare)
    return figure


def _goodness(table: Table, lower: frozenset[str]) -> Table:
    """The values, turned round in the columns of which less is better."""
    return table.assign(**{name: 1 - table[name] for name in table.columns if name in lower})


def _cells(shown: Table, names: Sequence[str], hover: Sequence[str], t: Translate, clicks: bool) -> Any:
    """What is pointed at and clicked above the heat map, which knows no clicks: an unseen mark on every cell."""
    unseen = {"marker": {"opacity": 0}}
    last = f"<br><i>{t('charts.map_open')}</i>" if clicks else ""
    return go.Scatter(
        x=[name for _ in shown.index for name in names],
        y=[place for place in range(len(shown)) for _ in names],
        mode="markers",
        marker={"symbol": "square", "size": 36, "opacity": 0, "color": GREY},
        selected=unseen,
        unselected=unseen,
        customdata=[[str(row)] for row in shown.index for _ in names] if clicks else None,
        text=list(hover),
        hovertemplate=f"%{{text}}{last}<extra></extra>",
    )
