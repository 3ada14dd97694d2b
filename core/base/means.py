"""Means and shares."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there: what is unscored is in no mean; none if nothing is scored."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None


def share(wanted: Collection[str], have: Collection[str]) -> float:
    """Share (0 to 1) of the wanted words that are there; 0 if none is wanted."""
    return sum(word in have for word in wanted) / len(wanted) if wanted else 0.0
