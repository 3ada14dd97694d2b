"""How a bot's score changed from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from core.analysis.formatting import percent, short_label
from core.analysis.run_means import MeanScore, PassVerdict, pass_verdict
from core.base.translate import Translate
from core.charts.style import (
    BAMBOO,
    GREY,
    INDIGO,
    PERSIMMON,
    Chart,
    add_pass_mark,
    apply_style,
    empty_chart,
    go,
    hover_text,
    interval_bars,
)

MARKS: dict[PassVerdict, tuple[str, str]] = {
    "reached": (BAMBOO, "circle"),
    "open": (INDIGO, "diamond"),
    "missed": (PERSIMMON, "triangle-down"),
}


class RunScore(NamedTuple):
    """A run with its score."""

    id: str
    when: str  # its start, as the page writes it
    name: str
    score: MeanScore
    version: str  # of the judge
    complete: bool = True  # whether all conversations took place (not stopped or interrupted)
    asks: bool = True  # whether clarifying questions were allowed


def score_over_runs(
    runs: Sequence[RunScore], pass_mark: float, t: Translate, lower_is_better: bool = False, opened: str | None = None
) -> Chart:
    """The score of each run, the newest on the right; a point's custom data is the run's id.

    Runs in a row with one version of the judge, all with or all without clarifying questions, are joined by a line, others
    are not: their scores differ for two reasons. Values are below the axis. Form and colour tell reached, missed, or cannot
    tell; if lower is better, there is no pass mark.
    opened: the run that the page is about; it has a ring, and the title is about it (else about the newest).
    """
    if not runs:
        return empty_chart(t)
    figure, places = go.Figure(), range(len(runs))
    for stretch in _stretches(runs):
        joined = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"color": INDIGO, "width": 1.5}}
        figure.add_trace(go.Scatter(x=stretch, y=[runs[place].score.mean for place in stretch], **joined))
    here = next((place for place in places if runs[place].id == opened), None)
    if here is not None:
        ring = {"size": 24, "symbol": "circle-open", "color": GREY, "line": {"width": 2.5}}
        around = {"mode": "markers", "name": t("charts.this_run"), "marker": ring, "hoverinfo": "skip"}
        figure.add_trace(go.Scatter(x=[here], y=[runs[here].score.mean], **around))
    verdicts = ["open" if lower_is_better else pass_verdict(run.score.interval, pass_mark) for run in runs]
    for verdict, mark in MARKS.items():
        points = [place for place in places if verdicts[place] == verdict and runs[place].complete]
        if points:
            figure.add_trace(_points(runs, points, mark, t(f"charts.run_{verdict}"), t))
    if incomplete := [place for place in places if not runs[place].complete]:
        figure.add_trace(_points(runs, incomplete, (INDIGO, "circle-open"), t("incomplete.run"), t))
    if not lower_is_better:
        add_pass_mark(figure, pass_mark, t, level=True)
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    step = max(1, len(runs) // 6)
    ticks = [place for place in places if (len(runs) - 1 - place) % step == 0]
    shown = [_below_axis(runs[place], t) for place in ticks]
    ends = [-0.5, len(runs) - 0.5]
    figure.update_xaxes(tickmode="array", tickvals=ticks, ticktext=shown, title=None, range=ends, zeroline=False)
    title = _title(runs, len(runs) - 1 if here is None else here, t)
    chart = apply_style(figure, title, 404, legend=not lower_is_better or here is not None)
    figure.update_layout(hovermode="closest", legend_y=-0.42)
    return chart


def _stretches(runs: Sequence[RunScore]) -> list[list[int]]:
    """Places in a row with one version of the judge and clarifying questions alike; incomplete runs stand apart."""
    groups: list[list[int]] = []
    for place, run in enumerate(runs):
        if not run.complete:
            continue
        before = runs[groups[-1][-1]] if groups else None
        if before and (before.version, before.asks) == (run.version, run.asks):
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups


def _points(runs: Sequence[RunScore], places: Sequence[int], mark: tuple[str, str], name: str, t: Translate) -> Any:
    """Runs as marks of one colour and symbol."""
    chosen, (color, symbol) = [runs[place] for place in places], mark
    return go.Scatter(
        x=list(places),
        y=[run.score.mean for run in chosen],
        mode="markers",
        name=name,
        marker={"size": 11, "color": color, "symbol": symbol},
        error_y=interval_bars([run.score for run in chosen]),
        customdata=[[run.id] for run in chosen],
        text=[_hover(run, t) for run in chosen],
        hovertemplate=f"%{{text}}<br><i>{t('charts.run_click')}</i><extra></extra>",
    )


def _below_axis(run: RunScore, t: Translate) -> str:
    """When a run was, its value, and that it had no clarifying questions."""
    return "<br>".join((*run.when.split(" "), f"<b>{percent(run.score.mean)}</b>", *_without(run, t)))


def _hover(run: RunScore, t: Translate) -> str:
    return "<br>".join((run.when, short_label(run.name, 40), *_without(run, t), hover_text(run.score, t)))


def _without(run: RunScore, t: Translate) -> list[str]:
    return [] if run.asks else [t("charts.run_without")]


def _title(runs: Sequence[RunScore], place: int, t: Translate) -> str:
    """The run at this place against the one before it: up or down only if both are complete and the intervals apart."""
    this = runs[place]
    score = percent(this.score.mean)
    name = "charts.runs" if place == len(runs) - 1 else "charts.run"
    if not this.complete:
        return t("incomplete.run_title", score=score)
    if place == 0:
        return t(f"{name}_one", score=score)
    before = runs[place - 1]
    if not before.complete:
        return t("incomplete.before_title", score=score)
    if before.version != this.version:
        return t(f"{name}_version", score=score)
    if before.asks != this.asks:
        return t(f"{name}_asking", score=score)
    return t(f"{name}_{_change(before.score, this.score)}", score=score, before=percent(before.score.mean))


def _change(before: MeanScore, this: MeanScore) -> str:
    if before.interval and this.interval:
        if this.interval.low > before.interval.high:
            return "up"
        if this.interval.high < before.interval.low:
            return "down"
    return "same"
