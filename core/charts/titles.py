"""What a chart's title may claim: which of several means is worst, how they lie together, how far a run came."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.aggregate import Incomplete, MeanScore
from core.analysis.formatting import percent
from core.base.translate import Translate

ENOUGH = 5  # conversations of a mean that a title may point at
EQUAL = 0.02  # means that lie within it are about the same


def worst_of(means: Sequence[MeanScore], less: bool = False) -> int | None:
    """The place of the worst mean (`less`: lower is better); none if no title may name one.

    It is of at least five conversations, another one is, too, and it lies apart from all others in whole percent.
    """
    if sum(one.n >= ENOUGH for one in means) < 2:
        return None
    order = sorted(range(len(means)), key=lambda place: means[place].mean, reverse=less)
    worst, next_one = order[0], order[1]
    apart = percent(means[worst].mean) != percent(means[next_one].mean)
    return worst if means[worst].n >= ENOUGH and apart else None


def about_equal(means: Sequence[MeanScore]) -> bool:
    """Whether several means are all about the same."""
    values = [one.mean for one in means]
    return len(values) > 1 and max(values) - min(values) < EQUAL


def range_title(means: Sequence[MeanScore], t: Translate, less: bool = False) -> str:
    """How means lie if none may be called the worst: from where to where, and why."""
    if not means:
        return t("charts.empty")
    if len(means) == 1:
        return t("charts.single", score=percent(means[0].mean))
    values = [one.mean for one in means]
    low, high = min(values), max(values)
    last = [one.n for one in means if percent(one.mean) == percent(high if less else low)]
    tied = len(last) > 1 and all(n >= ENOUGH for n in last)
    return t("charts.tie" if tied else "charts.few", low=percent(low), high=percent(high))


def incomplete_title(run: Incomplete, score: float | None, t: Translate) -> str:
    """How far an incomplete run came, and its mean so far."""
    counts = {"done": f"{run.over:,}", "total": f"{run.total:,}"}
    if score is None:
        return t(f"incomplete.{run.status}_unscored", **counts)
    return t(f"incomplete.{run.status}", score=percent(score), **counts)
