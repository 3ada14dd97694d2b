"""On whose behalf a model is called: found by the engine wherever in the work the call is made."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from core.base.calls import Call, Spending
from core.llm.budget import Budget


@dataclass
class Tally:
    """What was called, and what the cache saved; safe to share between threads."""

    fresh: Spending = Spending()
    saved: Spending = Spending()
    _lock: Lock = field(default_factory=Lock)

    def add(self, call: Call, cached: bool) -> None:
        """Count a call, made or found in the ledger."""
        one = Spending(
            calls=1,
            failed=int(bool(call.error)),
            retries=call.retries,
            prompt_tokens=call.prompt_tokens or 0,
            cached_tokens=call.cached_tokens or 0,
            completion_tokens=call.completion_tokens or 0,
            cost=call.cost or 0.0,
            unpriced=int(call.cost is None),
            seconds=call.seconds,
        )
        with self._lock:
            if cached:
                self.saved = self.saved.plus(one)
            else:
                self.fresh = self.fresh.plus(one)


@dataclass(frozen=True)
class Occasion:
    """The run and conversation that calls belong to, and what holds for them.

    repeat: calls are found in the cache only for the same repeat; cache: whether to look there; stopped: tells that
    the work is not wanted any more.
    """

    run_id: str = ""
    conversation_id: str = ""
    repeat: int = 1
    cache: bool = True
    budget: Budget | None = None
    tally: Tally | None = None
    stopped: Callable[[], bool] = lambda: False


_NOW: ContextVar[Occasion] = ContextVar("occasion", default=Occasion())


def occasion() -> Occasion:
    """The occasion of the work under way in this thread."""
    return _NOW.get()


@contextmanager
def on(**changes: Any) -> Generator[Occasion]:
    """Do the work inside on an occasion that differs in these fields (`core.llm.occasion.Occasion`)."""
    mine = replace(_NOW.get(), **changes)
    token = _NOW.set(mine)
    try:
        yield mine
    finally:
        _NOW.reset(token)
