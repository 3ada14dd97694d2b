"""Confidence intervals of means and of paired differences, over independent units such as scenarios.

Those of kappa and other measures of agreement are in `core.agreement.intervals`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from core.agreement.intervals import LEVEL, distributions, widened_t
from core.agreement.tables import Codes, Numbers, codes_of

ComparisonVerdict = Literal["better", "worse", "within_margin", "cannot_tell"]
POWER = 0.8
MIN_UNITS = 6  # units for an interval: 5 that differ by chance all point the same way in 6 % of all cases
T_UNITS = 400  # with more units Student's t agrees with the bootstrap to two digits, and is fast
T_UNITS_OF_CELLS = 60  # with more units it agrees within a point (of 100)
MAX_OUTLIERS = 2  # if no more units than these differ from the others, their spread cannot be estimated
RESAMPLES = 3_000
_ROUNDING = 1e-12


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    low: float
    high: float


class Estimate(NamedTuple):
    """The mean of paired differences."""

    difference: float | None  # None without pairs
    low: float | None  # of the 95 % interval, None for fewer than six clusters
    high: float | None
    # The smallest true difference that as many pairs with this noise would show in four runs of five; None if all
    # clusters differ by the same amount, since such pairs say nothing about noise
    detectable: float | None
    clusters: int


def mean_interval(
    values: Sequence[float], scenarios: Sequence[Hashable] | None = None, approximate: bool = False
) -> Interval | None:
    """The interval of the mean of values, each 0 to 1 (NaN: unscored); None for fewer than six independent units.

    The method is that of `estimate`, clipped to 0 to 1; if all but at most two units are equal, there is hardly any
    spread to sample from, so it is `wilson`.

    scenarios: of each value; values of one scenario are one unit, since six users with the same question are hardly
    more than one observation (default: each value is a unit). approximate: if each value is a unit, use Student's t
    for more than 60 of them, not only for more than 400 (for a grid of many cells).
    """
    all_values = np.asarray(values, dtype=float)
    scored = ~np.isnan(all_values)
    values_scored = all_values[scored]
    codes = (
        np.arange(len(values_scored)) if scenarios is None else codes_of(np.asarray(scenarios, dtype=object)[scored])
    )
    means = np.bincount(codes, weights=values_scored) / np.bincount(codes) if len(values_scored) else values_scored
    if len(means) < MIN_UNITS:
        return None
    if pd.Series(means).round(9).value_counts().iloc[0] >= len(means) - MAX_OUTLIERS:
        return Interval(*wilson(float(values_scored.mean()), len(means)))
    if approximate and scenarios is None and len(values_scored) > T_UNITS_OF_CELLS:
        low, high = distributions().t.interval(
            LEVEL, len(values_scored) - 1, values_scored.mean(), distributions().sem(values_scored)
        )
        return Interval(max(0.0, float(low)), min(1.0, float(high)))
    estimated = _estimate(values_scored, codes)
    if estimated.low is None or estimated.high is None:
        return None
    return Interval(max(0.0, estimated.low), min(1.0, estimated.high))


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, Journal of the American Statistical Association 22:209).

    For a mean of n scores 0 to 1 it takes the largest spread that scores with this mean can have, mean x (1 - mean)
    (Bhatia and Davis 2000, The American Mathematical Monthly 107:353), so it is rather too wide than too narrow.
    """
    z = float(distributions().norm.ppf((1 + LEVEL) / 2))
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))


def estimate(differences: Sequence[float] | Numbers, clusters: Iterable[Hashable]) -> Estimate:
    """The mean difference over pairs, where the pairs of a cluster depend on each other.

    Percentile bootstrap over clusters with a fixed seed, its level widened for few clusters as Student's t is
    (Hesterberg 2015, The American Statistician 69:371); above 400 clusters Student's t with the standard error of a
    ratio of cluster sums. Smallest difference: (t of 97.5 % + t of 80 %) x standard error, which is 2.8 for many
    clusters (Bloom 1995, Evaluation Review 19:547).
    """
    values = np.asarray(differences, dtype=float)
    if not len(values):
        return Estimate(None, None, None, None, clusters=0)
    return _estimate(values, codes_of(np.asarray(list(clusters), dtype=object)))


def verdict_of(estimated: Estimate, lower_is_better: bool = False, margin: float = 0.0) -> ComparisonVerdict:
    """Better or worse if the whole interval lies beyond `margin`, within it if all of it does, else "cannot_tell"."""
    if estimated.low is None or estimated.high is None:
        return "cannot_tell"
    low, high = (-estimated.high, -estimated.low) if lower_is_better else (estimated.low, estimated.high)
    if low > margin + _ROUNDING:
        return "better"
    if high < -margin - _ROUNDING:
        return "worse"
    within = margin > 0 and low >= -margin - _ROUNDING and high <= margin + _ROUNDING
    return "within_margin" if within else "cannot_tell"


def _estimate(values: Numbers, codes: Codes) -> Estimate:
    sums, counts = (np.bincount(codes, weights=weights).astype(float) for weights in (values, None))
    mean, groups = float(values.mean()), len(counts)
    if groups < MIN_UNITS:
        return Estimate(mean, None, None, None, groups)
    error = _standard_error(sums, counts)
    t = float(distributions().t.ppf((1 + LEVEL) / 2, groups - 1))
    detectable = None if error < _ROUNDING else (t + float(distributions().t.ppf(POWER, groups - 1))) * error
    low, high = _interval(mean, error, t, sums, counts)
    return Estimate(mean, low, high, detectable, groups)


def _standard_error(sums: Numbers, counts: Numbers) -> float:
    """The standard error of the mean over pairs, when whole clusters are drawn."""
    groups, total = len(counts), counts.sum()
    deviations = sums - sums.sum() / total * counts
    return sqrt(groups / (groups - 1) * float((deviations**2).sum())) / float(total)


def _interval(mean: float, error: float, t: float, sums: Numbers, counts: Numbers) -> tuple[float, float]:
    groups = len(counts)
    if error < _ROUNDING:
        return mean, mean
    if groups > T_UNITS:
        return mean - t * error, mean + t * error
    level = 1 - 2 * float(distributions().norm.sf(widened_t(groups)))
    drawn = distributions().bootstrap(
        (sums, counts), _ratio, paired=True, vectorized=True, n_resamples=RESAMPLES, confidence_level=level,
        method="percentile", rng=0,
    ).confidence_interval  # fmt: skip
    return float(drawn.low), float(drawn.high)


def _ratio(sums: Numbers, counts: Numbers, axis: int = -1) -> Numbers:
    return sums.sum(axis=axis) / counts.sum(axis=axis)
