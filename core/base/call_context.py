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
from core.base.types import Bot

INTERACTIVE_PATIENCE = 3.0  # seconds that a person at the screen waits for a server that may not be running


@dataclass
class Tally:
    """What was called, and what the call log saved, by role; safe to share between threads."""

    fresh: dict[str, Spending] = field(default_factory=dict[str, Spending])
    saved: dict[str, Spending] = field(default_factory=dict[str, Spending])
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
        """What was called, without what the call log saved."""
        with self._lock:
            return sum_of(self.fresh.values())

    def by_role(self) -> dict[str, Spending]:
        """Both together: what would have been called without the call log."""
        with self._lock:
            roles = [*self.fresh, *(role for role in self.saved if role not in self.fresh)]
            return {role: sum_of(part[role] for part in (self.fresh, self.saved) if role in part) for role in roles}


@dataclass(frozen=True)
class CallContext:
    """The run and conversation that calls belong to, and what holds for them.

    repeat: calls are found in the cache only for the same repeat; cache: whether to look there; resample: what the
    cache has could not be used, so ask with another seed, and let the new reply take its place; connect_patience:
    seconds to wait for a server that nobody can connect to, if the server's own patience is longer
    (INTERACTIVE_PATIENCE if a person waits: a run outlives a restart); stopped: whether the work is no longer wanted;
    today: the date that the run goes by (none: the bot's, or today's); waits: of a run, until when (by the monotonic
    clock) a server asked to be left alone, and for how long; prompts: the bot's own templates in place of
    Kiku's, as `core.base.prompt_files.read_prompts` gives them.
    """

    run_id: str = ""
    conversation_id: str = ""
    repeat: int = 1
    cache: bool = True
    resample: bool = False
    budget: Budget | None = None
    tally: Tally | None = None
    connect_patience: float = math.inf
    stopped: Callable[[], bool] = lambda: False
    today: date | None = None
    waits: dict[str, tuple[float, float]] | None = None
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])


_DEFAULT = CallContext()
_CURRENT: ContextVar[CallContext | None] = ContextVar("call_context", default=None)


def current_context() -> CallContext:
    """The call context of the work under way in this thread."""
    return _CURRENT.get() or _DEFAULT


def today() -> date:
    """The date that the work under way goes by: that of its run, else today's."""
    return current_context().today or date.today()


def today_of(bot: Bot) -> date:
    """The date that a bot goes by: that of the run, else the bot's own, else today's."""
    return current_context().today or bot.today or date.today()


@contextmanager
def in_context(**changes: Any) -> Generator[CallContext]:
    """Do the work inside in a call context that differs in these fields."""
    changed = replace(current_context(), **changes)
    token = _CURRENT.set(changed)
    try:
        yield changed
    finally:
        _CURRENT.reset(token)
