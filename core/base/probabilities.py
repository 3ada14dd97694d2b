"""Odds, logistic functions and linear models with fitted coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

MIN_DISTANCE = 1e-3  # of a probability from 0 and 1 before its logarithm is taken


def odds(chance: float) -> float:
    """The odds of a probability (0 to 1)."""
    return chance / max(1 - chance, 1e-9)


def log_odds(chance: float, min_distance: float = MIN_DISTANCE) -> float:
    """The logarithm of the odds of a probability, which is first clipped to at least `min_distance` from 0 and 1."""
    bounded = min(max(chance, min_distance), 1 - min_distance)
    return math.log(bounded / (1 - bounded))


def logistic(total: float) -> float:
    """The probability (0 to 1) whose log odds are `total`."""
    return 1 / (1 + math.exp(min(-total, 700)))  # exp(710) is no float any more


def linear(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The intercept, and each coefficient times its feature; a name that either of them lacks counts for nothing."""
    products = (coefficients[name] * value for name, value in features.items() if name in coefficients)
    return coefficients["intercept"] + math.fsum(products)


def softmax(totals: Sequence[float]) -> tuple[float, ...]:
    """Probabilities that sum to 1 and are proportional to the exponentials of `totals`."""
    most = max(totals)
    powers = [math.exp(total - most) for total in totals]
    return tuple(power / math.fsum(powers) for power in powers)
