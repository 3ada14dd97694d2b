"""A forest plot: differences of two runs with their intervals around the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as plotly

from core.analysis.compare import Difference
from core.charts.formatting import percent, shorten
from core.charts.style import BAMBOO, GREY, INDIGO, PERSIMMON, Translate, apply_style, empty_figure

go: Any = plotly
COLORS = {"better": BAMBOO, "worse": PERSIMMON, "within_margin": GREY, "cannot_tell": GREY}
SYMBOLS = {
    "better": "triangle-up",
    "worse": "triangle-down",
    "within_margin": "circle",
    "cannot_tell": "circle",
}  # told apart in grey, too
STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # between two ticks of the axis
ROWS = 24  # more cannot be read


def points(value: float) -> str:
    """A difference of shares in points of a hundred, with its sign (a true minus, as wide as a plus)."""
    return f"{value * 100:+.1f}".replace("-", "−")


def forest(rows: Sequence[tuple[str, Difference]], t: Translate, what: str) -> plotly.Figure:
    """One difference a line, B minus A, with its interval; `what`: which words make the title (charts.forest_…)."""
    known = [(name, one) for name, one in rows if one.difference is not None][:ROWS]
    if not known:
        return empty_figure(t)
    figure = go.Figure()
    places = list(range(len(known)))
    for verdict in COLORS:
        mine = [(place, one) for place, (_, one) in zip(places, known, strict=True) if one.verdict == verdict]
        if mine:
            figure.add_trace(_marks(mine, verdict, [known[place][0] for place, _ in mine], t))
    figure.add_vline(x=0, line_color=GREY, line_width=1.5)
    reach = max(max(abs(edge) for edge in _edges(one)) for _, one in known) * 1.15 or 0.05
    figure.add_trace(_notes(known, reach, t))
    figure.update_xaxes(
        range=[-reach, reach * 1.9],
        title=t("charts.forest_axis"),
        zeroline=False,
        tickvals=_ticks(reach),
        ticktext=[f"{place * 100:+g}".replace("-", "−") if place else "0" for place in _ticks(reach)],
    )
    names = [shorten(name + (f" {t('charts.forest_less')}" if one.lower else ""), 26) for name, one in known]
    figure.update_yaxes(
        tickvals=places, ticktext=names, range=[len(known) - 0.5, -0.5], showgrid=False, title=None, zeroline=False
    )
    return apply_style(figure, _title(known, t, what), 150 + 38 * len(known))


def _ticks(reach: float) -> list[float]:
    """Round places on both sides of zero, none where the numbers stand."""
    step = max((each for each in STEPS if 2 * each <= reach), default=STEPS[0])
    return [round(step * place, 6) for place in range(-5, 6) if abs(step * place) <= reach]


def _marks(mine: Sequence[tuple[int, Difference]], verdict: str, names: Sequence[str], t: Translate) -> Any:
    values = [one.difference or 0.0 for _, one in mine]
    lows, highs = zip(*(_edges(one) for _, one in mine), strict=True)
    hover = [
        f"{shorten(name, 60)}<br>{_interval(one, t)}<br>{_sides(one, t)}<br>{t('charts.forest_hover', n=one.pairs, unscored=one.unscored)}"
        for name, (_, one) in zip(names, mine, strict=True)
    ]
    return go.Scatter(
        x=values,
        y=[place for place, _ in mine],
        mode="markers",
        marker={"size": 11, "color": COLORS[verdict], "symbol": SYMBOLS[verdict]},
        error_x={
            "type": "data",
            "array": [high - value for high, value in zip(highs, values, strict=True)],
            "arrayminus": [value - low for low, value in zip(lows, values, strict=True)],
            "color": COLORS[verdict],
            "thickness": 2,
            "width": 5,
        },
        text=hover,
        hovertemplate="%{text}<extra></extra>",
    )


def _notes(known: Sequence[tuple[str, Difference]], reach: float, t: Translate) -> Any:
    """Beside each mark its difference, of how many pairs, and beneath it the interval, or that there is none."""
    quiet = "<span style='opacity:.7;font-size:.8em'>"
    texts = [
        f"<b>{points(one.difference or 0.0)}</b>  {t('charts.forest_n', n=one.pairs)}<br>{quiet}{_ends(one, t)}</span>"
        for _, one in known
    ]
    return go.Scatter(
        x=[reach * 1.08] * len(known),
        y=list(range(len(known))),
        text=texts,
        mode="text",
        textposition="middle right",
        textfont={"color": INDIGO},
        hoverinfo="skip",
    )


def _edges(one: Difference) -> tuple[float, float]:
    middle = one.difference or 0.0
    return (middle if one.low is None else one.low), (middle if one.high is None else one.high)


def _ends(one: Difference, t: Translate) -> str:
    if one.low is None or one.high is None:
        return t("charts.no_interval")
    return t("charts.ends", low=points(one.low), high=points(one.high))


def _sides(one: Difference, t: Translate) -> str:
    """The means of both runs over the same pairs."""
    return t("charts.sides", a=percent(one.mean_a or 0.0), b=percent(one.mean_b or 0.0))


def _interval(one: Difference, t: Translate) -> str:
    if one.low is None or one.high is None:
        return t("charts.forest_few", value=points(one.difference or 0.0))
    return t("charts.forest_interval", value=points(one.difference or 0.0), low=points(one.low), high=points(one.high))


def _title(known: Sequence[tuple[str, Difference]], t: Translate, what: str) -> str:
    """How many got surely worse or better, and the one that moved most."""
    worse = [name for name, one in known if one.verdict == "worse"]
    better = [name for name, one in known if one.verdict == "better"]
    if not worse and not better:
        return t(f"charts.forest_{what}_none", n=len(known))
    return t(f"charts.forest_{what}", worse=len(worse), better=len(better), n=len(known))
