"""Means of scores, what is below a mark, and shares of words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

ROUNDING = 1e-9  # nearer than this is rounding: the mean of 0.8 and 1 is 0.9


def is_below(value: float, mark: float) -> bool:
    """Whether a score is below a mark, and not only by rounding."""
    return value < mark - ROUNDING


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the scored values; unscored ones (None) do not count. None if nothing is scored."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def none_for_nan(values: Iterable[float]) -> list[float | None]:
    """The numbers with None in place of NaN."""
    return [None if value != value else value for value in values]


def share(wanted: Collection[str], present: Collection[str]) -> float:
    """Share (0 to 1) of the wanted words that are present; 0 if none is wanted."""
    return sum(word in present for word in wanted) / len(wanted) if wanted else 0.0
