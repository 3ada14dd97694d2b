"""Trying again while a server is gone: briefly if a person waits, for minutes during a run."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential_jitter

T = TypeVar("T")

SHORT = 4.0  # seconds that somebody who looks at a page waits
LONG = 120.0  # seconds that a run waits, so that it outlives a restart of the server
_seconds: ContextVar[float] = ContextVar("retry_seconds", default=SHORT)


@contextmanager
def long_retries() -> Generator[None]:
    """Within this, and in threads that copy its context, `retry` goes on for as long as a run may wait."""
    token = _seconds.set(LONG)
    try:
        yield
    finally:
        _seconds.reset(token)


def retry(work: Callable[[], T], error: type[BaseException]) -> T:
    """The result of `work`, tried again at growing intervals while it raises `error`; the last error is raised."""
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
