"""Titles of charts: which of several means is worst, their range, or the result of a run."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.formatting import percent, percent_range
from core.analysis.run_means import Incomplete, MeanScore, pass_verdict
from core.base.translate import Translate

MIN_CONVERSATIONS = 5  # conversations of a mean that a title may point at
EQUAL_UP_TO = 0.02  # means that lie within it are about the same


def worst_of(means: Sequence[MeanScore], lower_is_better: bool = False) -> int | None:
    """The place of the worst mean; None if no title may name one.

    It is of at least five conversations, another one is, too, and it lies apart from all others in whole percent.
    """
    if sum(score.n >= MIN_CONVERSATIONS for score in means) < 2:
        return None
    order = sorted(range(len(means)), key=lambda place: means[place].mean, reverse=lower_is_better)
    worst, next_one = order[0], order[1]
    apart = percent(means[worst].mean) != percent(means[next_one].mean)
    return worst if means[worst].n >= MIN_CONVERSATIONS and apart else None


def about_equal(means: Sequence[MeanScore]) -> bool:
    """Whether several means are all about the same."""
    values = [score.mean for score in means]
    return len(values) > 1 and max(values) - min(values) < EQUAL_UP_TO


def range_title(means: Sequence[MeanScore], t: Translate, lower_is_better: bool = False) -> str:
    """How means lie if none may be called the worst: from where to where, and why."""
    if not means:
        return t("charts.empty")
    if len(means) == 1:
        return t("charts.single", score=percent(means[0].mean))
    values = [score.mean for score in means]
    low, high = min(values), max(values)
    last = [score.n for score in means if percent(score.mean) == percent(high if lower_is_better else low)]
    tied = len(last) > 1 and all(n >= MIN_CONVERSATIONS for n in last)
    return t("charts.tie" if tied else "charts.few", range=percent_range(low, high))


def run_title(
    run: Incomplete | None, score: MeanScore | None, judge: str, pass_mark: float | None, t: Translate
) -> str:
    """Progress of an incomplete run; else whether its score reaches the pass mark, or without one the score by `judge`."""
    if run:
        return incomplete_title(run, score.mean if score else None, t)
    if score is None:
        return t("scores.unscored")
    if pass_mark is None:
        return t("scores.by_judge", judge=judge, score=percent(score.mean))
    verdict = pass_verdict(score.interval, pass_mark)
    return t(f"scores.{verdict}", score=percent(score.mean), pass_mark=percent(pass_mark))


def incomplete_title(run: Incomplete, score: float | None, t: Translate) -> str:
    """How far an incomplete run came, and its mean so far."""
    counts = {"done": f"{run.ended:,}", "total": f"{run.total:,}"}
    if score is None:
        return t(f"incomplete.{run.status}_unscored", **counts)
    return t(f"incomplete.{run.status}", score=percent(score), **counts)
