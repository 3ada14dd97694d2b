"""Whose score is shown first: the turn judge's, and of a judge Overall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

TURN_JUDGE, OVERALL = "turn", "overall"
SIMULATED_USER = "simulated_user"  # the judge of the user, not of the bot


def judges_in_order(names: Iterable[str]) -> list[str]:
    """The turn judge first, the others in the order in which they come."""
    return sorted(names, key=lambda name: name != TURN_JUDGE)


def first_judge(names: Iterable[str]) -> str:
    """The judge that stands for a run: the turn judge, else the first; the turn judge if there is none."""
    return next(iter(judges_in_order(names)), TURN_JUDGE)


def headline_of(criteria: Sequence[str]) -> str:
    """The criterion that stands for a judge: Overall, else its first; Overall if there is none."""
    return OVERALL if OVERALL in criteria or not criteria else criteria[0]
