"""Limits the concurrent calls to each server."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache

from pydantic import SecretStr

from core.base.errors import Stopped, TransientError

START_CALLS, MAX_CALLS = 8.0, 64.0  # concurrent calls at first, and at most
POLL = 0.25  # seconds between two checks whether the call is still wanted


class ConcurrencyLimit:
    """The number of concurrent calls to one server: doubled each round until the server is busy, then halved and raised
    by one a round.

    The same as TCP (slow start and congestion avoidance, RFC 5681).
    """

    def __init__(self, start: float = START_CALLS) -> None:
        self.allowed, self._inside = start, 0
        self._closed_until, self._halved = 0.0, 0.0
        self._changed = threading.Condition()

    @contextmanager
    def slot(self, stopped: Callable[[], bool], patience: float = math.inf) -> Generator[None]:
        """Wait for a free slot and return it afterwards; a TransientError of a busy server slows all calls down.

        Raises Stopped while waiting, and TransientError at once if the server asked for a longer wait than `patience`.
        """
        begun, went_well = self._enter(stopped, patience), False
        try:
            yield
            went_well = True
        except TransientError as error:
            self._slow_down(error, begun)
            raise
        finally:
            self._leave(went_well)

    def _enter(self, stopped: Callable[[], bool], patience: float) -> float:
        with self._changed:
            while (closed := self._closed_until - time.monotonic()) > 0 or self._inside >= max(1, int(self.allowed)):
                if stopped():
                    raise Stopped()
                if closed > patience:
                    raise TransientError("it asked for a longer wait than there is patience for", after=closed, tries=1)
                self._changed.wait(min(closed, POLL) if closed > 0 else POLL)
            self._inside += 1
            return time.monotonic()

    def _leave(self, went_well: bool) -> None:
        with self._changed:
            before = int(self.allowed)
            if went_well:
                self.allowed = min(MAX_CALLS, self.allowed + (1 / self.allowed if self._halved else 1))
            self._inside -= 1
            self._changed.notify(1 + int(self.allowed) - before)  # the returned slot, and one more if the limit rose

    def _slow_down(self, error: TransientError, begun: float) -> None:
        if not error.busy:
            return
        with self._changed:
            self._closed_until = max(self._closed_until, time.monotonic() + error.after)
            if begun > self._halved:  # calls that ran together report the same overload
                self.allowed, self._halved = max(1.0, self.allowed / 2), time.monotonic()


@lru_cache(maxsize=256)
def concurrency_limit(server: str, key: SecretStr) -> ConcurrencyLimit:
    """The limit that all calls to a server share in this process; one per key, since servers limit requests by key."""
    return ConcurrencyLimit()
