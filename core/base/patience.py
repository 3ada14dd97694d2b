"""How long a server that is gone is waited for: soon told to people, while a run outlives a restart."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential_jitter

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


def retrying(gone: type[BaseException]) -> Retrying:
    """Tries again, at growing intervals, what raises `gone`; the last one is raised as it is."""
    return Retrying(
        retry=retry_if_exception_type(gone),
        wait=wait_exponential_jitter(initial=0.05, max=2.0, jitter=0.1),
        stop=_enough,
        reraise=True,
    )


def _enough(state: RetryCallState) -> bool:
    return (state.seconds_since_start or 0.0) >= _patience.get()
