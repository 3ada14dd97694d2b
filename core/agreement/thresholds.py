"""Fits the threshold on a judge's score that best reproduces people's Yes and No; its misses and false alarms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.agreement.agreement import JudgeAgreement, coded_agreement
from core.agreement.intervals import Statistic, statistics
from core.agreement.labels import NO, YES
from core.agreement.tables import Codes, Numbers, codes_of, confusion_tables, kappa

MIN_HALF = 10  # labels in each half from which a threshold is fitted


def says_yes(value: float, threshold: float, lower_is_better: bool = False) -> bool:
    """Whether a value is a Yes; `lower_is_better`: as with a distance."""
    return bool(yes_of(np.asarray(value), threshold, lower_is_better))


def yes_of(values: Numbers, threshold: float, lower_is_better: bool = False) -> NDArray[np.bool_]:
    """The same for many values; NaN (unscored) is never a Yes."""
    return values <= threshold if lower_is_better else values >= threshold


class ThresholdCost(NamedTuple):
    """A threshold with kappa and the shares of misses and false alarms over all labels."""

    threshold: float
    kappa: float
    misses: float
    false_alarms: float


class FittedThreshold(NamedTuple):
    """A threshold chosen on one half of the conversations, and tested on the other half."""

    threshold: float
    fitted: JudgeAgreement  # on the other half, with this threshold
    current: JudgeAgreement  # on the other half, with the current threshold
    difference: Statistic  # of the share of agreement there, fitted minus current
    costs: tuple[ThresholdCost, ...]  # of every threshold that makes a difference, over all labels, for a chart

    @property
    def is_surely_better(self) -> bool:
        """Whether the whole interval of the difference is above 0."""
        return self.difference.low is not None and self.difference.low > 0


def fit_threshold(
    values: Sequence[float] | Numbers,
    people: Sequence[bool] | NDArray[np.bool_],
    groups: Sequence[Hashable],
    current: float,
    lower_is_better: bool = False,
) -> FittedThreshold | None:
    """The threshold with the highest kappa on one half; None if a half has too few labels, or only Yes or only No.

    Halves are sets of conversations, the same in each call.
    """
    scores, right = np.asarray(values, dtype=float), np.asarray(people, dtype=bool)
    first = np.array([blake2b(str(one).encode(), digest_size=2).digest()[0] % 2 == 0 for one in groups])
    if min(first.sum(), (~first).sum()) < MIN_HALF or not all(
        0 < right[half].sum() < half.sum() for half in (first, ~first)
    ):
        return None
    candidates = _candidates(scores)
    found = [_cost(scores[first], right[first], one, lower_is_better) for one in candidates]
    best = max(found, key=lambda one: (round(one.kappa, 9), -abs(one.threshold - current))).threshold
    rest = codes_of([one for one, in_first in zip(groups, first.tolist(), strict=True) if not in_first])

    def says(threshold: float) -> NDArray[np.bool_]:
        return yes_of(scores[~first], threshold, lower_is_better)

    def held_out(threshold: float) -> JudgeAgreement:
        asked = [says(threshold).astype(np.intp)]
        return coded_agreement(right[~first].astype(np.intp), asked, rest, "yes_no", (NO, YES))

    costs = tuple(_cost(scores, right, one, lower_is_better) for one in candidates)
    difference = _difference(says(current) == right[~first], says(best) == right[~first], rest)
    return FittedThreshold(best, held_out(best), held_out(current), difference, costs)


def _difference(before: NDArray[np.bool_], after: NDArray[np.bool_], groups: Codes) -> Statistic:
    """The difference of the share that is right, after minus before, with its interval over conversations."""

    def gained(tables: Numbers) -> Numbers:
        return (tables[..., 0, 1] - tables[..., 1, 0]) / tables.sum(axis=(-2, -1))

    tables = confusion_tables(before.astype(np.intp), after.astype(np.intp), 2, groups)
    return statistics(tables, {"difference": gained})["difference"]


def _candidates(scores: Numbers) -> list[float]:
    """The middles between neighbouring values, at most a hundred."""
    known = np.unique(scores)
    between = np.concatenate([known[:1], (known[1:] + known[:-1]) / 2, [known[-1] + 1e-6]])
    if len(between) > 100:
        between = between[np.unique(np.linspace(0, len(between) - 1, 100).astype(int))]
    return [round(float(one), 6) for one in between]


def _cost(scores: Numbers, right: NDArray[np.bool_], threshold: float, lower_is_better: bool) -> ThresholdCost:
    says = yes_of(scores, threshold, lower_is_better)
    table = np.array([[np.sum(~right & ~says), np.sum(~right & says)], [np.sum(right & ~says), np.sum(right & says)]])
    wrong, good = max(int((~right).sum()), 1), max(int(right.sum()), 1)
    value = float(kappa(table.astype(float)))
    return ThresholdCost(threshold, -1.0 if np.isnan(value) else value, table[0, 1] / wrong, table[1, 0] / good)
