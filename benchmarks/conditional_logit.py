"""Fit which of several alternatives is chosen: a conditional logit; used by the scripts that fit one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

STRENGTH = 1.0  # weight of the squares of the coefficients
UNLIKELY = -1e9  # log odds of an alternative that is not to be chosen


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

    sizes = [len(choice.right) for choice in choices]
    starts, of_choice = np.cumsum([0, *sizes[:-1]]), np.repeat(np.arange(len(choices)), sizes)
    values = np.concatenate([choice.values for choice in choices])
    right = np.concatenate([choice.right for choice in choices])
    weight = np.array([choice.weight for choice in choices])

    def log_sums(totals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The logarithm of the sum of the exponentials of each choice, and the share of each alternative."""
        most = np.maximum.reduceat(totals, starts)
        powers = np.exp(totals - most[of_choice])
        sums = np.add.reduceat(powers, starts)
        return most + np.log(sums), powers / sums[of_choice]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        totals = values @ weights
        (of_all, share), (of_right, share_of_right) = log_sums(totals), log_sums(np.where(right, totals, UNLIKELY))
        slope = values.T @ (weight[of_choice] * (share - share_of_right))
        missed = float(weight @ (of_all - of_right)) + STRENGTH * float(weights @ weights) / 2
        return missed, slope + STRENGTH * weights

    found: Any = minimize(loss, np.zeros(values.shape[1]), jac=True)
    return found.x


def fitted_on_others(choices: Sequence[Choice]) -> dict[str, NDArray[np.float64]]:
    """For each writer, the coefficients by the others' choices."""
    return {
        writer: fitted([one for one in choices if one.writer != writer]) for writer in {one.writer for one in choices}
    }
