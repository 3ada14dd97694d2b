"""Confidence intervals of means and of paired differences, over independent units such as scenarios.

Those of kappa and other measures of agreement are in `core.agreement.intervals`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats as scipy_stats

from core.agreement.intervals import LEVEL

ComparisonVerdict = Literal["better", "worse", "within_margin", "cannot_tell"]
Numbers = NDArray[np.float64]
POWER = 0.8
MIN_UNITS = 6  # units for an interval: of 5 that differ by chance, all point the same way in 6 % of all cases
T_UNITS = 400  # above so many units Student's t gives the same to two digits, and at once
T_UNITS_OF_CELLS = 60  # above so many it gives the same within a point (of 100)
DIFFERING = 2  # so few units that differ from all others tell next to nothing about how far scores spread
RESAMPLES = 3_000
_ROUNDING = 1e-12
stats: Any = scipy_stats  # SciPy comes without types


class Interval(NamedTuple):
    """A 95 % confidence interval; `n`: of how many values."""

    low: float
    high: float
    n: int


class Estimate(NamedTuple):
    """The mean of paired differences: `low` and `high` are its 95 % interval, none for fewer than six clusters.

    detectable: the smallest true difference that as many pairs, as noisy as these, would show in four runs of five; none
    if all clusters differ alike (or none differs), since such pairs say nothing about noise.
    """

    difference: float
    low: float | None
    high: float | None
    detectable: float | None
    pairs: int
    clusters: int


def mean_interval(
    values: Sequence[float], scenarios: Sequence[Hashable] | None = None, approximate: bool = False
) -> Interval | None:
    """The interval of the mean of values, each 0 to 1 (NaN: unscored); none for fewer than six independent units.

    scenarios: of each value; values of one scenario are one unit, since six people who ask the same are hardly more than
    one observation (default: each value is a unit). The method is that of `estimate`, cut to 0 to 1; if all units but two
    at most are equal, there is hardly any spread to draw from: `wilson`. approximate: if each value is a unit, Student's t above
    60 of them, not only above 400 (for a grid of many cells).
    """
    whole = np.asarray(values, dtype=float)
    scored = ~np.isnan(whole)
    values_scored = whole[scored]
    codes = np.arange(len(values_scored)) if scenarios is None else _codes(np.asarray(scenarios, dtype=object)[scored])
    means = np.bincount(codes, weights=values_scored) / np.bincount(codes) if len(values_scored) else values_scored
    if len(means) < MIN_UNITS:
        return None
    if pd.Series(means).round(9).value_counts().iloc[0] >= len(means) - DIFFERING:
        return Interval(*wilson(float(values_scored.mean()), len(means)), len(values_scored))
    if approximate and scenarios is None and len(values_scored) > T_UNITS_OF_CELLS:
        low, high = stats.t.interval(LEVEL, len(values_scored) - 1, values_scored.mean(), stats.sem(values_scored))
        return Interval(max(0.0, float(low)), min(1.0, float(high)), len(values_scored))
    estimated = _estimate(values_scored, codes)
    if estimated.low is None or estimated.high is None:
        return None
    return Interval(max(0.0, estimated.low), min(1.0, estimated.high), len(values_scored))


def wilson(mean: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, Journal of the American Statistical Association 22:209).

    For a mean of n scores 0 to 1 it takes the largest spread that scores with this mean can have, mean x (1 - mean)
    (Bhatia and Davis 2000, The American Mathematical Monthly 107:353), so it is rather too wide than too narrow.
    """
    z = float(stats.norm.ppf((1 + LEVEL) / 2))
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))


def estimate(differences: Sequence[float] | Numbers, clusters: Iterable[Hashable]) -> Estimate | None:
    """The mean difference over pairs, of which those of one cluster go together; none without pairs.

    Percentile bootstrap over clusters with a fixed seed, its level widened for few clusters as Student's t is
    (Hesterberg 2015, The American Statistician 69:371); above 400 clusters Student's t with the standard error of a
    ratio of cluster sums. Smallest difference: (t of 97.5 % + t of 80 %) x standard error, which is 2.8 for many
    clusters (Bloom 1995, Evaluation Review 19:547).
    """
    values = np.asarray(differences, dtype=float)
    return _estimate(values, _codes(np.asarray(list(clusters), dtype=object))) if len(values) else None


def verdict_of(estimated: Estimate | None, lower: bool = False, margin: float = 0.0) -> ComparisonVerdict:
    """Better or worse if the whole interval lies beyond `margin`, neither if all of it lies within.

    Without a margin nothing lies within it. lower: lower is better.
    """
    if estimated is None or estimated.low is None or estimated.high is None:
        return "cannot_tell"
    low, high = (-estimated.high, -estimated.low) if lower else (estimated.low, estimated.high)
    if low > margin + _ROUNDING:
        return "better"
    if high < -margin - _ROUNDING:
        return "worse"
    within = margin > 0 and low >= -margin - _ROUNDING and high <= margin + _ROUNDING
    return "within_margin" if within else "cannot_tell"


def _codes(units: NDArray[np.object_]) -> NDArray[np.intp]:
    """The units as numbers from 0."""
    return pd.factorize(units)[0]


def _estimate(values: Numbers, codes: NDArray[np.intp]) -> Estimate:
    sums, counts = (np.bincount(codes, weights=weights).astype(float) for weights in (values, None))
    mean, groups = float(values.mean()), len(counts)
    if groups < MIN_UNITS:
        return Estimate(mean, None, None, None, len(values), groups)
    error = _standard_error(sums, counts)
    t = float(stats.t.ppf((1 + LEVEL) / 2, groups - 1))
    detectable = None if error < _ROUNDING else (t + float(stats.t.ppf(POWER, groups - 1))) * error
    low, high = _interval(mean, error, t, sums, counts)
    return Estimate(mean, low, high, detectable, len(values), groups)


def _standard_error(sums: Numbers, counts: Numbers) -> float:
    """Of the mean over pairs, when whole clusters are drawn."""
    groups, total = len(counts), counts.sum()
    apart = sums - sums.sum() / total * counts
    return sqrt(groups / (groups - 1) * float((apart**2).sum())) / float(total)


def _interval(mean: float, error: float, t: float, sums: Numbers, counts: Numbers) -> tuple[float, float]:
    groups = len(counts)
    if error < _ROUNDING:
        return mean, mean
    if groups > T_UNITS:
        return mean - t * error, mean + t * error
    level = 1 - 2 * float(stats.norm.sf(t * sqrt(groups / (groups - 1))))
    drawn = stats.bootstrap(
        (sums, counts), _ratio, paired=True, vectorized=True, n_resamples=RESAMPLES, confidence_level=level,
        method="percentile", rng=0,
    ).confidence_interval  # fmt: skip
    return float(drawn.low), float(drawn.high)


def _ratio(sums: Numbers, counts: Numbers, axis: int = -1) -> Numbers:
    return sums.sum(axis=axis) / counts.sum(axis=axis)
