"""How sure a mean is: confidence intervals over scenarios, the units that are independent of each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

from core.analysis.paired_difference import LEAST, LEVEL, estimate

__all__ = ["LEVEL", "Interval", "mean_interval", "wilson"]
ODD = 2  # so few units that differ from all others tell next to nothing of how far scores spread
PLENTY = 60  # units of which Student's t and the bootstrap tell the same within a point (of 100)
frames: Any = pd
stats: Any = scipy_stats  # both typed too loosely to be checked


class Interval(NamedTuple):
    """A 95 % confidence interval; `n`: of how many values."""

    low: float
    high: float
    n: int


def mean_interval(
    values: Sequence[float], scenarios: Sequence[Hashable] | None = None, quick: bool = False
) -> Interval | None:
    """The interval of the mean of values, each 0 to 1 (NaN: unscored); none for fewer than six independent units.

    scenarios: of each value; values of one scenario are one unit, since six people who ask the same are hardly more than
    one observation (default: each value is a unit). Method as for comparisons (`core.analysis.paired_difference.estimate`), cut to
    0 to 1; where all units but two at most are equal, hardly any spread was seen that could be drawn from: `wilson`.
    quick: where each value is a unit, Student's t above 60 of them, not only above 400 (for a grid of many cells).
    """
    marks = list(range(len(values))) if scenarios is None else list(scenarios)
    kept = [pair for pair in zip(values, marks, strict=True) if pair[0] == pair[0]]
    known, units = np.asarray([value for value, _ in kept], dtype=float), [mark for _, mark in kept]
    means = _unit_means(known, units)
    if len(means) < LEAST:
        return None
    if _equal(means) >= len(means) - ODD:
        return Interval(*wilson(float(known.mean()), len(means)), len(known))
    if quick and scenarios is None and len(known) > PLENTY:
        low, high = stats.t.interval(LEVEL, len(known) - 1, known.mean(), stats.sem(known))
        return Interval(max(0.0, float(low)), min(1.0, float(high)), len(known))
    found = estimate(list(known), units)
    if found is None or found.low is None or found.high is None:
        return None
    return Interval(max(0.0, found.low), min(1.0, found.high), len(known))


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, Journal of the American Statistical Association 22:209).

    For a mean of n scores 0 to 1 it takes the largest spread that scores with this mean can have, mean x (1 - mean)
    (Bhatia and Davis 2000, The American Mathematical Monthly 107:353), so it is rather too wide than too narrow.
    """
    z = float(stats.norm.ppf((1 + LEVEL) / 2))
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))


def _unit_means(values: Any, units: Sequence[Hashable]) -> Any:
    """The mean of each unit."""
    codes, _ = frames.factorize(np.asarray(units, dtype=object))
    return np.bincount(codes, weights=values) / np.bincount(codes) if len(codes) else values


def _equal(means: Any) -> int:
    """How many units have the commonest mean."""
    return int(frames.Series(means).round(9).value_counts().iloc[0])
