"""Charts of a run: each states its finding in its title and takes its words from `say`, so that it speaks any language.

Frames are `score_values` (or `score_frame`) of the store: one row per score; rows without a value enter no mean, and
every mark says of how many, with a 95 % interval over conversations and the unscored turns. One dress: `looks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as plotly

from core.analysis import aggregate as means
from core.analysis.aggregate import MeanScore, conversation_scores, headline
from core.charts.formatting import label_width, percent, shorten
from core.charts.heat_maps import heat_map
from core.charts.style import (
    BAMBOO,
    INDIGO,
    Translate,
    add_pass_mark,
    apply_style,
    bars,
    criterion_name,
    empty_figure,
    set_margins,
)
from core.charts.titles import about_equal, range_title, worst_of
from core.charts.turns import by_turn

__all__ = ["by_criterion", "by_kind", "by_persona", "by_turn", "distribution", "heat_map"]
Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
NEAR = 1e-9  # nearer than this is rounding: the mean of 0.8 and 1 is 0.9


def by_criterion(
    frame: pd.DataFrame, line: float, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of each criterion of a judge: over conversations, of the mean over their scored turns.

    lower: criteria of which less is better; they are drawn in grey, since the pass mark says nothing of them.
    """
    found = means.by_criterion(frame, judge)
    if not found:
        return empty_figure(t)
    names = [criterion_name(one.name, t) for one in found]
    return bars(names, found, _criteria_title(found, lower, t), line, t, [one.name in lower for one in found])


def _criteria_title(found: Sequence[MeanScore], lower: frozenset[str], t: Translate) -> str:
    """The weakest criterion, where one may be named."""
    kept = [one for one in found if one.name not in lower]
    if not kept:
        return t("charts.criteria_lower", score=percent(found[0].mean))
    if len(found) == 1:
        return t("charts.criteria_one", score=percent(kept[0].mean))
    parts = [one for one in kept if one.name != "overall"] or kept
    means = [(one.mean, one.n) for one in parts]
    if about_equal(means):
        return t("charts.criteria_same", score=percent(sum(one.mean for one in kept) / len(kept)))
    at = worst_of(means)
    if at is None:
        return range_title(means, t)
    return t("charts.criteria_title", name=criterion_name(parts[at].name, t), score=percent(parts[at].mean))


def by_persona(
    frame: pd.DataFrame, line: float, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each persona, the hardest first."""
    less = headline(frame, judge) in lower
    found = means.by_column(frame, "persona_name", judge, less)
    if not found:
        return empty_figure(t)
    names = [one.name for one in found]
    return bars(names, found, _lowest_title("persona", names, found, less, t), None if less else line, t)


def by_kind(
    frame: pd.DataFrame, line: float, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each kind of scenario, the weakest first."""
    less = headline(frame, judge) in lower
    found = means.by_column(frame, "kind", judge, less)
    if not found:
        return empty_figure(t)
    names = [t(f"kinds.{one.name}") for one in found]
    return bars(names, found, _lowest_title("kind", names, found, less, t), None if less else line, t)


def distribution(
    frame: pd.DataFrame, line: float, t: Translate, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """How many conversations have which score."""
    less = headline(frame, judge) in lower
    table: Table = conversation_scores(frame, headline(frame, judge), judge)
    scores: list[float] = [float(score) for score in table["score"].dropna()]
    if not scores:
        return empty_figure(t)
    lows, highs = _steps(None if less else line)
    places = np.clip(np.searchsorted(lows, np.asarray(scores) + NEAR, side="right") - 1, 0, len(lows) - 1)
    counts = np.bincount(places, minlength=len(lows))
    widths = [max(high - low, 0.02) for low, high in zip(lows, highs, strict=True)]
    figure = go.Figure(
        go.Bar(
            x=[low + width / 2 for low, width in zip(lows, widths, strict=True)],
            y=counts.tolist(),
            marker_color=[BAMBOO if low >= line - NEAR and not less else INDIGO for low in lows],
            width=[width * 0.88 for width in widths],
            customdata=[
                *(_step_name("step", *ends, t) for ends in list(zip(lows, highs, strict=True))[:-1]),
                _step_name("step_last", lows[-1], highs[-1], t),
            ],
            hovertemplate=f"%{{customdata}}<br>%{{y}} / {t('charts.n', n=f'{len(scores):,}')}<extra></extra>",
        )
    )
    if not less:
        add_pass_mark(figure, line, t)
    figure.update_xaxes(range=[0, 1.03], tickformat=".0%", title=None)
    whole = {"dtick": 1} if counts.max() <= 6 else {}
    figure.update_yaxes(title=t("charts.count"), rangemode="tozero", tickformat=",d", **whole)
    title = _spread_title(scores, line, less, t)
    figure = apply_style(figure, f"{title} ({t('charts.n', n=f'{len(scores):,}')})", 320)
    return set_margins(figure, label_width([f"{counts.max():,}"]) + 38)


def _steps(line: float | None) -> tuple[list[float], list[float]]:
    """Where the bars begin and end: twenty steps, each without its upper end but the last; the line parts one where needed."""
    lows = [step / 20 for step in range(20)]
    if line is not None and all(abs(low - line) > NEAR for low in lows):
        lows = sorted([*lows, line])
    return lows, [*lows[1:], 1.0]


def _step_name(key: str, low: float, high: float, t: Translate) -> str:
    return t(f"charts.{key}", low=f"{low * 100:g}", high=f"{high * 100:g}")


def _spread_title(scores: Sequence[float], line: float, less: bool, t: Translate) -> str:
    """The share of conversations at the pass mark or beyond; where less is better, the mean."""
    if less:
        return t("charts.spread_lower", score=percent(sum(scores) / len(scores)))
    reached = sum(score >= line - NEAR for score in scores)
    return t("charts.spread_title", share=percent(reached / len(scores)))


def _lowest_title(what: str, names: Sequence[str], found: Sequence[MeanScore], less: bool, t: Translate) -> str:
    """Who or what does worst, where one may be named."""
    means = [(one.mean, one.n) for one in found]
    if about_equal(means):
        return t(f"charts.{what}_same", score=percent(sum(mean for mean, _ in means) / len(means)))
    at = worst_of(means, less)
    if at is None:
        return range_title(means, t, less)
    return t(f"charts.{what}_title", name=shorten(names[at], 18), score=percent(found[at].mean))
