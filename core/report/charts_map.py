"""Where a run is weak at a glance: coloured grids of scenario, persona or kind by criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.report.intervals import mean_interval
from core.report.labels import percent, short, two_lines
from core.report.looks import GREY, LADDER, Say, between, criterion_name, dressed, empty
from core.report.summary import criteria_of, criterion_scores, headline

Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
MAP_ROWS = 12  # scenarios in the heat map; more cannot be read
FEWEST = 5  # conversations of a cell that a title may point at


def heat_map(frame: pd.DataFrame, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()) -> plotly.Figure:
    """Scenario by criterion, the lowest scenarios first (at most 12); a cell's custom data is the scenario's id."""
    scores: Table = criterion_scores(frame, judge)
    names = criteria_of(frame, judge)
    scores = scores[scores[names].notna().any(axis=1)] if names else scores[:0]
    if scores.empty:
        return empty(say)
    groups = scores.groupby("scenario", sort=True, observed=True)
    table, counts = groups[names].mean(), groups.size()
    less = headline(frame, judge) in lower
    order = table[headline(frame, judge)].sort_values(ascending=not less, kind="stable")
    lowest = order.index[:MAP_ROWS]
    asked = scores.drop_duplicates("scenario").set_index("scenario")["question"].astype(str)
    shown = table.loc[lowest]
    notes = [f"{short(asked[row], 60)}<br>{say('charts.n', n=f'{int(counts[row]):,}')}" for row in lowest]
    figure = _grid(shown, lower, [two_lines(asked[row]) for row in lowest], notes, say)
    title = say(
        "charts.map_lower" if less else "charts.map_title",
        name=short(asked[lowest[0]], 40),
        score=percent(float(order.iloc[0])),
    )
    if len(table) > MAP_ROWS:
        title += f"  ({say('charts.map_more', n=MAP_ROWS, all=len(table))})"
    return dressed(figure, title, 130 + 44 * len(shown), top=92)


def criteria_by(
    frame: pd.DataFrame, column: str, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Persona (`persona_name`) or `kind` by criterion, the weakest first; pointing at a cell tells interval and n."""
    names = criteria_of(frame, judge)
    scores: Table = criterion_scores(frame, judge)
    scores = scores[(scores[column] != "") & scores[names].notna().any(axis=1)] if names else scores[:0]
    if scores.empty:
        return empty(say)
    groups = scores.groupby(column, sort=True, observed=True)
    table = groups[names].mean()
    main, less = headline(frame, judge), headline(frame, judge) in lower
    table = table.loc[table[main].sort_values(ascending=not less, kind="stable").index]
    words = [say(f"kinds.{row}") if column == "kind" else str(row) for row in table.index]
    parts = {str(name): part for name, part in groups}
    sure = [[_sure(parts[str(row)], name, say) for name in names] for row in table.index]
    figure = _grid(table, lower, [two_lines(word) for word in words], [short(word, 40) for word in words], say, sure)
    return dressed(figure, _weakest(table, words, lower, groups.size(), say), 150 + 44 * len(table), top=92)


def _sure(part: Table, name: str, say: Say) -> str:
    """What a cell says beside its mean: the interval, of how many."""
    there = part.dropna(subset=[name])
    known = [float(value) for value in there[name]]
    found = mean_interval(known, scenarios=list(there["scenario"]))
    sure = say("charts_more.interval", interval=between(found)) if found else say("charts_more.unsure")
    return f"{sure}<br>{say('charts_more.talks', n=f'{len(known):,}')}"


def _weakest(table: Table, words: Sequence[str], lower: frozenset[str], counts: Table, say: Say) -> str:
    """The weakest cell among the criteria of which more is better (of enough conversations, where any has enough)."""
    names = [name for name in table.columns if name not in lower and name != "overall"] or list(table.columns)
    enough = [row for row in table.index if counts[row] >= FEWEST] or list(table.index)
    cells = table.loc[enough, names].stack()
    (row, name), value = cells.idxmin(), float(cells.min())
    at = list(table.index).index(row)
    told = {"row": short(words[at], 24), "name": criterion_name(str(name), say), "score": percent(value)}
    return say("charts_more.grid_title", **told)


def _grid(
    shown: Table,
    lower: frozenset[str],
    rows: Sequence[str],
    notes: Sequence[str],
    say: Say,
    sure: Sequence[Sequence[str]] | None = None,
) -> plotly.Figure:
    """Coloured cells with their means; `sure` makes them tell more, without it they can be clicked."""
    names, places = [criterion_name(name, say) for name in shown.columns], list(range(len(rows)))
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
    figure.add_trace(_cells(shown, names, notes, say, sure))
    bare = {"showgrid": False, "zeroline": False}
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], title=None, tickvals=places, ticktext=list(rows), **bare)
    figure.update_xaxes(range=[-0.5, len(names) - 0.5], side="top", title=None, **bare)
    return figure


def _goodness(table: Table, lower: frozenset[str]) -> Table:
    """The values, turned round in the columns of which less is better."""
    return table.assign(**{name: 1 - table[name] for name in table.columns if name in lower})


def _cells(
    shown: Table, names: Sequence[str], notes: Sequence[str], say: Say, sure: Sequence[Sequence[str]] | None
) -> Any:
    """What is pointed at and clicked above the heat map, which knows no clicks: an unseen mark on every cell."""
    unseen = {"marker": {"opacity": 0}}
    last = f"<br><i>{say('charts.map_open')}</i>" if sure is None else ""
    return go.Scatter(
        x=[name for _ in notes for name in names],
        y=[place for place in range(len(notes)) for _ in names],
        mode="markers",
        marker={"symbol": "square", "size": 36, "opacity": 0, "color": GREY},
        selected=unseen,
        unselected=unseen,
        customdata=[[str(row)] for row in shown.index for _ in names] if sure is None else None,
        text=[
            "<br>".join([note, *([f"{name}: {percent(float(value))}"] if value == value else []), *more])
            for row, (note, values) in enumerate(zip(notes, shown.to_numpy(), strict=True))
            for at, (name, value) in enumerate(zip(names, values, strict=True))
            for more in ([sure[row][at]] if sure and value == value else [],)
        ],
        hovertemplate=f"%{{text}}{last}<extra></extra>",
    )
