"""What one thread of a run does: hold a conversation, have its turns judged, store all of it."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property

from core.base.errors import sentence
from core.base.prompt import Engine
from core.base.types import Bot, Sample, Turn
from core.judge.judge import How, Judge
from core.judge.panel import judge_all
from core.llm.budget import Budget
from core.llm.errors import BudgetReached, Stopped
from core.llm.occasion import Occasion, on
from core.retrieve.index import Index
from core.run.dialogue import Conversation, Outcome, hold_dialogue
from core.run.judging import sample_of, stamped, versions_of
from core.run.plan import Case, Plan
from core.run.pool import Pool
from core.run.sides import bot_side, user_side
from core.store.store import Store
from core.user.say import opening

_LOG = logging.getLogger(__name__)


@dataclass
class Job:
    """A run under way in this process; `ending` is the status it will have once it is over, `reason` why."""

    id: str
    plan: Plan
    bot: Bot
    cases: list[Case]
    judges: tuple[Judge, ...]
    how: How
    engine: Engine
    budget: Budget
    reason: str = ""
    ending: str = "done"
    stopped: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    @cached_property
    def versions(self) -> dict[str, str]:
        """The version of each judge."""
        return versions_of(self.judges, self.engine, self.how)

    def conversation_id(self, case: Case) -> str:
        """The id of a case's conversation."""
        return f"{self.id}-{case.number:05d}"

    def break_off(self, ending: str, reason: str = "") -> None:
        """Begin nothing new; the first to say so decides on ending and reason."""
        if not self.stopped.is_set():
            self.ending, self.reason = ending, reason
            self.stopped.set()


class Worker:
    """Holds the conversations of one job; its threads share it. Judging has threads of its own (`judging`)."""

    def __init__(self, store: Store, index: Index, job: Job, judging: Pool) -> None:
        self._store, self._index, self._job, self._judging = store, index, job, judging

    def converse(self, case: Case) -> None:
        """Hold and store one conversation; whatever goes wrong becomes its row. Nothing is begun in a stopped job."""
        mark = self._job.conversation_id(case)
        if self._job.stopped.is_set():
            return
        try:
            self._store.start_conversation(mark)
            with self._occasion(mark, case):
                self._finish(mark, self._talk(mark, case))
        except (BudgetReached, Stopped) as error:
            self._job.break_off("stopped", str(error))
            self._store.stop_conversation(mark)
        except Exception as error:
            _LOG.warning("Conversation %s failed", mark, exc_info=True)
            self._store.fail_conversation(mark, sentence(error))

    def _talk(self, mark: str, case: Case) -> Outcome:
        plan, engine = self._job.plan, self._job.engine
        answer, say = bot_side(engine, self._job.bot, self._index), user_side(engine, plan, case)
        verdicts: list[Future[None]] = []

        def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
            turn_id = self._store.add_turn(mark, number, turn, state)
            if plan.judges:
                verdicts.append(
                    self._judging.submit(self._score, turn_id, sample_of(case.scenario, turn, said, case.persona))
                )

        first = opening(case.persona, case.scenario)
        try:
            return hold_dialogue(first, answer, say, heard, plan.max_turns, self._job.stopped.is_set)
        finally:
            for verdict in verdicts:
                verdict.result()

    def _score(self, turn_id: int, sample: Sample) -> None:
        scores = judge_all(self._job.engine, self._job.judges, sample, self._job.how)
        self._store.add_scores(turn_id, stamped(scores, self._job.versions))
        if self._job.budget.refused:  # what it would have paid for is unscored, with that reason
            self._job.break_off("stopped", self._job.budget.reason)

    def _occasion(self, mark: str, case: Case) -> AbstractContextManager[Occasion]:
        """What holds for all calls of a conversation."""
        job = self._job
        return on(
            run_id=job.id,
            conversation_id=mark,
            repeat=case.repeat,
            cache=job.plan.cache,
            budget=job.budget,
            stopped=job.stopped.is_set,
        )

    def _finish(self, mark: str, outcome: Outcome) -> None:
        if outcome.ending == "stopped":
            self._store.stop_conversation(mark)
        else:
            self._store.finish_conversation(mark, outcome.ending, outcome.closing)
