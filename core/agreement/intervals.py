"""95 % intervals of agreement: bootstrap over conversations, of which the turns go together."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats as scipy_stats

from core.agreement.tables import Measure, Numbers, percent

LEVEL = 0.95
MIN_GROUPS = 6  # conversations for an interval: of 5 that differ by chance, all point the same way in 6 % of all cases
BOOTSTRAP_GROUPS = 400  # above so many, Student's t gives the same to two digits, and at once
RESAMPLES = 2_000
DIFFERING = 2  # so few conversations with a disagreement tell next to nothing about how far they spread
PSEUDO_LABELS = 2  # of pure chance, added before drawing
stats: Any = scipy_stats  # SciPy comes without types


class Statistic(NamedTuple):
    """A measured value with its 95 % interval; none where too little is known (fewer than six conversations)."""

    value: float | None
    low: float | None = None
    high: float | None = None


UNKNOWN = Statistic(None)


def statistics(
    tables: Numbers,
    measures: Mapping[str, Measure],
    points: Mapping[str, float] | None = None,
    repeated: Numbers | None = None,
) -> dict[str, Statistic]:
    """Each measure of the summed tables (G, K, K; one per conversation) with its interval.

    Up to 400 conversations BCa bootstrap over them (Efron 1987, Journal of the American Statistical Association
    82:171), its level widened for few of them as Student's t is; above that the jackknife's standard error and Student's
    t. Two labels of pure chance, spread over all cells, are added before drawing (as Agresti and Coull 1998, The
    American Statistician 52:119, add theirs): else a few conversations without a single disagreement would look certain.
    The share that agrees has Wilson's interval if two conversations at most have a disagreement.
    points: the values, if a library has computed them. repeated: (R, G, K, K), the same tables from R verdicts of a judge
    that was asked several times: each resample takes one of them per conversation, so that the interval holds its wobble.
    """
    known = tables if repeated is None else repeated.mean(axis=0)
    values = points or {name: float(measure(known.sum(axis=0))) for name, measure in measures.items()}
    if len(known) < MIN_GROUPS:
        return {name: Statistic(_or_none(value)) for name, value in values.items()}
    smooth = np.full((1, *known.shape[1:]), PSEUDO_LABELS / known[0].size)
    padded = np.concatenate([known, smooth])
    jackknifed = padded.sum(axis=0) - padded
    differing = int((known.sum(axis=(1, 2)) - np.trace(known, axis1=1, axis2=2) > 1e-9).sum())
    drawn = None
    if len(known) <= BOOTSTRAP_GROUPS:
        drawn = _resampled(padded, repeated)
    found: dict[str, Statistic] = {}
    for name, measure in measures.items():
        value, left_out = values[name], measure(jackknifed)
        if np.isnan(value) or np.isnan(left_out).any():
            found[name] = Statistic(_or_none(value))
            continue
        ends = _bca(float(measure(padded.sum(axis=0))), left_out, drawn, measure) if drawn is not None else None
        low, high = ends or _students(value, left_out)
        if measure is percent and differing <= DIFFERING:
            low, high = _wilson(value, len(known))
        found[name] = Statistic(value, min(low, value), max(high, value))
    return found


def standard_error(left_out: Numbers) -> float:
    """The jackknife's, from the values with one conversation left out each."""
    n = len(left_out)
    return sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))


def _resampled(tables: Numbers, repeated: Numbers | None) -> Numbers:
    """RESAMPLES summed tables of conversations drawn with replacement."""
    random, n = np.random.default_rng(0), len(tables)
    chosen = random.integers(0, n, (RESAMPLES, n)) + n * np.arange(RESAMPLES)[:, None]
    times = np.bincount(chosen.ravel(), minlength=RESAMPLES * n).reshape(RESAMPLES, n).astype(float)
    flat = tables.reshape(n, -1)
    if repeated is None:
        return (times @ flat).reshape(RESAMPLES, *tables.shape[1:])
    asked = repeated.reshape(len(repeated), n - 1, -1)
    sums = np.empty((RESAMPLES, flat.shape[1]))
    for place, row in enumerate(times):
        one = asked[random.integers(0, len(asked), n - 1), np.arange(n - 1)]
        sums[place] = row[:-1] @ one + row[-1] * flat[-1]
    return sums.reshape(RESAMPLES, *tables.shape[1:])


def _bca(value: float, left_out: Numbers, drawn: Numbers, measure: Measure) -> tuple[float, float] | None:
    """The ends; none if the resamples do not differ."""
    resampled = measure(drawn)
    resampled = resampled[~np.isnan(resampled)]
    if len(resampled) < RESAMPLES / 2 or np.ptp(resampled) < 1e-12 or np.ptp(left_out) < 1e-12:
        return None
    n = len(left_out)
    t = float(stats.t.ppf((1 + LEVEL) / 2, n - 1)) * sqrt(n / (n - 1))
    apart = left_out.mean() - left_out
    skew = float((apart**3).sum()) / (6 * float((apart**2).sum()) ** 1.5)
    below = (np.mean(resampled < value) + np.mean(resampled <= value)) / 2
    shift = float(stats.norm.ppf(np.clip(below, 1 / RESAMPLES, 1 - 1 / RESAMPLES)))
    ends = [shift + (shift + z) / (1 - skew * (shift + z)) for z in (-t, t)]
    quantiles: Numbers = np.quantile(resampled, np.asarray(stats.norm.cdf(ends), dtype=float))
    return float(quantiles[0]), float(quantiles[1])


def _students(value: float, left_out: Numbers) -> tuple[float, float]:
    t = float(stats.t.ppf((1 + LEVEL) / 2, len(left_out) - 1))
    half = t * standard_error(left_out)
    return max(-1.0, value - half), min(1.0, value + half)


def _wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's score interval (1927) of a share of n conversations."""
    found: Any = stats.binomtest(round(share * n), n).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value
