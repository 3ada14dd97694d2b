"""The odds of a probability, their logarithm, and the probability that has it."""

from __future__ import annotations

import math


def odds(chance: float) -> float:
    """The odds of a probability (0 to 1)."""
    return chance / max(1 - chance, 1e-9)


def log_odds(chance: float, least: float) -> float:
    """The logarithm of the odds of a probability, which is first brought to at least `least` from 0 and 1."""
    bounded = min(max(chance, least), 1 - least)
    return math.log(bounded / (1 - bounded))


def logistic(total: float) -> float:
    """The probability (0 to 1) whose log odds are `total`."""
    return 1 / (1 + math.exp(min(-total, 700)))  # exp(710) is no float any more
