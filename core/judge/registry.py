"""All judges by name."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.errors import BadInput
from core.judge.judge import Judge
from core.judge.turn.turn import JUDGE as TURN

BUILT_IN: dict[str, Judge] = {judge.name: judge for judge in (TURN,)}


def judges_of(names: Iterable[str]) -> tuple[Judge, ...]:
    """The judges named, in order, each once; raises BadInput for one that is not there."""
    return tuple(_named(name) for name in dict.fromkeys(names))


def _named(name: str) -> Judge:
    if name not in BUILT_IN:
        known = ", ".join(BUILT_IN)
        raise BadInput(f"There is no judge {name!r}: known are {known}. Choose one of them.", "unknown_judge", id=name)
    return BUILT_IN[name]
