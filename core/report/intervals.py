"""How sure a mean is: confidence intervals over scenarios, the units that are independent of each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats as scipy_stats

from core.report.paired import estimate

FEW = 400  # up to so many values the bootstrap is quick; above, Student's t gives the same within a quarter of a point (of 100)
RESAMPLES = 2_000
LEVEL = 0.95
stats: Any = scipy_stats  # typed too loosely to be checked


class Interval(NamedTuple):
    """A 95 % confidence interval; `n`: of how many values."""

    low: float
    high: float
    n: int


def mean_interval(
    values: Sequence[float], level: float = LEVEL, scenarios: Sequence[Hashable] | None = None
) -> Interval | None:
    """The interval of the mean of values, each 0 to 1; none for fewer than two.

    Percentile bootstrap with a fixed seed (`scipy.stats.bootstrap`), above 400 values Student's t; cut to 0 to 1.
    scenarios: of each value; where one has several, whole scenarios are drawn (`core.report.paired.estimate`), since
    six people who ask the same are hardly more than one observation: none for fewer than six scenarios then.
    """
    if scenarios is not None and len(set(scenarios)) < len(scenarios):
        return _clustered(values, scenarios)
    known = np.asarray([value for value in values if value == value], dtype=float)
    if len(known) < 2:
        return None
    if np.ptp(known) == 0:
        return Interval(float(known[0]), float(known[0]), len(known))
    if len(known) > FEW:
        low, high = stats.t.interval(level, len(known) - 1, known.mean(), stats.sem(known))
    else:
        drawn = stats.bootstrap(
            (known,), np.mean, n_resamples=RESAMPLES, confidence_level=level, method="percentile", rng=0
        )
        low, high = drawn.confidence_interval
    return Interval(max(0.0, float(low)), min(1.0, float(high)), len(known))


def _clustered(values: Sequence[float], scenarios: Sequence[Hashable]) -> Interval | None:
    """The same where values of one scenario belong together."""
    pairs = [pair for pair in zip(values, scenarios, strict=True) if pair[0] == pair[0]]
    found = estimate([value for value, _ in pairs], [name for _, name in pairs])
    if found is None or found.low is None or found.high is None:
        return None
    return Interval(max(0.0, found.low), min(1.0, found.high), found.pairs)
