"""Probabilities from odds, logarithms and fitted coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.base.toml import bundled_toml

coefficients = bundled_toml  # fitted ones, in a file beside the module that uses them
LEAST = 1e-3  # a probability is at least this far from 0 and 1 before its logarithm is taken


def odds(chance: float) -> float:
    """The odds of a probability (0 to 1)."""
    return chance / max(1 - chance, 1e-9)


def log_odds(chance: float, least: float = LEAST) -> float:
    """The logarithm of the odds of a probability, which is first brought to at least `least` from 0 and 1."""
    bounded = min(max(chance, least), 1 - least)
    return math.log(bounded / (1 - bounded))


def logistic(total: float) -> float:
    """The probability (0 to 1) whose log odds are `total`."""
    return 1 / (1 + math.exp(min(-total, 700)))  # exp(710) is no float any more


def linear(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The intercept, and each coefficient times its feature; a name that either of them lacks counts for nothing."""
    products = (coefficients[name] * value for name, value in features.items() if name in coefficients)
    return coefficients["intercept"] + math.fsum(products)


def softmax(totals: Sequence[float]) -> tuple[float, ...]:
    """Probabilities that sum to 1, each with the logarithm given but for what all share."""
    most = max(totals)
    powers = [math.exp(total - most) for total in totals]
    return tuple(power / math.fsum(powers) for power in powers)
