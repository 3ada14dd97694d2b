"""A run that is not whole: still going on, stopped or broken off. What it came to so far is told, and no verdict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.base.translate import Translate

OVER = ("done", "failed")  # conversations that came to an end, well or not


class Incomplete(NamedTuple):
    """How far such a run came: its status (running, stopped, interrupted), and how many conversations of all are over."""

    status: str
    over: int
    total: int


def incomplete_of(status: str, conversations: Iterable[str]) -> Incomplete | None:
    """How far a run came, by its own status and those of its conversations; none where it is whole."""
    if status == "done":
        return None
    states = list(conversations)
    return Incomplete(status, sum(state in OVER for state in states), len(states))


def incomplete_title(part: Incomplete, score: float | None, t: Translate) -> str:
    """The title of such a run: how far it came and its mean so far."""
    known = {"done": f"{part.over:,}", "total": f"{part.total:,}"}
    if score is None:
        return t(f"incomplete.{part.status}_unscored", **known)
    return t(f"incomplete.{part.status}", score=f"{score * 100:.0f}%", **known)
