"""Threads for background work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

from core.base.call_context import INTERACTIVE_PATIENCE, in_context

P = ParamSpec("P")
T = TypeVar("T")
Item = TypeVar("Item")
K = TypeVar("K", bound=Hashable)


class Pool:
    """A few threads that do work in order.

    Unlike those of concurrent.futures they are daemons, so that a server can end before a thousand conversations do.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._run, name=f"{name}-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have `work` done by the next free thread in the caller's context; returns the future of its result."""
        future: Future[T] = Future()
        context = copy_context()

        def do() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(context.run(work, *args, **kwargs))
                except BaseException as error:  # raised where the result is read
                    future.set_exception(error)

        self._work.put(do)
        return future

    def close(self) -> None:
        """Let the threads end once the submitted work is done; does not wait."""
        for _ in self._threads:
            self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


@contextmanager
def side_by_side(
    work: Callable[[Item], T], items: Iterable[Item], threads: int, name: str
) -> Generator[list[Future[T]]]:
    """Run `work` on each item in the caller's context, at most `threads` at a time; yields the futures in the items'
    order.

    Work that has not begun when the block ends is cancelled; running work goes on.
    """
    items = list(items)
    pool = Pool(max(1, min(threads, len(items))), name)
    futures = [pool.submit(work, item) for item in items]
    try:
        yield futures
    finally:
        for future in futures:
            future.cancel()
        pool.close()


def run_with_timeout(work: Mapping[K, Callable[[], T]], seconds: float, threads: int = 4) -> dict[K, Future[T]]:
    """Run all in parallel for at most `seconds`, while a user waits; returns the futures of those that finished.

    Each runs in the caller's context, with little patience for a server that is not running. Work that has not ended in
    time is told to stop (`core.base.call_context`); work that has not begun is cancelled.
    """
    stopped = threading.Event()
    with (
        in_context(stopped=stopped.is_set, connect_patience=INTERACTIVE_PATIENCE),
        side_by_side(lambda call: call(), work.values(), threads, "run-with-timeout") as futures,
    ):
        wait(futures, seconds)
        stopped.set()
    named = zip(work, futures, strict=True)
    return {name: future for name, future in named if future.done() and not future.cancelled()}
