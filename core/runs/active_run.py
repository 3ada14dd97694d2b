"""A run under way in this process, as all that work on it share it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

from core.base.budget import Budget
from core.base.prompt import Engine
from core.base.types import Bot
from core.judges.base import Judge, JudgeOptions
from core.judges.registry import judges_of
from core.runs.judging.judge_options import judge_options_of_plan, versions_of
from core.runs.plan import Case, Plan
from core.store.rows import conversation_id


@dataclass
class ActiveRun:
    """A run under way in this process; `owner` has its lease.

    ending: the status it will have once it is over, `reason` why; fresh: none of its conversations was begun before,
    in whatever process; waits: of `CallContext`.
    """

    id: str
    plan: Plan
    bot: Bot
    cases: list[Case]
    engine: Engine
    budget: Budget
    owner: str
    reason: str = ""
    ending: str = "done"
    fresh: bool = False
    stopped: threading.Event = field(default_factory=threading.Event)
    waits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        """The judges of its plan; raises BadInput for an unknown one."""
        return judges_of(self.plan.judges, self.bot)

    @cached_property
    def options(self) -> JudgeOptions:
        """How they judge."""
        return judge_options_of_plan(self.plan, self.bot)

    @cached_property
    def versions(self) -> dict[str, str]:
        """The version of each judge."""
        return versions_of(self.judges, self.engine, self.options)

    def conversation_id(self, case: Case) -> str:
        """The id of a case's conversation."""
        return conversation_id(self.id, case.number)

    def break_off(self, ending: str, reason: str = "") -> None:
        """Begin nothing new; the first call decides on ending and reason."""
        with self._lock:
            if not self.stopped.is_set():
                self.ending, self.reason = ending, reason
                self.stopped.set()
