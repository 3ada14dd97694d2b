"""How a bot's score went on from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as plotly

from core.analysis.aggregate import MeanScore, PassVerdict, pass_verdict
from core.charts.formatting import percent, shorten
from core.charts.style import (
    BAMBOO,
    GREY,
    INDIGO,
    PERSIMMON,
    Translate,
    apply_style,
    empty_figure,
    error_bars,
    hover_text,
    pass_mark_level,
)

go: Any = plotly
MARKS: dict[PassVerdict, tuple[str, str]] = {
    "reached": (BAMBOO, "circle"),
    "open": (INDIGO, "diamond"),
    "missed": (PERSIMMON, "triangle-down"),
}


class RunScore(NamedTuple):
    """A run with its score; `when`: of its beginning, as the page tells it; version: of the judge.

    whole: whether all of its conversations were held (it was not stopped or broken off).
    """

    id: str
    when: str
    name: str
    score: MeanScore
    version: str
    whole: bool = True


def score_over_runs(
    runs: Sequence[RunScore], line: float, t: Translate, lower: bool = False, opened: str | None = None
) -> plotly.Figure:
    """The score of each run, the newest on the right; a mark's custom data is the run's id.

    opened: the run that the page is about; it has a ring, and the title is about it (else about the newest).

    Runs judged by one version of the judge in a row are joined by a line, others are not: their scores differ for two
    reasons. Form and colour tell reached, missed, or cannot tell (lower: less is better, and no line to reach).
    """
    if not runs:
        return empty_figure(t)
    figure, places = go.Figure(), list(range(len(runs)))
    for stretch in _stretches(runs):
        joined = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"color": INDIGO, "width": 1.5}}
        figure.add_trace(go.Scatter(x=stretch, y=[runs[place].score.mean for place in stretch], **joined))
    here = next((place for place in places if runs[place].id == opened), None)
    if here is not None:
        figure.add_trace(_ring(here, runs[here], t))
    looks = {place: ("open" if lower else pass_verdict(runs[place].score.interval, line)) for place in places}
    for state, (color, symbol) in MARKS.items():
        mine = [place for place in places if looks[place] == state and runs[place].whole]
        if mine:
            figure.add_trace(_marks(runs, mine, color, symbol, t(f"charts.run_{state}"), t))
    if parts := [place for place in places if not runs[place].whole]:
        figure.add_trace(_marks(runs, parts, INDIGO, "circle-open", t("incomplete.run"), t))
    if not lower:
        pass_mark_level(figure, line, t)
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    step = max(1, len(runs) // 6)
    ticks = [place for place in reversed(places) if (len(runs) - 1 - place) % step == 0][::-1]
    shown = [runs[place].when.replace(" ", "<br>") for place in ticks]
    ends = [-0.5, len(runs) - 0.5]
    figure.update_xaxes(tickmode="array", tickvals=ticks, ticktext=shown, title=None, range=ends, zeroline=False)
    apply_style(
        figure, _title(runs, len(runs) - 1 if here is None else here, t), 400, legend=not lower or here is not None
    )
    figure.update_layout(hovermode="closest")
    return figure


def _stretches(runs: Sequence[RunScore]) -> list[list[int]]:
    """Places in a row with one version of the judge; runs that are not whole stand apart."""
    found: list[list[int]] = []
    for place, run in enumerate(runs):
        if not run.whole:
            continue
        if found and runs[found[-1][-1]].version == run.version:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def _marks(runs: Sequence[RunScore], places: Sequence[int], color: str, symbol: str, name: str, t: Translate) -> Any:
    return go.Scatter(
        x=list(places),
        y=[runs[place].score.mean for place in places],
        mode="markers",
        name=name,
        marker={"size": 11, "color": color, "symbol": symbol},
        error_y=error_bars([runs[place].score for place in places]),
        customdata=[[runs[place].id] for place in places],
        text=[
            f"{runs[place].when}<br>{shorten(runs[place].name, 40)}<br>{hover_text(runs[place].score, t)}"
            for place in places
        ],
        hovertemplate=f"%{{text}}<br><i>{t('charts.run_click')}</i><extra></extra>",
    )


def _ring(place: int, run: RunScore, t: Translate) -> Any:
    """Around the mark of the opened run, told in the legend."""
    ring = {"size": 24, "symbol": "circle-open", "color": GREY, "line": {"width": 2.5}}
    name = t("charts.this_run")
    return go.Scatter(x=[place], y=[run.score.mean], mode="markers", name=name, marker=ring, hoverinfo="skip")


def _title(runs: Sequence[RunScore], place: int, t: Translate) -> str:
    """The run at this place against the one before it: up or down only where both are whole and the intervals apart."""
    this, newest = runs[place], place == len(runs) - 1
    words = {"score": percent(this.score.mean)}
    name = "charts.runs" if newest else "charts.run"
    if not this.whole:
        return t("incomplete.run_title", **words)
    if place == 0:
        return t(f"{name}_one", **words)
    before = runs[place - 1]
    if not before.whole:
        return t("incomplete.before_title", **words)
    if before.version != this.version:
        return t(f"{name}_version", **words)
    return t(f"{name}_{_change(before.score, this.score)}", **words, before=percent(before.score.mean))


def _change(before: MeanScore, this: MeanScore) -> str:
    if before.interval and this.interval:
        if this.interval.low > before.interval.high:
            return "up"
        if this.interval.high < before.interval.low:
            return "down"
    return "same"
