"""How scores go on within conversations: each criterion turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.analysis.aggregate import MeanScore, criteria_of, headline
from core.analysis.confidence_intervals import mean_interval
from core.charts.formatting import percent
from core.charts.style import (
    BAMBOO,
    GREY,
    INDIGO,
    PERSIMMON,
    Translate,
    apply_style,
    criterion_name,
    empty_figure,
    error_bars,
    hover_text,
    pass_mark_level,
)
from core.charts.titles import ENOUGH

Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
CRITERIA: tuple[str, ...] = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
COLORS = ("#7f8fc4", "#b7794e", PERSIMMON, BAMBOO, GREY, INDIGO)
SYMBOLS = ("diamond", "square", "triangle-up", "circle", "x", "circle")
LINES: dict[str, str] = dict(zip(CRITERIA, COLORS, strict=True))
MARKS: dict[str, str] = dict(zip(CRITERIA, SYMBOLS, strict=True))


def by_turn(frame: pd.DataFrame, line: float, t: Translate, judge: str = "turn") -> plotly.Figure:
    """Mean of each criterion, turn by turn, of how many conversations; the headline is strong and has intervals."""
    table: Table = frame
    mine = table[table["judge"] == judge]
    scored = mine.dropna(subset=["value"])
    if scored.empty:
        return empty_figure(t)
    figure, criteria, main = go.Figure(), criteria_of(frame, judge), headline(frame, judge)
    for name in criteria:
        found = _turns(mine[mine["criterion"] == name])
        if found:
            figure.add_trace(_turn_line(name, found, t, criteria, name == main))
    pass_mark_level(figure, line, t)
    held = scored.groupby("turn", observed=True)["conversation"].nunique()
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    ticks = [f"{t('charts.turn', n=turn)}<br>{t('charts.n', n=f'{int(n):,}')}" for turn, n in held.items()]
    figure.update_xaxes(tickmode="array", tickvals=list(held.index), ticktext=ticks, title=None)
    return apply_style(figure, _turn_title(scored, main, t), 380, legend=True)


def _turns(part: Table) -> list[MeanScore]:
    """One criterion's mean for each turn that has one; `name` is the turn's number."""
    found: list[MeanScore] = []
    for turn, group in part.groupby("turn", sort=True):
        there = group.dropna(subset=["value"])
        known = [float(value) for value in there["value"]]
        if known:
            sure = mean_interval(known, scenarios=list(there["scenario"]))
            found.append(MeanScore(str(turn), sum(known) / len(known), len(known), sure, len(group) - len(known)))
    return found


def _turn_line(name: str, found: Sequence[MeanScore], t: Translate, criteria: Sequence[str], main: bool) -> Any:
    strong, place = main or len(criteria) == 1, criteria.index(name)
    color, symbol = COLORS[place % len(COLORS)], SYMBOLS[place % len(SYMBOLS)]
    return go.Scatter(
        x=[int(one.name) for one in found],
        y=[one.mean for one in found],
        name=criterion_name(name, t),
        mode="lines+markers",
        opacity=1 if strong else 0.75,
        line={"width": 4 if strong else 1.6, "color": LINES.get(name, color), "dash": "solid" if strong else "dot"},
        marker={"size": 9 if strong else 6, "symbol": MARKS.get(name, symbol)},
        error_y=error_bars(found) if strong else None,
        customdata=[hover_text(one, t).replace("<br>", " · ") for one in found],
        hovertemplate="%{customdata}",
    )


def _turn_title(scored: Table, criterion: str, t: Translate) -> str:
    """First against last turn of the same conversations: those that went so far (harder ones go further)."""
    overall = scored[scored["criterion"] == criterion]
    table = overall.pivot_table(index="conversation", columns="turn", values="value", aggfunc="mean", observed=True)
    if 1 not in table or len(table.columns) < 2:
        return t("charts.turn_title_short")
    pairs = {int(turn): table[[1, turn]].dropna() for turn in table.columns if turn != 1}
    turn = max((turn for turn, both in pairs.items() if len(both) >= ENOUGH), default=min(pairs))
    both = pairs[turn]
    if both.empty:
        return t("charts.turn_title_short")
    first, last = float(both[1].mean()), float(both[turn].mean())
    found = {"turn": turn, "n": f"{len(both):,}" if len(both) > 999 else len(both)}
    found |= {"first": percent(first), "last": percent(last)}
    if len(both) < ENOUGH:
        return t("charts.turn_few", turn=turn, n=len(both))
    if abs(last - first) < 0.02:
        return t("charts.turn_title_same", turn=turn, n=found["n"])
    return t("charts.turn_title_rises" if last > first else "charts.turn_title_falls", **found)
