"""Incomplete runs: still going on, stopped or interrupted. They have a mean so far, and no verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

OVER = ("done", "failed")  # conversations that came to an end, well or not


class Incomplete(NamedTuple):
    """How far such a run came: its status (running, stopped, interrupted), and how many conversations of all are over."""

    status: str
    over: int
    total: int


def incomplete_of(status: str, conversations: Iterable[str]) -> Incomplete | None:
    """How far a run came, by its own status and those of its conversations; none if it is done."""
    if status == "done":
        return None
    states = list(conversations)
    return Incomplete(status, sum(state in OVER for state in states), len(states))
