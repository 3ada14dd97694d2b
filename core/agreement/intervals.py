"""95 % intervals of agreement: Bayesian bootstrap over conversations, since turns of one are not independent.

Intervals of means and of differences between runs are in `core.analysis.confidence_intervals`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from core.agreement.tables import Measure, Numbers

LEVEL = 0.95
MIN_GROUPS = 20  # conversations for an interval; with fewer it covers the truth in up to 99 % of samples
BOOTSTRAP_GROUPS = 1_000  # conversations up to which to bootstrap; above, Student's t is the same to two digits
RESAMPLES = 2_000
PSEUDO_LABELS = 2  # of chance, spread over all cells: one half in each cell of a table of Yes and No
SIGNED = ("kappa", "alpha", "difference")  # measures that can be negative


class Statistic(NamedTuple):
    """A value with its 95 % interval, whose ends are None with fewer than MIN_GROUPS conversations."""

    value: float | None
    low: float | None = None
    high: float | None = None


UNKNOWN = Statistic(None)


def statistics(tables: Numbers, measures: Mapping[str, Measure], symmetric: bool = False) -> dict[str, Statistic]:
    """Each measure of the summed tables (G, K, K; one per conversation) with its interval.

    Up to 1,000 conversations Bayesian bootstrap over them (Rubin 1981, The Annals of Statistics 9:130): the weights of
    conversations are drawn from an exponential distribution. What was never seen, such as a wrong reply that the judge
    calls right, is not impossible, so two pseudo-labels are added, one half in each cell of a table of Yes and No
    (Jeffreys' prior; Brown, Cai and DasGupta 2001, Statistical Science 16:101). Since labels of one conversation tell
    less than as many independent ones, a pseudo-label weighs the square root of a conversation's mean number of labels,
    the middle between a label and a conversation. The level is widened for few conversations as Student's t is. Above
    1,000 conversations the jackknife's standard error and Student's t.

    symmetric: the tables are coincidence matrices, which count each pair of labels twice.
    """
    values = {name: float(measure(tables.sum(axis=0))) for name, measure in measures.items()}
    groups = len(tables)
    if groups < MIN_GROUPS:
        return {name: Statistic(None if np.isnan(value) else value) for name, value in values.items()}
    pseudo = pseudo_weight(float(tables.sum()) / (2 if symmetric else 1), groups)
    drawn = _resampled(tables, pseudo, symmetric) if groups <= BOOTSTRAP_GROUPS else None
    found: dict[str, Statistic] = {}
    for name, measure in measures.items():
        value = values[name]
        if np.isnan(value):
            found[name] = UNKNOWN
            continue
        if drawn is not None:
            low, high = quantiles(measure(drawn), groups)
        else:
            low, high = students_t(value, _jackknife_error(tables, pseudo, measure), groups)
        floor = -1.0 if name in SIGNED else 0.0
        found[name] = Statistic(value, max(floor, min(low, value)), min(1.0, max(high, value)))
    return found


def pseudo_weight(labels: float, groups: int) -> float:
    """The weight of a pseudo-label, given the number of labels and of conversations."""
    return sqrt(max(1.0, labels / groups))


def quantiles(resampled: Numbers, groups: int) -> tuple[float, float]:
    """The ends of the interval, from the values of resamples of `groups` conversations."""
    t = widened_t(groups)
    ends: Numbers = np.nanquantile(resampled, [float(distributions().norm.cdf(-t)), float(distributions().norm.cdf(t))])
    return float(ends[0]), float(ends[1])


def widened_t(groups: int) -> float:
    """How many standard errors of a percentile bootstrap the ends lie from the middle, widened for few groups."""
    return float(distributions().t.ppf((1 + LEVEL) / 2, groups - 1)) * sqrt(groups / (groups - 1))


def students_t(value: float, error: float, groups: int) -> tuple[float, float]:
    """The ends of the interval of a value with a standard error, from `groups` conversations."""
    half = float(distributions().t.ppf((1 + LEVEL) / 2, groups - 1)) * error
    return value - half, value + half


def _resampled(tables: Numbers, pseudo: float, symmetric: bool) -> Numbers:
    """RESAMPLES summed tables of randomly weighted conversations, with the pseudo-labels."""
    groups, *shape = tables.shape
    times, state = _times(groups)
    random = np.random.default_rng()
    random.bit_generator.state = state
    cells = tables[0].size
    chance = pseudo * random.standard_gamma(PSEUDO_LABELS / cells, (RESAMPLES, *shape))
    if symmetric:
        chance = chance + chance.transpose(0, 2, 1)
    sums = times @ tables.reshape(groups, cells)
    return sums.reshape(RESAMPLES, *shape) + chance


@lru_cache(maxsize=2)
def _times(groups: int) -> tuple[Numbers, Any]:
    """The weight of each conversation in each resample, and the state of the generator after drawing them.

    Judges compared on the same conversations share the draws, which take most of the time.
    """
    random = np.random.default_rng(0)
    return random.standard_exponential((RESAMPLES, groups)), random.bit_generator.state


def _jackknife_error(tables: Numbers, pseudo: float, measure: Measure) -> float:
    """The jackknife standard error of a measure, with the pseudo-labels."""
    groups = len(tables)
    chance = np.full(tables.shape[1:], pseudo * PSEUDO_LABELS / tables[0].size)
    left_out = measure(tables.sum(axis=0) + chance - tables)
    return sqrt((groups - 1) / groups * float(((left_out - left_out.mean()) ** 2).sum()))


@cache
def distributions() -> Any:
    """SciPy's distributions, which take half a second to import."""
    return import_module("scipy.stats")
