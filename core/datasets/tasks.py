"""Runs tasks on an engine, in parallel if it calls a model."""

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
    """A result to be generated."""

    id: str
    input_hash: str  # changes if anything that the result is generated from changes
    generate: Callable[[Engine], FrozenModel]


def run_tasks(engine: Engine, tasks: Sequence[Task]) -> Iterator[tuple[Task, FrozenModel]]:
    """Each task with its result, as they finish: `concurrency` tasks at once if a model is called, else one by one.

    No task starts after the caller stops iterating.
    """
    if not isinstance(engine, ModelEngine):
        yield from ((task, task.generate(engine)) for task in tasks)
        return
    with side_by_side(lambda task: (task, task.generate(engine)), tasks, settings().concurrency, "test-set") as futures:
        yield from (future.result() for future in as_completed(futures))
