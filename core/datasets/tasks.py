"""Things to be made by an engine, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from typing import NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.thread_pool import Pool
from core.llm.roles import ModelEngine


class Task(NamedTuple):
    """Something to be made: its id, the hash of what it is made from, and how an engine makes it."""

    id: str
    inputs: str
    make: Callable[[Engine], FrozenModel]


def make_all(engine: Engine, tasks: Sequence[Task]) -> Iterator[tuple[Task, FrozenModel]]:
    """What each task makes: so many at once as the settings say if a model is asked, else one after the other."""
    if isinstance(engine, ModelEngine):
        yield from side_by_side(engine, tasks)
    else:
        yield from ((task, task.make(engine)) for task in tasks)


def side_by_side(engine: Engine, tasks: Sequence[Task]) -> Iterator[tuple[Task, FrozenModel]]:
    """Make things with as many calls at once as the settings say; none begins once the caller has stopped."""
    pool = Pool(max(1, min(settings().concurrency, len(tasks))), "test-set")
    futures = {pool.submit(task.make, engine): task for task in tasks}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()
        pool.close()
