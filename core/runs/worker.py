"""What one thread of a run does: hold a conversation, have its turns judged, store all of it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from core.base.budget import Budget
from core.base.call_context import CallContext, in_context
from core.base.errors import BadInput, BudgetReached, Stopped, sentence
from core.base.prompt import Engine
from core.base.types import Bot, Sample, Turn
from core.bot.external.errors import OutsideError
from core.judges.base import How, Judge, groups_of, judge_all
from core.retrieval.index import Index
from core.runs.chat import told_later
from core.runs.judging import failed, restored, sample_of, stamped, unjudged, versions_of
from core.runs.plan import Case, Plan
from core.runs.sides import bot_side, user_side
from core.runs.thread_pool import Pool
from core.simulation.dialogue import Conversation, Outcome, hold_dialogue
from core.store.database import now
from core.store.leases import ClaimLost, LeaseLost
from core.store.rows import TurnRow
from core.store.store import Store

_LOG = logging.getLogger(__name__)


class Attempt(NamedTuple):
    """Who holds a conversation: the owner of its run, and since when, where others may try it as well."""

    owner: str
    claim: datetime | None = None


@dataclass
class Job:
    """A run under way in this process; `ending` is the status it will have once it is over, `reason` why, `owner` has its lease.

    fresh: none of its conversations was begun before, in whatever process.
    """

    id: str
    plan: Plan
    bot: Bot
    cases: list[Case]
    judges: tuple[Judge, ...]
    how: How
    engine: Engine
    budget: Budget
    owner: str
    reason: str = ""
    ending: str = "done"
    fresh: bool = False
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
    """Holds the conversations of one job; its threads share it. Judging has threads of its own (`judging`).

    again: a conversation may be given more than once (a cluster does, where it takes a worker for lost): the last attempt
    goes on from what is stored, and the earlier ones write nothing more.
    """

    def __init__(self, store: Store, index: Index, job: Job, judging: Pool, again: bool = False) -> None:
        self._store, self._index, self._job, self._judging, self._again = store, index, job, judging, again

    def converse(self, case: Case) -> None:
        """Hold and store one conversation from where it stands; whatever goes wrong becomes its row.

        Nothing is begun in a stopped job, nor where the conversation is another's. Where nothing can be written any
        more (full disk, run lost to another process) the job breaks off.
        """
        mark, mine = self._job.conversation_id(case), Attempt(self._job.owner, now() if self._again else None)
        if self._job.stopped.is_set():
            return
        try:
            if self._store.conversations.start(mark, *mine):
                with self._context(mark, case):
                    self._finish(mark, self._talk(mark, case, mine), mine)
        except (BudgetReached, Stopped) as error:
            self._job.break_off("stopped", str(error))
            self._end(mark, mine)
        except ClaimLost as error:
            _LOG.warning("Conversation %s: %s", mark, error)
        except LeaseLost as error:
            self._job.break_off("interrupted", str(error))
        except Exception as error:
            if unwritable(error):
                self._job.break_off("interrupted", sentence(error))
                return
            _LOG.warning("Conversation %s failed", mark, exc_info=True)
            told = told_later(error) if isinstance(error, OutsideError | BadInput) else sentence(error)
            self._end(mark, mine, told)

    def _end(self, mark: str, mine: Attempt, error: str = "") -> None:
        """A conversation that did not come to its end: failed, or else stopped; left alone where it is another's."""
        with suppress(ClaimLost):
            if error:
                self._store.conversations.fail(mark, error, *mine)
            else:
                self._store.conversations.stop(mark, *mine)

    def _talk(self, mark: str, case: Case, mine: Attempt) -> Outcome:
        plan, engine = self._job.plan, self._job.engine
        answer = bot_side(engine, self._job.bot, self._index, plan.clarify)
        t = user_side(engine, plan, case)
        verdicts: list[Future[bool]] = []
        earlier: list[Turn] = []

        def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
            turn_id = self._store.conversations.add_turn(mark, number, turn, state, owner=mine.owner, claim=mine.claim)
            sample = sample_of(case.scenario, turn, said, case.persona)
            verdicts.extend(self._judge(self._job.judges, turn_id, sample, mine))

        try:
            for row, turn, said in self._stored(mark):
                earlier.append(turn)
                sample = sample_of(case.scenario, turn, said, case.persona)
                verdicts.extend(self._judge(unjudged(row, self._job.judges), row.id, sample, mine))
            first, stopped = case.scenario.question, self._job.stopped.is_set
            outcome = hold_dialogue(first, answer, t, heard, plan.max_turns, stopped, earlier)
        finally:
            judged = [verdict.result() for verdict in verdicts]
        return outcome if all(judged) else Outcome("stopped")

    def _stored(self, mark: str) -> Iterator[tuple[TurnRow, Turn, Conversation]]:
        """The turns that are there already, each with the messages before it."""
        said: Conversation = ()
        for row in () if self._job.fresh else self._store.conversations.turns(mark):
            if row.turn:
                yield row, restored(row.turn, said, self._index), said
                said += row.turn.as_messages()

    def _judge(self, judges: Sequence[Judge], turn_id: int, sample: Sample, mine: Attempt) -> list[Future[bool]]:
        """Begin all verdicts on a turn, side by side."""
        groups = groups_of(judges, self._job.how)
        return [self._judging.submit(self._score, turn_id, group, sample, mine) for group in groups]

    def _score(self, turn_id: int, group: Sequence[Judge], sample: Sample, mine: Attempt) -> bool:
        """Store the verdicts as they come; false where the job's end left some of them to be given later."""
        job = self._job
        scores = judge_all(job.engine, group, sample, job.how)
        if job.budget.refused:  # what it would have paid for is unscored, with that reason
            job.break_off("stopped", job.budget.reason)
        lost = job.stopped.is_set() and any(map(failed, scores))
        if lost and not job.budget.refused:
            scores = tuple(score for score in scores if not failed(score))
        self._store.scores.add(turn_id, stamped(scores, job.versions), *mine)
        return not lost

    def _context(self, mark: str, case: Case) -> AbstractContextManager[CallContext]:
        """What holds for all calls of a conversation."""
        job = self._job
        return in_context(
            run_id=job.id,
            conversation_id=mark,
            repeat=case.repeat,
            cache=job.plan.cache,
            budget=job.budget,
            stopped=job.stopped.is_set,
        )

    def _finish(self, mark: str, outcome: Outcome, mine: Attempt) -> None:
        if outcome.ending == "stopped":
            self._store.conversations.stop(mark, *mine)
        else:
            self._store.conversations.finish(mark, outcome.ending, outcome.closing, *mine)


def unwritable(error: BaseException) -> bool:
    """Whether nothing can be stored or searched at the moment, in whatever conversation."""
    return isinstance(error, BadInput) and error.key in ("data_folder", "database_gone", "chroma_gone")
