"""What one thread of a run does: hold a conversation, have its turns judged, store all of it."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field

from core.base.prompt import Engine
from core.base.types import Bot, Sample, Turn, UserMessage
from core.retrieve.index import Index
from core.run.dialogue import Conversation, Outcome, hold_dialogue
from core.run.judging import sample_of, scores_of, sentence
from core.run.plan import Case, Plan
from core.run.pool import Pool
from core.run.turn import take_turn
from core.store.store import Store
from core.user.say import NextMessage, opening

_LOG = logging.getLogger(__name__)


@dataclass
class Job:
    """A run under way in this process; `ending` is the status it will have once it is over."""

    id: str
    plan: Plan
    bot: Bot
    cases: list[Case]
    versions: dict[str, str]
    ending: str = "done"
    stopped: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def conversation_id(self, case: Case) -> str:
        """The id of a case's conversation."""
        return f"{self.id}-{case.number:05d}"


class Worker:
    """Holds the conversations of one job; its threads share it. Judging has threads of its own (`judging`)."""

    def __init__(self, store: Store, engine: Engine, index: Index, job: Job, judging: Pool) -> None:
        self._store, self._engine, self._index, self._job, self._judging = store, engine, index, job, judging

    def converse(self, case: Case) -> None:
        """Hold and store one conversation; whatever goes wrong becomes its row. Nothing is begun in a stopped job."""
        mark = self._job.conversation_id(case)
        if self._job.stopped.is_set():
            return
        try:
            self._store.start_conversation(mark)
            self._finish(mark, self._talk(mark, case))
        except Exception as error:
            _LOG.warning("Conversation %s failed", mark, exc_info=True)
            self._store.fail_conversation(mark, sentence(error))

    def _talk(self, mark: str, case: Case) -> Outcome:
        plan, bot = self._job.plan, self._job.bot
        seed = case.seed(plan.seed)
        verdicts: list[Future[None]] = []

        def answer(said: Conversation, text: str) -> Turn:
            return take_turn(self._engine, bot, self._index, said, text)

        def say(said: Conversation) -> UserMessage:
            return self._engine.ask(
                NextMessage(
                    persona=case.persona, scenario=case.scenario, conversation=said, language=plan.language, seed=seed
                )
            )

        def heard(number: int, turn: Turn, said: Conversation, state: str) -> None:
            turn_id = self._store.add_turn(mark, number, turn, state)
            if plan.judges:
                verdicts.append(self._judging.submit(self._score, turn_id, sample_of(case.scenario, turn, said)))

        first = opening(case.persona, case.scenario)
        try:
            return hold_dialogue(first, answer, say, heard, plan.max_turns, self._job.stopped.is_set)
        finally:
            for verdict in verdicts:
                verdict.result()

    def _score(self, turn_id: int, sample: Sample) -> None:
        scores = scores_of(self._engine, sample, self._job.bot.guidelines, self._job.plan.reasons_in)
        self._store.add_scores(turn_id, scores, self._job.versions["turn"])

    def _finish(self, mark: str, outcome: Outcome) -> None:
        if outcome.ending == "stopped":
            self._store.stop_conversation(mark)
        else:
            self._store.finish_conversation(mark, outcome.ending, outcome.closing)
