"""How long a server that is gone is waited for: soon told to people, while a run outlives a restart."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential_jitter

T = TypeVar("T")

SOON = 4.0  # seconds that somebody who looks at a page waits
LONG = 120.0  # seconds that a run waits
_patience: ContextVar[float] = ContextVar("patience", default=SOON)


@contextmanager
def patient() -> Generator[None]:
    """Within this, and in threads that copy its context, a server is waited for as long as a run may wait."""
    before = _patience.set(LONG)
    try:
        yield
    finally:
        _patience.reset(before)


def lastingly(work: Callable[[], T], gone: type[BaseException]) -> T:
    """The result of `work`, tried again at growing intervals where it raises `gone`; the last one is raised as it is."""
    begun = time.monotonic()

    def enough(state: RetryCallState) -> bool:
        return time.monotonic() - begun >= _patience.get()

    try:
        return work()
    except gone as error:
        retrying = Retrying(
            retry=retry_if_exception_type(gone),
            wait=wait_exponential_jitter(initial=0.05, max=2.0, jitter=0.1),
            stop=enough,
            reraise=True,
        )
        return retrying(after(error, work))


def after(error: BaseException, work: Callable[[], T]) -> Callable[[], T]:
    """`work` whose first try was made already and raised `error`: so that what goes well needs no machinery."""
    failed = [error]

    def again() -> T:
        if failed:
            raise failed.pop()
        return work()

    return again
