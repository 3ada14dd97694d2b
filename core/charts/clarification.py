"""Charts of how a bot asks back, in the one look (`core.charts.style`); their words come from `say`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as plotly

from core.analysis.ablation import Ablation
from core.analysis.clarification import FirstTurn, Rate, Scorecard
from core.analysis.threshold_sweep import SweepPoint, ThresholdSweep
from core.charts.formatting import percent
from core.charts.style import BAMBOO, GREY, INDIGO, PERSIMMON, Translate, apply_style, empty_figure

go: Any = plotly
Cell = tuple[bool, bool]  # asking was needed, the bot asked
CELLS: tuple[Cell, ...] = ((True, True), (True, False), (False, True), (False, False))
RIGHT_OR_WRONG = [[0.0, PERSIMMON], [0.5, "#d9d6d0"], [1.0, BAMBOO]]
NAMED = 6  # pairs of thresholds named in one hover


def confusion_cells(first: Sequence[FirstTurn]) -> dict[Cell, list[str]]:
    """The conversations by whether asking was needed and whether the bot asked; only those where both are known."""
    found: dict[Cell, list[str]] = {cell: [] for cell in CELLS}
    for one in first:
        if one.needed is not None and one.asked is not None:
            found[one.needed, one.asked].append(one.conversation)
    return found


def confusion_matrix(cells: Mapping[Cell, Sequence[str]], t: Translate) -> plotly.Figure:
    """Needed by asked: how many conversations, and which share of their row; custom data: needed, asked (1 or 0)."""
    rows = [(needed, sum(len(cells[needed, asked]) for asked in (True, False))) for needed in (True, False)]
    rows = [(needed, count) for needed, count in rows if count]
    if not rows:
        return empty_figure(t)
    figure = go.Figure()
    names = [t("clarification.asked"), t("clarification.not_asked")]
    labels = [t("clarification.needed" if needed else "clarification.not_needed") for needed, _ in rows]
    shares = [[len(cells[needed, asked]) / count for asked in (True, False)] for needed, count in rows]
    right = [[share if needed == asked else -share for share, asked in zip(line, (True, False), strict=True)] for line, (needed, _) in zip(shares, rows, strict=True)]  # fmt: skip
    texts = [[f"<b>{len(cells[needed, asked]):,}</b><br>{percent(share)}" for share, asked in zip(line, (True, False), strict=True)] for line, (needed, _) in zip(shares, rows, strict=True)]  # fmt: skip
    figure.add_trace(
        go.Heatmap(
            z=right, x=names, y=labels, text=texts, texttemplate="%{text}", zmin=-1, zmax=1, xgap=4, ygap=4,
            colorscale=RIGHT_OR_WRONG, showscale=False, hoverinfo="skip", textfont={"size": 15, "color": "#20242c"},
        )
    )  # fmt: skip
    unseen = {"marker": {"opacity": 0}}
    figure.add_trace(
        go.Scatter(
            x=names * len(rows), y=[label for label in labels for _ in names], mode="markers", selected=unseen,
            unselected=unseen, marker={"symbol": "square", "size": 60, "opacity": 0, "color": GREY},
            customdata=[[int(needed), int(asked)] for needed, _ in rows for asked in (True, False)],
            hovertemplate=f"{t('clarification.cell_open')}<extra></extra>",
        )
    )  # fmt: skip
    bare = {"showgrid": False, "zeroline": False, "title": None}
    figure.update_yaxes(autorange="reversed", **bare)
    figure.update_xaxes(side="top", **bare)
    return apply_style(figure, _confusion_title(cells, t), 130 + 84 * len(rows), top=92)


def _confusion_title(cells: Mapping[Cell, Sequence[str]], t: Translate) -> str:
    missed, needless = len(cells[True, False]), len(cells[False, True])
    if not missed and not needless:
        return t("clarification.confusion_right")
    return t("clarification.confusion_title", missed=f"{missed:,}", needless=f"{needless:,}")


def questions(card: Scorecard, t: Translate) -> plotly.Figure:
    """How many conversations had how many questions back."""
    held = sum(card.questions.values())
    if not held or card.mean_questions is None:
        return empty_figure(t)
    counts = range(max(card.questions) + 1)
    values = [card.questions.get(count, 0) for count in counts]
    names = [t("clarification.times", n=count) for count in counts]
    texts = [f"{value:,} ({percent(value / held)})" for value in values]
    figure = go.Figure(
        go.Bar(x=names, y=values, text=texts, textposition="outside", cliponaxis=False, marker_color=INDIGO,
               hovertemplate="%{x}: %{text}<extra></extra>")
    )  # fmt: skip
    figure.update_yaxes(title=None, range=[0, max(values) * 1.15])
    figure.update_xaxes(title=None)
    mean = f"{card.mean_questions:.2f}"
    return apply_style(figure, t("clarification.questions_title", mean=mean, n=f"{held:,}"), 300)


def sweep_chart(found: ThresholdSweep, own: SweepPoint, best: SweepPoint | None, t: Translate) -> plotly.Figure:
    """Recall against needless questions for every pair of thresholds; custom data: the pair nearest to the bot's own."""
    places: dict[tuple[float, float], list[SweepPoint]] = defaultdict(list)
    for point in found.points:
        if point.recall.value is not None:
            places[point.needless.value or 0.0, point.recall.value].append(point)
    if not places:
        return empty_figure(t)
    figure = go.Figure()
    others = {place: points for place, points in places.items() if own not in points}
    figure.add_trace(
        _spots(others, own, t, t("clarification.other_thresholds"), {"color": INDIGO, "size": 12, "opacity": 0.75})
    )
    if best is not None:
        place = (best.needless.value or 0.0, best.recall.value or 0.0)
        looks = {"color": BAMBOO, "size": 18, "symbol": "star"}
        figure.add_trace(_spots({place: [best]}, own, t, t("clarification.best_thresholds"), looks))
    mine = {place: points for place, points in places.items() if own in points}
    looks = {"color": PERSIMMON, "size": 17, "symbol": "diamond"}
    figure.add_trace(_spots(mine, own, t, t("clarification.own_thresholds"), looks))
    figure.update_xaxes(title=t("clarification.axis_needless"), range=[-0.06, 1.06], tickformat=".0%")
    figure.update_yaxes(title=t("clarification.axis_recall"), range=[-0.06, 1.1], tickformat=".0%")
    drawn: Any = apply_style(figure, _sweep_title(own, best, t), 440, legend=True)
    drawn.update_layout(hovermode="closest", legend={"y": 1.02, "yanchor": "bottom", "x": 0})
    return drawn


def _spots(
    places: Mapping[tuple[float, float], Sequence[SweepPoint]], own: SweepPoint, t: Translate, name: str, looks: Any
) -> Any:
    return go.Scatter(
        x=[x for x, _ in places],
        y=[y for _, y in places],
        mode="markers",
        name=name,
        marker={**looks, "line": {"width": 1, "color": "#ffffff"}},
        text=[_hover(points, own, t) for points in places.values()],
        customdata=[list(_nearest(points, own).thresholds) for points in places.values()],
        hovertemplate="%{text}<extra></extra>",
    )


def _nearest(points: Sequence[SweepPoint], own: SweepPoint) -> SweepPoint:
    return min(points, key=lambda one: sum(abs(a - b) for a, b in zip(one.thresholds, own.thresholds, strict=True)))


def _hover(points: Sequence[SweepPoint], own: SweepPoint, t: Translate) -> str:
    ordered = sorted(
        points, key=lambda one: sum(abs(a - b) for a, b in zip(one.thresholds, own.thresholds, strict=True))
    )
    named = [t("clarification.pair", clear=one.clarity_threshold, low=one.score_threshold) for one in ordered[:NAMED]]
    more = ["…"] if len(points) > NAMED else []
    one = ordered[0]
    rates = [t("clarification.hover_recall", rate=rate_text(one.recall, t)), t("clarification.hover_needless", rate=rate_text(one.needless, t))]  # fmt: skip
    return "<br>".join([*rates, *named, *more])


def rate_text(rate: Rate, t: Translate) -> str:
    """A share with its count, "92% (138 of 150)"; a dash where there is none."""
    if rate.value is None:
        return "–"
    return t("clarification.rate", share=percent(rate.value), hits=f"{rate.hits:,}", n=f"{rate.n:,}")


def _sweep_title(own: SweepPoint, best: SweepPoint | None, t: Translate) -> str:
    if best is None:
        return t("clarification.sweep_same")
    return t(
        "clarification.sweep_title",
        clear=best.clarity_threshold,
        low=best.score_threshold,
        recall=percent(best.recall.value or 0.0),
        needless=percent(best.needless.value or 0.0),
        now=percent(own.recall.value or 0.0),
        now_needless=percent(own.needless.value or 0.0),
    )


def ablation_chart(found: Sequence[Ablation], t: Translate) -> plotly.Figure:
    """The difference with its interval, for all cases and those that need asking or do not; zero is marked."""
    known = [one for one in found if one.difference is not None]
    if not known:
        return empty_figure(t)
    names = [f"{t(f'clarification.of_{one.of}')}<br>{t('clarification.pairs', n=f'{one.pairs:,}')}" for one in known]
    values = [one.difference or 0.0 for one in known]
    up = [(one.high if one.high is not None else value) - value for one, value in zip(known, values, strict=True)]
    down = [value - (one.low if one.low is not None else value) for one, value in zip(known, values, strict=True)]
    texts = [f"<b>{points(value)}</b>" for value in values]
    figure = go.Figure(
        go.Scatter(
            x=values, y=names, mode="markers+text", text=texts, textposition="top center",
            marker={"size": 13, "color": [_sign(one) for one in known]},
            error_x={"type": "data", "array": up, "arrayminus": down, "color": GREY, "thickness": 2},
            hovertemplate="%{y}: %{text}<extra></extra>",
        )
    )  # fmt: skip
    reach = max(
        0.05, *(abs(edge) for one in known for edge in (one.low or 0.0, one.high or 0.0, one.difference or 0.0))
    )
    figure.add_vline(x=0, line_color=GREY, line_width=1.5, line_dash="dash")
    figure.update_xaxes(range=[-reach * 1.2, reach * 1.2], tickformat="+.0%", title=t("clarification.axis_ablation"))
    figure.update_yaxes(range=[len(known) - 0.4, -0.7], title=None)
    return apply_style(figure, ablation_title(known[0], t), 170 + 62 * len(known))


def ablation_title(one: Ablation, t: Translate) -> str:
    """What asking back is worth over all cases, or that it cannot be told."""
    if one.low is not None and one.low > 0:
        return t("clarification.ablation_up", points=points(one.difference or 0.0))
    if one.high is not None and one.high < 0:
        return t("clarification.ablation_down", points=points(one.difference or 0.0))
    return t("clarification.ablation_open", points=points(one.difference or 0.0))


def points(value: float | None) -> str:
    """A difference of shares in points, with its sign; a dash where there is none."""
    if value is None:
        return "–"
    shown = f"{value * 100:+.1f}".replace("-", "−")
    return "0.0" if shown[1:] == "0.0" else shown


def _sign(one: Ablation) -> str:
    if one.low is not None and one.low > 0:
        return BAMBOO
    return PERSIMMON if one.high is not None and one.high < 0 else INDIGO
