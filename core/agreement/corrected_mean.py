"""The share that people would call right, from a judge's verdicts on everything and people's labels on a part of it.

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Science 382:669) with its tuning
(Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453): the judge's mean plus its error on the labelled items, weighted
so that a useless judge costs nothing. The authors' package supports neither conversations nor labels drawn with unequal
chances, so the interval here is a bootstrap over conversations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.agreement.intervals import (
    BOOTSTRAP_GROUPS,
    MIN_GROUPS,
    RESAMPLES,
    Statistic,
    pseudo_weight,
    quantiles,
    students_t,
)
from core.agreement.tables import Numbers, codes_of


class CorrectedMean(NamedTuple):
    """Three estimates of the share that people would call right."""

    corrected: Statistic  # by judge and labels together
    labels: Statistic  # by the labels alone
    raw: float  # the judge's mean over everything
    n: int  # labels


def corrected_mean(
    judge: Sequence[float],
    people: Sequence[float],
    groups: Sequence[Hashable],
    chances: Sequence[float] | None = None,
) -> CorrectedMean | None:
    """The mean of people's verdicts over everything that the judge has scored; None without labels.

    judge: a value for each item; people: 1 or 0, NaN if there is no label; groups: conversations; chances: that the
    item was to be labelled (default: all equal). Both means are weighted by the inverse chance.
    """
    f, y = np.asarray(judge, dtype=float), np.asarray(people, dtype=float)
    known = ~np.isnan(y)
    if not known.any():
        return None
    codes = codes_of(groups)
    weight = np.where(known, 1.0 if chances is None else 1 / np.asarray(chances, dtype=float), 0.0)
    weight *= known.sum() / weight.sum()
    each = np.stack([weight, weight * np.where(known, y, 0.0), weight * f, np.ones(len(f)), f], axis=1)
    sums: Numbers = np.stack([np.bincount(codes, column).astype(float) for column in each.T], axis=1)
    labels, right, yes, turns, all_yes = sums.sum(axis=0).tolist()
    mean_y, mean_f, raw = right / labels, yes / labels, all_yes / turns
    # Each conversation's contribution to the error of the labels' mean, and of the judge's difference between all items
    # and the labelled ones
    alone: Numbers = (sums[:, 1] - mean_y * sums[:, 0]) / labels
    apart: Numbers = (sums[:, 4] - raw * sums[:, 3]) / turns - (sums[:, 2] - mean_f * sums[:, 0]) / labels
    judge_weight = float(np.clip(-(alone @ apart) / (apart @ apart), 0.0, 1.0)) if apart @ apart > 0 else 0.0
    value = mean_y + judge_weight * (raw - mean_f)
    there = np.bincount(codes, known) > 0
    with_judge, without = _intervals(value, mean_y, judge_weight, sums, there, alone + judge_weight * apart, alone)
    return CorrectedMean(with_judge, without, raw, int(known.sum()))


def _intervals(
    value: float,
    mean_y: float,
    judge_weight: float,
    sums: Numbers,
    there: NDArray[np.bool_],
    parts: Numbers,
    alone: Numbers,
) -> tuple[Statistic, Statistic]:
    """The corrected mean and that of the labels alone with their intervals, which are None with too few labelled
    conversations.

    The Bayesian bootstrap of `core.agreement.intervals`; conversations without a label, which can be very many, add two
    sums that are drawn from their normal distribution. Above 1,000 labelled conversations Student's t.
    """
    labelled = int(there.sum())
    value = min(1.0, max(0.0, value))
    if labelled < MIN_GROUPS:
        return Statistic(value), Statistic(mean_y)
    if labelled > BOOTSTRAP_GROUPS:
        ends = students_t(value, sqrt(float(parts @ parts)), labelled)
        ends_alone = students_t(mean_y, sqrt(float(alone @ alone)), labelled)
        return _around(value, ends), _around(mean_y, ends_alone)
    random, pseudo = np.random.default_rng(0), pseudo_weight(float(sums[:, 0].sum()), labelled)
    drawn = random.standard_exponential((RESAMPLES, labelled)) @ sums[there]
    chance = pseudo * random.standard_gamma(0.5, (RESAMPLES, 4))  # judge and people: no no, no yes, yes no, yes yes
    drawn[:, :3] += np.stack([chance.sum(axis=1), chance[:, 1] + chance[:, 3], chance[:, 2] + chance[:, 3]], axis=1)
    drawn[:, 3:] += _others(sums[~there, 3:], random)
    labels, right, yes, turns, all_yes = drawn.T
    corrected: Numbers = np.clip(right / labels + judge_weight * (all_yes / turns - yes / labels), 0.0, 1.0)
    return _around(value, quantiles(corrected, labelled)), _around(mean_y, quantiles(right / labels, labelled))


def _others(sums: Numbers, random: np.random.Generator) -> Numbers:
    """RESAMPLES totals of randomly weighted conversations, by their normal distribution."""
    if not len(sums):
        return np.zeros((RESAMPLES, 2))
    spread = (sums - sums.mean(axis=0)).T @ (sums - sums.mean(axis=0))
    return random.multivariate_normal(sums.sum(axis=0), spread, size=RESAMPLES)


def _around(value: float, ends: tuple[float, float]) -> Statistic:
    return Statistic(value, max(0.0, min(value, ends[0])), min(1.0, max(value, ends[1])))
