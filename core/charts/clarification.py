"""Charts of how a bot asks clarifying questions: needed by asked, the threshold sweep, the ablation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from core.analysis.ablation import Ablation
from core.analysis.clarification import Cell, Rate
from core.analysis.formatting import NO_VALUE, percent, points
from core.analysis.threshold_sweep import SweepPoint, ThresholdSweep
from core.base.translate import Translate
from core.charts.differences import add_rows, difference_note
from core.charts.style import (
    BAMBOO,
    BARE,
    CELL_TEXT,
    GREY,
    INDIGO,
    PERSIMMON,
    Chart,
    apply_style,
    click_targets,
    empty_chart,
    error_bars,
    go,
    interval_ends,
)

RIGHT_OR_WRONG = [[0.0, PERSIMMON], [0.5, "#d9d6d0"], [1.0, BAMBOO]]
MAX_NAMED = 6  # pairs of thresholds named in one hover
Spots = Mapping[tuple[float, float], Sequence[SweepPoint]]  # by needless and recall


def confusion_matrix(cells: Mapping[Cell, Sequence[str]], t: Translate) -> Chart:
    """Needed by asked: how many conversations, and which share of their row; custom data: needed, asked (1 or 0)."""
    both = (True, False)
    rows = {needed: count for needed in both if (count := sum(len(cells[needed, asked]) for asked in both))}
    if not rows:
        return empty_chart(t)
    shares = {cell: len(conversations) / rows[cell[0]] for cell, conversations in cells.items() if cell[0] in rows}
    texts = {cell: f"<b>{len(cells[cell]):,}</b><br>{percent(share)}" for cell, share in shares.items()}
    names = [t("clarification.asked"), t("clarification.not_asked")]
    labels = [t("clarification.needed" if needed else "clarification.not_needed") for needed in rows]
    figure = go.Figure(
        go.Heatmap(
            z=[[shares[row, asked] if row == asked else -shares[row, asked] for asked in both] for row in rows],
            x=names, y=labels, text=[[texts[row, asked] for asked in both] for row in rows], texttemplate="%{text}",
            zmin=-1, zmax=1, xgap=4, ygap=4, colorscale=RIGHT_OR_WRONG, showscale=False, hoverinfo="skip",
            textfont={"size": 15, "color": CELL_TEXT},
        )
    )  # fmt: skip
    data = [[int(needed), int(asked)] for needed in rows for asked in both]
    template = f"{t('clarification.cell_open')}<extra></extra>"
    down = [label for label in labels for _ in names]
    figure.add_trace(click_targets(names * len(rows), down, 60, data, hovertemplate=template))
    figure.update_yaxes(autorange="reversed", **BARE)
    figure.update_xaxes(side="top", **BARE)
    missed, needless = len(cells[True, False]), len(cells[False, True])
    key = "clarification.confusion_title" if missed or needless else "clarification.confusion_right"
    return apply_style(figure, t(key, missed=f"{missed:,}", needless=f"{needless:,}"), 94 + 84 * len(rows), top=56)


def sweep_chart(
    sweep: ThresholdSweep, own: SweepPoint, best: SweepPoint | None, t: Translate, asked: bool = True
) -> Chart:
    """Recall against needless questions for all pairs of thresholds; custom data: the pair nearest to the bot's own.

    asked: whether clarifying questions were allowed; if not, the point of the bot's own thresholds is not what the run did.
    """
    spots: dict[tuple[float, float], list[SweepPoint]] = defaultdict(list)
    for point in sweep.points:
        if point.recall.value is not None:
            spots[point.needless.value or 0.0, point.recall.value].append(point)
    if not spots:
        return empty_chart(t)
    figure = go.Figure()
    others = {place: near for place, near in spots.items() if own not in near}
    own_spot = {place: near for place, near in spots.items() if own in near}
    names = {name: t(f"clarification.{name}_thresholds") for name in ("other", "best", "own")}
    if not asked:
        names["own"] = t("clarification.own_thresholds_off")
    figure.add_trace(_spots(others, own, t, names["other"], {"color": INDIGO, "size": 12, "opacity": 0.75}))
    if best is not None:
        place = best.needless.value or 0.0, best.recall.value or 0.0
        figure.add_trace(
            _spots({place: [best]}, own, t, names["best"], {"color": BAMBOO, "size": 18, "symbol": "star"})
        )
    figure.add_trace(_spots(own_spot, own, t, names["own"], {"color": PERSIMMON, "size": 17, "symbol": "diamond"}))
    figure.update_xaxes(title=t("clarification.needless"), range=[-0.06, 1.06], tickformat=".0%")
    figure.update_yaxes(title=t("clarification.recall"), range=[-0.06, 1.1], tickformat=".0%")
    chart = apply_style(figure, _sweep_title(own, best, t, asked), 404, legend=True)
    figure.update_layout(hovermode="closest", legend={"y": 1.02, "yanchor": "bottom", "x": 0})
    return chart


def _spots(spots: Spots, own: SweepPoint, t: Translate, name: str, marker: Mapping[str, Any]) -> Any:
    nearest = [sorted(near, key=lambda point: point.distance(own)) for near in spots.values()]
    return go.Scatter(
        x=[x for x, _ in spots],
        y=[y for _, y in spots],
        mode="markers",
        name=name,
        marker={**marker, "line": {"width": 1, "color": "#ffffff"}},
        text=[_spot_hover(near, t) for near in nearest],
        customdata=[list(near[0].thresholds) for near in nearest],
        hovertemplate="%{text}<extra></extra>",
    )


def _spot_hover(near: Sequence[SweepPoint], t: Translate) -> str:
    named = [
        t("clarification.pair", clear=point.clarity_threshold, low=point.score_threshold) for point in near[:MAX_NAMED]
    ]
    return "<br>".join([*rate_lines(near[0], t), *named, *(["…"] if len(near) > MAX_NAMED else [])])


def rate_lines(point: SweepPoint, t: Translate) -> list[str]:
    """What a pair of thresholds would have done in first turns: both shares by name, with their counts."""
    return [
        f"{t(f'clarification.{name}')}{t('common.colon')}{_rate_text(rate, t)}"
        for name, rate in (("recall", point.recall), ("needless", point.needless))
    ]


def _rate_text(rate: Rate, t: Translate) -> str:
    """A share with its count, "92% (138 of 150)"; a dash if there is none."""
    if rate.value is None:
        return NO_VALUE
    return t("clarification.rate", share=percent(rate.value), hits=f"{rate.hits:,}", n=f"{rate.n:,}")


def _sweep_title(own: SweepPoint, best: SweepPoint | None, t: Translate, asked: bool) -> str:
    if best is None:
        return t("clarification.sweep_same" if asked else "clarification.sweep_same_off")
    return t(
        "clarification.sweep_title",
        clear=best.clarity_threshold,
        low=best.score_threshold,
        recall=percent(best.recall.value or 0.0),
        needless=percent(best.needless.value or 0.0),
        now=percent(own.recall.value or 0.0),
        now_needless=percent(own.needless.value or 0.0),
    )


def ablation_chart(ablations: Sequence[Ablation], t: Translate) -> Chart:
    """The difference with its interval, for all cases and those that need a question or do not; zero is marked."""
    paired = [ablation for ablation in ablations if ablation.difference is not None]
    if not paired:
        return empty_chart(t)
    places = list(range(len(paired)))
    values = [100 * (ablation.difference or 0.0) for ablation in paired]
    ends = [(100 * low, 100 * high) for low, high in map(interval_ends, paired)]
    verdicts = [_verdict(ablation) for ablation in paired]
    colors = {"up": BAMBOO, "down": PERSIMMON, "open": INDIGO}
    marker = {"size": 13, "color": [colors[verdict] for verdict in verdicts]}
    names = [t(f"clarification.of_{ablation.group}") for ablation in paired]
    notes = [difference_note(ablation, t) for ablation in paired]
    hover = {"text": [f"{name}<br>{note}" for name, note in zip(names, notes, strict=True)]}
    template = "%{text}<extra></extra>"
    bars = error_bars(values, ends)
    figure = go.Figure(
        go.Scatter(x=values, y=places, mode="markers", marker=marker, error_x=bars, hovertemplate=template, **hover)
    )
    figure.add_vline(x=0, line_color=GREY, line_width=1.5, line_dash="dash")
    reach = 1.15 * max(5.0, *(abs(end) for pair in ends for end in pair))
    add_rows(figure, names, notes, reach, t("clarification.axis_ablation"), scale=100)
    title = t(f"clarification.ablation_{verdicts[0]}", points=points(paired[0].difference))
    return apply_style(figure, title, 114 + 48 * len(paired))


def _verdict(ablation: Ablation) -> str:
    """Whether scores surely went up or down with clarifying questions, or that cannot be told."""
    if ablation.low is not None and ablation.low > 0:
        return "up"
    return "down" if ablation.high is not None and ablation.high < 0 else "open"
