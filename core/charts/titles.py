"""What a title may claim of several means: who stands last, or how they lie together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.charts.formatting import percent

ENOUGH = 5  # conversations of a mean that a title may point at
ALIKE = 0.02  # means that lie within it are about the same
Mean = tuple[float, int]  # over how many conversations


def worst_of(found: Sequence[Mean], less: bool = False) -> int | None:
    """The place of the worst mean (`less`: less is better); none where no title may name one.

    It is of at least five conversations, another one is, too, and it lies apart from all others in whole percent.
    """
    if sum(n >= ENOUGH for _, n in found) < 2:
        return None
    order = sorted(range(len(found)), key=lambda place: found[place][0], reverse=less)
    worst, next_one = order[0], order[1]
    apart = percent(found[worst][0]) != percent(found[next_one][0])
    return worst if found[worst][1] >= ENOUGH and apart else None


def about_equal(found: Sequence[Mean]) -> bool:
    """Whether several means are all about the same."""
    means = [mean for mean, _ in found]
    return len(means) > 1 and max(means) - min(means) < ALIKE


def range_title(found: Sequence[Mean], t: Callable[..., str], less: bool = False) -> str:
    """How means lie where none may be called the worst: from where to where, and why."""
    if len(found) == 1:
        return t("charts.single", score=percent(found[0][0]))
    means = [mean for mean, _ in found]
    low, high = min(means), max(means)
    last = [n for mean, n in found if percent(mean) == percent(high if less else low)]
    tied = len(last) > 1 and all(n >= ENOUGH for n in last)
    return t("charts.tie" if tied else "charts.few", low=percent(low), high=percent(high))
