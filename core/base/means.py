"""The mean of values of which some are missing."""

from __future__ import annotations

from collections.abc import Iterable


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there: what is unscored is in no mean; none if nothing is scored."""
    scored = [value for value in values if value is not None]
    return sum(scored) / len(scored) if scored else None
