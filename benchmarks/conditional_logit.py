"""Fit which of several alternatives is chosen: a conditional logit; used by the scripts that fit one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

STRENGTH = 1.0  # weight of the squares of the coefficients


class Choice(NamedTuple):
    """A choice: who made it, what speaks for each alternative, shape (alternatives, features), which are right, and how
    much it counts."""

    writer: str
    values: NDArray[np.float64]
    right: NDArray[np.bool_]
    weight: float = 1.0


def fitted(choices: Sequence[Choice]) -> NDArray[np.float64]:
    """The coefficients, shape (features,): one of the right alternatives is to be chosen before the others.

    The likelihood of a choice is the sum of those of its right alternatives (McFadden 1974).
    """

    def loss(weights: NDArray[np.float64]) -> float:
        missed = 0.0
        for choice in choices:
            total = choice.values @ weights
            missed += choice.weight * (float(logsumexp(total)) - float(logsumexp(total[choice.right])))  # type: ignore[arg-type]
        return missed + STRENGTH * float(weights @ weights) / 2

    found: Any = minimize(loss, np.zeros(choices[0].values.shape[1]))
    return found.x


def fitted_on_others(choices: Sequence[Choice]) -> dict[str, NDArray[np.float64]]:
    """For each writer, the coefficients by the others' choices."""
    return {
        writer: fitted([one for one in choices if one.writer != writer]) for writer in {one.writer for one in choices}
    }
