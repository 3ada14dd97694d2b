"""Things to be made by an engine, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine


class Task(NamedTuple):
    """Something to be made: its id, the hash of what it is made from, and how an engine makes it."""

    id: str
    inputs: str
    make: Callable[[Engine], FrozenModel]


MakeAll = Callable[[Engine, Sequence[Task]], Iterable[tuple[Task, FrozenModel]]]


def one_by_one(engine: Engine, tasks: Sequence[Task]) -> Iterator[tuple[Task, FrozenModel]]:
    """What each task makes, one after the other: (task, its result)."""
    for task in tasks:
        yield task, task.make(engine)
