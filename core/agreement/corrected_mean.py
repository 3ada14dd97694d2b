"""The share that people would call right, from a judge's verdicts on everything and people's labels on a part of it.

Prediction-powered inference (Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Science 382:669) with its tuning
(Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453): the judge's mean plus what the labels say it is wrong by, weighted
so that a judge that is of no use costs nothing. The package of its authors knows neither conversations nor labels drawn with
unequal chances, so that the standard error here is that of sums over conversations.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats as scipy_stats

from core.agreement.intervals import LEVEL, MIN_GROUPS, Statistic
from core.agreement.tables import Numbers, codes_of

stats: Any = scipy_stats  # SciPy comes without types


class CorrectedMean(NamedTuple):
    """corrected: by judge and labels together; labels: by the labels alone; raw: the judge's mean over everything.

    n: of how many labels; power: how much the judge counts (0: not at all, 1: wholly).
    """

    corrected: Statistic
    labels: Statistic
    raw: float
    n: int
    power: float


def corrected_mean(
    judge: Sequence[float],
    people: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    chances: Sequence[float] | None = None,
) -> CorrectedMean | None:
    """The mean of people's verdicts over everything that the judge has judged; none without a label.

    judge: a value for each item; people: 1 or 0, NaN where there is no label; groups: conversations; chances: that the
    item was to be labelled (default: all alike). Both means are weighted by the inverse chance.
    """
    f, y = np.asarray(judge, dtype=float), np.asarray(people, dtype=float)
    known = ~np.isnan(y)
    if not known.any():
        return None
    codes = codes_of(groups) if groups is not None else np.arange(len(f))
    weight = np.where(known, 1.0 if chances is None else 1 / np.asarray(chances, dtype=float), 0.0)
    said = np.where(known, y, 0.0)
    total = weight.sum()
    labelled = len(np.unique(codes[known]))
    mean_y, mean_f = float(weight @ said / total), float(weight @ f / total)
    # What each item adds to the error of the labels' mean, and of the judge's difference between everything and the labels
    alone = weight * (said - mean_y) / total
    apart = (f - f.mean()) / len(f) - weight * (f - mean_f) / total
    a: Numbers = np.bincount(codes, alone).astype(float)
    b: Numbers = np.bincount(codes, apart).astype(float)
    power = float(np.clip(-(a @ b) / (b @ b), 0.0, 1.0)) if b @ b > 0 else 0.0
    value = mean_y + power * (float(f.mean()) - mean_f)
    return CorrectedMean(
        _interval(value, a + power * b, labelled),
        _interval(mean_y, a, labelled),
        float(f.mean()),
        int(known.sum()),
        power,
    )


def _interval(value: float, parts: Numbers, labelled: int) -> Statistic:
    """Student's t with the error of sums over conversations, on the scale of log odds, since a share near 0 or 1 is skewed.

    None for fewer than six labelled conversations.
    """
    value = min(1.0, max(0.0, value))
    if labelled < MIN_GROUPS or not np.ptp(parts) > 0:
        return Statistic(value)
    error = sqrt(labelled / (labelled - 2) * float(parts @ parts))  # the mean and the power are estimated
    half = float(stats.t.ppf((1 + LEVEL) / 2, labelled - 1)) * error
    if not half < value < 1 - half:
        return Statistic(value, max(0.0, value - half), min(1.0, value + half))
    middle, width = log(value / (1 - value)), half / (value * (1 - value))
    low, high = (1 / (1 + exp(-one)) for one in (middle - width, middle + width))
    return Statistic(value, low, high)
