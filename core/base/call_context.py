"""The run, conversation and budget for which a model or an external bot is called, wherever the call is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import date
from threading import Lock
from typing import Any

from core.base.budget import Budget
from core.base.calls import Call, Spending, sum_of

INTERACTIVE_PATIENCE = 3.0  # seconds that a user waits for a server that may not be running


@dataclass
class Tally:
    """Sums of calls by role; safe to share between threads."""

    fresh: dict[str, Spending] = field(default_factory=dict[str, Spending])  # calls that were made
    saved: dict[str, Spending] = field(default_factory=dict[str, Spending])  # calls that the call log answered
    _lock: Lock = field(default_factory=Lock)

    def add(self, call: Call, cached: bool) -> None:
        """Count a call, made or found in the call log."""
        spending = Spending(
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
        sums = self.saved if cached else self.fresh
        with self._lock:
            sums[call.role] = sums.get(call.role, Spending()).plus(spending)

    def spent(self) -> Spending:
        """The spending of the calls that were made, without those that the call log answered."""
        with self._lock:
            return sum_of(self.fresh.values())

    def by_role(self) -> dict[str, Spending]:
        """The spending by role of both together: what would have been spent without the call log."""
        with self._lock:
            parts = self.fresh, self.saved
            return {role: sum_of(part[role] for part in parts if role in part) for role in self.fresh | self.saved}


@dataclass(frozen=True)
class CallContext:
    """The run and conversation that calls belong to, and how these calls are made."""

    run_id: str = ""
    conversation_id: str = ""
    repeat: int = 1  # the cache finds only calls of the same repeat
    cache: bool = True  # whether a call is looked up in the call log before it is made
    resample: bool = False  # the cached reply could not be used: ask with another seed, and replace it
    budget: Budget | None = None
    tally: Tally | None = None
    # Seconds to retry a server that refuses connections, if the server's own patience is longer (INTERACTIVE_PATIENCE
    # if a user waits; a run outlives a restart)
    connect_patience: float = math.inf
    stopped: Callable[[], bool] = lambda: False  # whether the work is no longer wanted
    today: date | None = None  # the fixed date of the run (None: the bot's, else today's)
    # In a run, by server: until when (on the monotonic clock) it asked to be left alone, and for how long
    waits: dict[str, tuple[float, float]] | None = None
    # The bot's own templates in place of Kiku's, as `core.base.prompt_files.read_prompts` returns them
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])


_DEFAULT = CallContext()
_CURRENT: ContextVar[CallContext | None] = ContextVar("call_context", default=None)


def current_context() -> CallContext:
    """The call context of this thread's work."""
    return _CURRENT.get() or _DEFAULT


def today() -> date:
    """Today's date, or the run's fixed date."""
    return current_context().today or date.today()


@contextmanager
def in_context(**changes: Any) -> Generator[CallContext]:
    """Run the block in a call context with some fields changed."""
    changed = replace(current_context(), **changes)
    token = _CURRENT.set(changed)
    try:
        yield changed
    finally:
        _CURRENT.reset(token)
