"""Charts of a run: each states its finding in its title and takes its words from `say`, so that it speaks any language.

Frames are `score_values` (or `score_frame`) of the store: one row per score; rows without a value enter no mean, and
every mark says of how many, with a 95 % interval over conversations and the unscored turns. One dress: `looks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.report import means
from core.report.charts_map import heat_map
from core.report.charts_turns import by_turn
from core.report.labels import percent, short, wide
from core.report.looks import BAMBOO, INDIGO, Say, bars, criterion_name, dressed, empty, finish_line, placed
from core.report.means import Measured
from core.report.summary import conversation_scores, criteria_of, headline

__all__ = ["by_criterion", "by_kind", "by_persona", "by_turn", "distribution", "heat_map"]
Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly


def by_criterion(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of each criterion of a judge: over conversations, of the mean over their scored turns.

    lower: criteria of which less is better; they are drawn in grey, since the finish line says nothing of them.
    """
    found = means.by_criterion(frame, criteria_of(frame, judge), judge)
    if not found:
        return empty(say)
    names = [criterion_name(one.name, say) for one in found]
    return bars(names, found, _criteria_title(found, lower, say), line, say, [one.name in lower for one in found])


def _criteria_title(found: Sequence[Measured], lower: frozenset[str], say: Say) -> str:
    """The weakest criterion, unless there is one only or all are equal."""
    kept = [one for one in found if one.name not in lower]
    if not kept:
        return say("charts.criteria_lower", score=percent(found[0].mean))
    if len(found) == 1:
        return say("charts.criteria_one", score=percent(kept[0].mean))
    parts = [one for one in kept if one.name != "overall"]
    if not parts or _range(parts) < 0.01:
        return say("charts.criteria_same", score=percent(sum(one.mean for one in kept) / len(kept)))
    weakest = min(parts, key=lambda one: one.mean)
    return say("charts.criteria_title", name=criterion_name(weakest.name, say), score=percent(weakest.mean))


def by_persona(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each persona, the hardest first."""
    less = headline(frame, judge) in lower
    found = means.by_column(frame, "persona_name", judge, less)
    if not found:
        return empty(say)
    names = [one.name for one in found]
    return bars(names, found, _lowest_title("persona", names[0], found, say), None if less else line, say)


def by_kind(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each kind of scenario, the weakest first."""
    less = headline(frame, judge) in lower
    found = means.by_column(frame, "kind", judge, less)
    if not found:
        return empty(say)
    names = [say(f"kinds.{one.name}") for one in found]
    return bars(names, found, _lowest_title("kind", names[0], found, say), None if less else line, say)


def distribution(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """How many conversations have which score."""
    less = headline(frame, judge) in lower
    table: Table = conversation_scores(frame, headline(frame, judge), judge)
    scores: list[float] = [float(score) for score in table["score"].dropna()]
    if not scores:
        return empty(say)
    edges = [step / 20 for step in range(21)]
    counts = Counter(max(0, ceil(score * 20 - 1e-9) - 1) for score in scores)
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    figure = go.Figure(
        go.Bar(
            x=middles,
            y=[counts[place] for place in range(20)],
            marker_color=[BAMBOO if high > line + 1e-9 and not less else INDIGO for high in edges[1:]],
            width=0.044,
            customdata=[f"{low * 100:.0f}–{percent(high)}" for low, high in pairwise(edges)],
            hovertemplate=f"%{{customdata}}<br>%{{y}} / {say('charts.n', n=f'{len(scores):,}')}<extra></extra>",
        )
    )
    if not less:
        finish_line(figure, line, say)
    figure.update_xaxes(range=[0, 1.02], tickformat=".0%", title=None)
    figure.update_yaxes(title=say("charts.count"), rangemode="tozero")
    title = _spread_title(scores, line, less, say)
    figure = dressed(figure, f"{title} ({say('charts.n', n=f'{len(scores):,}')})", 320)
    return placed(figure, wide([f"{max(counts.values()):,}"]) + 38)


def _spread_title(scores: Sequence[float], line: float, less: bool, say: Say) -> str:
    """The share of conversations at the finish line or beyond; where less is better, the mean."""
    if less:
        return say("charts.spread_lower", score=percent(sum(scores) / len(scores)))
    reached = sum(score >= line - 1e-9 for score in scores)
    return say("charts.spread_title", share=percent(reached / len(scores)))


def _lowest_title(what: str, name: str, found: Sequence[Measured], say: Say) -> str:
    """Who or what does worst, unless they are all about equal (within two points)."""
    if len(found) > 1 and _range(found) < 0.02:
        return say(f"charts.{what}_same", score=percent(sum(one.mean for one in found) / len(found)))
    return say(f"charts.{what}_title", name=short(name, 18), score=percent(found[0].mean))


def _range(found: Sequence[Measured]) -> float:
    return max(one.mean for one in found) - min(one.mean for one in found)
