"""Paired differences in clusters: how large, how sure, and how small a difference could have been seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats

ComparisonVerdict = Literal["better", "worse", "within_margin", "cannot_tell"]
LEVEL, POWER = 0.95, 0.8
LEAST = 6  # clusters for an interval: of 5 that differ by chance, all point the same way in 6 % of all cases
MANY = 400  # above so many clusters Student's t gives the same to two digits, and at once
RESAMPLES = 3_000
_NOTHING = 1e-12  # below it a difference is rounding
frames: Any = pd
stats: Any = scipy_stats  # both typed too loosely to be checked


class Estimate(NamedTuple):
    """The mean of paired differences: `low` and `high` are its 95 % interval, none for fewer than six clusters.

    detectable: the smallest true difference that as many pairs, as noisy as these, would show in four runs of five; none
    where all clusters differ alike (as where none differs), since such pairs say nothing about noise.
    """

    difference: float
    low: float | None
    high: float | None
    detectable: float | None
    pairs: int
    clusters: int


def estimate(differences: Sequence[float], clusters: Sequence[Hashable]) -> Estimate | None:
    """The mean difference over pairs, of which those of one cluster go together; none without pairs.

    Percentile bootstrap over clusters with a fixed seed, its level widened for few clusters as Student's t is
    (Hesterberg 2015, The American Statistician 69:371); above 400 clusters Student's t with the standard error of a
    ratio of cluster sums. Smallest difference: (t of 97.5 % + t of 80 %) x standard error, which is 2.8 for many
    clusters (Bloom 1995, Evaluation Review 19:547).
    """
    values = np.asarray(differences, dtype=float)
    if not len(values):
        return None
    codes, _ = frames.factorize(np.asarray(clusters, dtype=object))
    sums, counts = np.bincount(codes, weights=values), np.bincount(codes).astype(float)
    mean, groups = float(values.mean()), len(counts)
    if groups < LEAST:
        return Estimate(mean, None, None, None, len(values), groups)
    error = _standard_error(sums, counts)
    detectable = float((stats.t.ppf((1 + LEVEL) / 2, groups - 1) + stats.t.ppf(POWER, groups - 1)) * error)
    known = None if error < _NOTHING else detectable
    low, high = _interval(mean, error, sums, counts)
    return Estimate(mean, low, high, known, len(values), groups)


def verdict_of(found: Estimate | None, lower: bool = False, margin: float = 0.0) -> ComparisonVerdict:
    """Better or worse where the whole interval lies beyond `margin`, neither where all of it lies within.

    Without a margin nothing lies within it. lower: less is better.
    """
    if found is None or found.low is None or found.high is None:
        return "cannot_tell"
    low, high = (-found.high, -found.low) if lower else (found.low, found.high)
    if low > margin + _NOTHING:
        return "better"
    if high < -margin - _NOTHING:
        return "worse"
    within = margin > 0 and low >= -margin - _NOTHING and high <= margin + _NOTHING
    return "within_margin" if within else "cannot_tell"


def _standard_error(sums: Any, counts: Any) -> float:
    """Of the mean over pairs, when whole clusters are drawn."""
    groups, total = len(counts), counts.sum()
    apart = sums - sums.sum() / total * counts
    return sqrt(groups / (groups - 1) * float((apart**2).sum())) / float(total)


def _interval(mean: float, error: float, sums: Any, counts: Any) -> tuple[float, float]:
    groups = len(counts)
    if error < _NOTHING:
        return mean, mean
    t = float(stats.t.ppf((1 + LEVEL) / 2, groups - 1))
    if groups > MANY:
        return mean - t * error, mean + t * error
    wide = 1 - 2 * float(stats.norm.sf(t * sqrt(groups / (groups - 1))))
    drawn = stats.bootstrap(
        (sums, counts),
        _ratio,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=wide,
        method="percentile",
        rng=0,
    ).confidence_interval
    return float(drawn.low), float(drawn.high)


def _ratio(sums: Any, counts: Any, axis: int = -1) -> Any:
    return sums.sum(axis=axis) / counts.sum(axis=axis)


__all__ = ["LEVEL", "Interval", "mean_interval", "wilson"]
ODD = 2  # so few units that differ from all others tell next to nothing of how far scores spread
PLENTY = 60  # units of which Student's t and the bootstrap tell the same within a point (of 100)
frames_confidence_intervals: Any = pd
stats_confidence_intervals: Any = scipy_stats  # both typed too loosely to be checked


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
    one observation (default: each value is a unit). Method as for comparisons (`core.analysis.confidence_intervals.estimate`), cut to
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
        low, high = stats_confidence_intervals.t.interval(
            LEVEL, len(known) - 1, known.mean(), stats_confidence_intervals.sem(known)
        )
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
    z = float(stats_confidence_intervals.norm.ppf((1 + LEVEL) / 2))
    middle = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, min(mean, middle - half)), min(1.0, max(mean, middle + half))


def _unit_means(values: Any, units: Sequence[Hashable]) -> Any:
    """The mean of each unit."""
    codes, _ = frames_confidence_intervals.factorize(np.asarray(units, dtype=object))
    return np.bincount(codes, weights=values) / np.bincount(codes) if len(codes) else values


def _equal(means: Any) -> int:
    """How many units have the commonest mean."""
    return int(frames_confidence_intervals.Series(means).round(9).value_counts().iloc[0])
