"""Means of scores and shares of words."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the scored values; unscored ones (None) do not count. None if nothing is scored."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def share(wanted: Collection[str], present: Collection[str]) -> float:
    """Share (0 to 1) of the wanted words that are present; 0 if none is wanted."""
    return sum(word in present for word in wanted) / len(wanted) if wanted else 0.0
