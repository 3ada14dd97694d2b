"""A forest plot: differences of two runs with their intervals around the line of no difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.analysis.compare import Difference
from core.analysis.formatting import percent, points, points_range, short_label
from core.base.translate import Translate
from core.charts.differences import add_rows, difference_note
from core.charts.label_text import wrap_label
from core.charts.style import (
    BAMBOO,
    GREY,
    PERSIMMON,
    Chart,
    apply_style,
    empty_chart,
    error_bars,
    go,
    interval_ends,
)

MARKS = {  # by verdict; told apart in grey, too
    "better": (BAMBOO, "triangle-up"),
    "worse": (PERSIMMON, "triangle-down"),
    "within_margin": (GREY, "circle"),
    "cannot_tell": (GREY, "circle"),
}
MAX_ROWS = 24  # more cannot be read
NamedDifference = tuple[str, Difference]


def forest(rows: Sequence[NamedDifference], t: Translate, what: str) -> Chart:
    """One difference a line, B minus A, with its interval; `what`: which words make the title (charts.forest_…)."""
    paired = [(name, difference) for name, difference in rows if difference.difference is not None][:MAX_ROWS]
    if not paired:
        return empty_chart(t)
    figure, places = go.Figure(), list(range(len(paired)))
    for verdict, (color, symbol) in MARKS.items():
        bars = [place for place in places if paired[place][1].verdict == verdict]
        if bars:
            figure.add_trace(_points(bars, [paired[place] for place in bars], color, symbol, t))
    figure.add_vline(x=0, line_color=GREY, line_width=1.5)
    reach = max(abs(end) for _, difference in paired for end in interval_ends(difference)) * 1.15 or 0.05
    notes = [difference_note(difference, t) for _, difference in paired]
    names = [
        wrap_label(name + (f" {t('charts.forest_less')}" if difference.lower_is_better else ""))
        for name, difference in paired
    ]
    add_rows(figure, names, notes, reach, t("charts.forest_axis"))
    return apply_style(figure, _title(paired, t, what), 114 + 38 * len(paired))


def _points(places: Sequence[int], rows: Sequence[NamedDifference], color: str, symbol: str, t: Translate) -> Any:
    middles = [difference.difference or 0.0 for _, difference in rows]
    return go.Scatter(
        x=middles,
        y=list(places),
        mode="markers",
        marker={"size": 11, "color": color, "symbol": symbol},
        error_x=error_bars(middles, [interval_ends(difference) for _, difference in rows], color=color, thickness=2),
        text=["<br>".join((short_label(name, 60), *_hover(difference, t))) for name, difference in rows],
        hovertemplate="%{text}<extra></extra>",
    )


def _hover(difference: Difference, t: Translate) -> tuple[str, str, str]:
    """The difference with its interval, the means of both runs over the same pairs, and of how many."""
    value, interval = points(difference.difference), t("charts.forest_few", value=points(difference.difference))
    if difference.low is not None and difference.high is not None:
        interval = t("charts.forest_interval", value=value, interval=points_range(difference.low, difference.high, t))
    sides = t("charts.sides", a=percent(difference.mean_a or 0.0), b=percent(difference.mean_b or 0.0))
    return interval, sides, t("charts.forest_hover", n=difference.pairs, unscored=difference.unscored)


def _title(rows: Sequence[NamedDifference], t: Translate, what: str) -> str:
    """How many got surely worse or better."""
    verdicts = [difference.verdict for _, difference in rows]
    worse, better = verdicts.count("worse"), verdicts.count("better")
    if not worse and not better:
        return t(f"charts.forest_{what}_none", n=len(rows))
    return t(f"charts.forest_{what}", worse=worse, better=better, n=len(rows))
