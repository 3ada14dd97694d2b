"""Runs tasks on an engine, in parallel if it calls a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from typing import TypeVar

from core.base.prompt import Engine
from core.base.settings import settings
from core.base.thread_pool import side_by_side
from core.llm.roles import ModelEngine

T = TypeVar("T")
R = TypeVar("R")


def run_tasks(engine: Engine, tasks: Sequence[T], run: Callable[[Engine, T], R]) -> Iterator[tuple[T, R]]:
    """Each task with its result, as they finish: `concurrency` tasks at once if a model is called, else one by one.

    No task starts after the caller stops iterating.
    """
    if not isinstance(engine, ModelEngine):
        yield from ((task, run(engine, task)) for task in tasks)
        return
    with side_by_side(lambda task: (task, run(engine, task)), tasks, settings().concurrency, "test-set") as futures:
        yield from (future.result() for future in as_completed(futures))
