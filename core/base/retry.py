"""Retries: calls to a model server or bot, and work on a database that is unavailable for a while."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential_jitter

from core.base.concurrency_limit import POLL
from core.base.errors import Stopped, TransientError

T = TypeVar("T")

FIRST_WAIT = 0.5  # seconds before the second try of a call, unless the server asks for more
MAX_WAIT = 15.0  # seconds between two tries, unless the server asks for more
PAGE_SECONDS = 4.0  # seconds that a page retries while a user waits
RUN_SECONDS = 120.0  # seconds that a run retries, so that it outlives a restart of the server
_seconds: ContextVar[float] = ContextVar("retry_seconds", default=PAGE_SECONDS)


@contextmanager
def long_retries() -> Generator[None]:
    """Within the block, and in threads that copy its context, `retry_connection` retries for as long as a run may
    wait."""
    token = _seconds.set(RUN_SECONDS)
    try:
        yield
    finally:
        _seconds.reset(token)


def retry_connection(work: Callable[[], T], error: type[BaseException]) -> T:
    """The result of `work`, retried at growing intervals while it raises `error`; the last error is raised."""
    try:
        return work()  # nearly always: the machinery of trying again would take longer than most work in the database
    except error:
        pass
    retrying = Retrying(
        retry=retry_if_exception_type(error),
        wait=wait_exponential_jitter(initial=0.05, max=2.0, jitter=0.1),
        stop=stop_after_delay(_seconds.get()),
        reraise=True,
    )
    return retrying(work)


def retry_call(
    work: Callable[[], T], patience: float, stopped: Callable[[], bool], connect_patience: float = math.inf
) -> T:
    """The result of `work`, retried after a TransientError for `patience` seconds from the first one.

    Waits as long as the server asks, else half a second, doubled each time, with jitter. Raises the last
    TransientError, or Stopped.

    connect_patience: the patience with a server that refuses connections, if it is less
    """
    first, tries = 0.0, 0
    while True:
        try:
            return work()
        except TransientError as error:
            now = time.monotonic()
            first, tries = first or now, tries + 1
            backoff = min(MAX_WAIT, FIRST_WAIT * 2 ** min(tries - 1, 10)) * random.uniform(0.5, 1.0)
            wait = max(error.after, backoff)
            limit = min(patience, connect_patience) if error.absent else patience
            if tries >= error.tries or now + wait - first > limit:
                raise
        _wait(wait, stopped)


def _wait(seconds: float, stopped: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while (remaining := until - time.monotonic()) > 0:
        if stopped():
            raise Stopped()
        time.sleep(min(remaining, POLL))
