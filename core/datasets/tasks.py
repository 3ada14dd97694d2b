"""Things to be made by an engine, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from typing import NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.thread_pool import side_by_side
from core.llm.roles import ModelEngine


class Task(NamedTuple):
    """Something to be made: its id, the hash of what it is made from, and how an engine makes it."""

    id: str
    inputs: str
    make: Callable[[Engine], FrozenModel]


def make_all(engine: Engine, tasks: Sequence[Task]) -> Iterator[tuple[Task, FrozenModel]]:
    """What each task makes: so many at once as the settings say if a model is asked, else one after the other.

    None begins once the caller has stopped.
    """
    if not isinstance(engine, ModelEngine):
        yield from ((task, task.make(engine)) for task in tasks)
        return
    with side_by_side(lambda task: (task, task.make(engine)), tasks, settings().concurrency, "test-set") as made:
        yield from (future.result() for future in as_completed(made))
