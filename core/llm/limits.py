"""How many calls a server gets at a time, and when a failed one is tried again."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache
from typing import TypeVar

from pydantic import SecretStr
from tenacity import RetryCallState, Retrying, retry_if_exception_type

from core.base.retry import after
from core.llm.errors import Stopped

T = TypeVar("T")
START, MOST = 8.0, 64.0  # calls at a time
FIRST_WAIT = 0.5  # seconds before the second try, unless the server asks for more
LONGEST_WAIT = 15.0  # seconds between two tries, likewise
GARBLED = 5  # tries where the server answers, but not sensibly
LOOK = 0.25  # seconds between two looks at whether the reply is still wanted


class Passing(Exception):
    """A failure that may be gone at the next try.

    after: seconds that the server asked to wait; busy: it has too much to do; tries: give up after so many; absent:
    there was nobody to connect to.
    """

    def __init__(
        self, message: str, after: float = 0.0, busy: bool = False, tries: float = math.inf, absent: bool = False
    ) -> None:
        super().__init__(message)
        self.after, self.busy, self.tries, self.absent = after, busy, tries, absent


class Gate:
    """Calls at a time to one server: doubled each round until it is busy once; then halved, and one more a round.

    As TCP does it (slow start and congestion avoidance, RFC 5681).
    """

    def __init__(self, start: float = START, most: float = MOST) -> None:
        self.allowed, self._most, self._inside = start, most, 0
        self._closed_until, self._halved = 0.0, 0.0
        self._changed = threading.Condition()

    @contextmanager
    def pass_through(self, stopped: Callable[[], bool], patience: float = math.inf) -> Generator[None]:
        """Wait for a place, and give it back; a Passing error inside slows all down.

        Raises Stopped while waiting, and Passing at once where the server asked for a longer wait than `patience`.
        """
        begun, went_well = self._enter(stopped, patience), False
        try:
            yield
            went_well = True
        except Passing as error:
            self._slow_down(error, begun)
            raise
        finally:
            self._leave(went_well)

    def _enter(self, stopped: Callable[[], bool], patience: float) -> float:
        with self._changed:
            while (closed := self._closed_until - time.monotonic()) > 0 or self._inside >= max(1, int(self.allowed)):
                if stopped():
                    raise _not_wanted()
                if closed > patience:
                    raise Passing("it asked for a longer wait than anybody has patience for", after=closed, tries=1)
                self._changed.wait(min(closed, LOOK) if closed > 0 else LOOK)
            self._inside += 1
            return time.monotonic()

    def _leave(self, went_well: bool) -> None:
        with self._changed:
            before = int(self.allowed)
            if went_well:
                self.allowed = min(self._most, self.allowed + (1 / self.allowed if self._halved else 1))
            self._inside -= 1
            self._changed.notify(1 + int(self.allowed) - before)  # the place given back, and one that was earned

    def _slow_down(self, error: Passing, begun: float) -> None:
        if not error.busy:
            return
        with self._changed:
            self._closed_until = max(self._closed_until, time.monotonic() + error.after)
            if begun > self._halved:  # those that were under way together tell of one and the same crowd
                self.allowed, self._halved = max(1.0, self.allowed / 2), time.monotonic()


@lru_cache(maxsize=256)
def gate(server: str, key: SecretStr) -> Gate:
    """The one gate of a server in this process; of each key, since a server tells whoever has it to wait."""
    return Gate()


def persist(work: Callable[[], T], patience: float, stopped: Callable[[], bool], absent: float = math.inf) -> T:
    """The result of `work`, tried again after Passing errors for `patience` seconds from the first one.

    absent: the patience with a server that nobody can connect to, where it is less. Raises the last Passing error, or
    Stopped.
    """
    failed: list[float] = []

    def enough(state: RetryCallState) -> bool:
        failed.append(time.monotonic())
        error = _error(state)
        most = min(patience, absent) if getattr(error, "absent", False) else patience
        over = failed[-1] + state.upcoming_sleep - failed[0] > most
        return over or state.attempt_number >= getattr(error, "tries", math.inf)

    def sleep(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if stopped():
                raise _not_wanted()
            time.sleep(min(left, LOOK))

    try:
        return work()
    except Passing as error:
        retrying = Retrying(
            retry=retry_if_exception_type(Passing),
            stop=enough,
            wait=_wait,
            sleep=sleep,
            reraise=True,
        )
        return retrying(after(error, work))


def _wait(state: RetryCallState) -> float:
    """As long as the server asks for; else half a second, doubled each time, with chance in it."""
    asked = getattr(_error(state), "after", 0.0)
    doubled = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(state.attempt_number - 1, 10))
    return max(asked, doubled * random.uniform(0.5, 1.0))


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _not_wanted() -> Stopped:
    return Stopped("The reply is not wanted any more.", "stopped")
