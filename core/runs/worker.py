"""A run in this process, and its worker: makes conversations, has their turns judged, stores them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import cached_property

from core.base.budget import Budget
from core.base.call_context import CallContext, in_context
from core.base.errors import BadInput, BudgetReached, Stopped, stored_error
from core.base.prompt import Engine
from core.base.thread_pool import Pool
from core.base.types import Bot, Sample, Turn
from core.judges.base import Judge, JudgeOptions, groups_of, judge_all
from core.judges.registry import judges_of
from core.retrieval.index import Index
from core.runs.judging.judge_options import judge_options_of_plan, versions_of, with_versions
from core.runs.judging.missing_scores import has_failed, missing_judges
from core.runs.judging.samples import restore_sections, sample_of
from core.runs.plan import Case, Plan
from core.runs.players import BotPlayer, UserPlayer, first_message, turn_options
from core.simulation.dialogue import Dialogue, DialogueOutcome, DialogueTurn
from core.store.database import now
from core.store.leases import LeaseLost, Writer, WriterReplaced
from core.store.rows import CaseKey, TurnRow, conversation_id, with_history
from core.store.store import Store

JUDGES_AT_ONCE = 4  # judges of one turn at a time
# Nothing can be stored or searched at the moment
UNWRITABLE = ("data_folder", "data_folder_full", "database_gone", "database_busy", "chroma_gone")
_LOG = logging.getLogger(__name__)


@dataclass
class ActiveRun:
    """A run that this process is working on; all its threads share this object."""

    id: str
    plan: Plan
    bot: Bot
    cases: list[Case]
    engine: Engine
    budget: Budget
    owner: str  # of its lease
    reason: str = ""  # the stored error, if it was aborted because of one
    ending: str = "done"  # the status that it will have once it has ended
    fresh: bool = False  # no process has started any of its conversations before
    stopped: threading.Event = field(default_factory=threading.Event)
    waits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])  # see `CallContext`
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        """The judges of its plan; raises BadInput for an unknown one."""
        return judges_of(self.plan.judges, self.bot)

    @cached_property
    def options(self) -> JudgeOptions:
        return judge_options_of_plan(self.plan, self.bot)

    @cached_property
    def versions(self) -> dict[str, str]:
        return versions_of(self.judges, self.engine, self.options)

    def conversation_id(self, case: Case) -> str:
        return conversation_id(self.id, case.number)

    def abort(self, ending: str, reason: str = "") -> None:
        """Start nothing new; the first call decides on ending and reason."""
        with self._lock:
            if not self.stopped.is_set():
                self.ending, self.reason = ending, reason
                self.stopped.set()


class Worker:
    """Makes the conversations of one run; its threads share it.

    reassigned: a conversation may be assigned more than once (a cluster does so after it lost a worker): the last
    attempt continues from the stored turns, and the earlier ones can write nothing more.
    """

    def __init__(self, store: Store, index: Index, run: ActiveRun, threads: int, reassigned: bool = False) -> None:
        self._store, self._index, self._run, self._reassigned = store, index, run, reassigned
        self._groups = groups_of(run.judges, run.options)
        judging = threads * max(1, min(JUDGES_AT_ONCE, len(self._groups)))
        self._judging = Pool(judging, f"{run.id}-judge")

    def close(self) -> None:
        """Let the judging threads end once their work is done."""
        self._judging.close()

    def run_conversation(self, case: Case) -> None:
        """Make and store one conversation from where it stopped; an error is stored in its row.

        Does nothing in a stopped run, or if another process has the conversation. If nothing can be written any more
        (the disk is full, another process has taken the run over) the run is aborted.
        """
        conversation_id = self._run.conversation_id(case)
        writer = Writer(self._run.owner, now() if self._reassigned else None)
        if self._run.stopped.is_set():
            return
        try:
            if self._store.conversations.start(conversation_id, writer):
                with self._call_context(conversation_id, case):
                    outcome = self._converse(conversation_id, case, writer)
                if outcome.ending == "stopped":
                    self._store.conversations.stop(conversation_id, writer)
                else:
                    self._store.conversations.finish(conversation_id, outcome.ending, outcome.closing, writer)
        except (BudgetReached, Stopped) as error:
            self._run.abort("stopped", stored_error(error))
            with suppress(WriterReplaced):
                self._store.conversations.stop(conversation_id, writer)
        except WriterReplaced as error:
            _LOG.warning("Conversation %s: %s", conversation_id, error)
        except LeaseLost as error:
            self._run.abort("interrupted", stored_error(BadInput(str(error), "run_taken_over")))
        except Exception as error:
            if isinstance(error, BadInput) and error.key in UNWRITABLE:
                self._run.abort("interrupted", stored_error(error))
                return
            _LOG.warning("Conversation %s failed", conversation_id, exc_info=True)
            with suppress(WriterReplaced):
                self._store.conversations.fail(conversation_id, stored_error(error), writer)

    def _converse(self, conversation_id: str, case: Case, writer: Writer) -> DialogueOutcome:
        """Take the turns that are left; each is stored, and judged while the conversation goes on."""
        judging: list[Future[bool]] = []
        try:
            earlier = list(self._stored_turns(conversation_id))
            judging += self._judge_stored_turns(earlier, case, writer)
            dialogue = self._dialogue(conversation_id, case, [dialogue_turn.turn for _, dialogue_turn in earlier])
            for dialogue_turn in dialogue.turns():
                number, turn, state = dialogue_turn.number, dialogue_turn.turn, dialogue_turn.user_state
                turn_id = self._store.conversations.add_turn(conversation_id, number, turn, state, writer)
                judging += self._judge(turn_id, self._groups, _sample(case, dialogue_turn), writer)
        finally:
            judged = [work.result() for work in judging]
        return dialogue.outcome if all(judged) else DialogueOutcome("stopped")

    def _judge_stored_turns(
        self, turns: Sequence[tuple[TurnRow, DialogueTurn]], case: Case, writer: Writer
    ) -> Iterator[Future[bool]]:
        """Start the verdicts that stored turns lack; judges that failed before are asked for another reply."""
        run = self._run
        for row, dialogue_turn in turns:
            missing = missing_judges(row, run.judges)
            failed = {score.judge for score in row.scores if has_failed(score)}
            sample = _sample(case, dialogue_turn)
            for resample in (False, True):
                judges = [judge for judge in missing if (judge.name in failed) == resample]
                with in_context(resample=resample):
                    verdicts = self._judge(row.id, groups_of(judges, run.options), sample, writer)
                yield from verdicts

    def _dialogue(self, conversation_id: str, case: Case, earlier: Sequence[Turn]) -> Dialogue:
        """The conversation, which goes on after its earlier turns."""
        run = self._run
        options = turn_options(run.bot, run.plan, case)
        return Dialogue(
            case.scenario.question if earlier else self._first_message(case),
            BotPlayer(run.engine, run.bot, self._index, options, conversation_id),
            UserPlayer(run.engine, run.plan, case, run.bot.prompts),
            run.plan.max_turns,
            run.stopped.is_set,
            earlier,
        )

    def _first_message(self, case: Case) -> str:
        """The first message: that of the run whose messages are reused, if it has one; else a new one."""
        run, scenario = self._run, case.scenario
        key = CaseKey(scenario.id, scenario.question, case.persona.id, case.repeat)
        return self._earlier_messages.get(key) or first_message(run.engine, run.plan, case, run.bot.prompts)

    @cached_property
    def _earlier_messages(self) -> dict[CaseKey, str]:
        """The first messages of the run whose messages are reused."""
        earlier = self._run.plan.first_messages_from_run
        return self._store.conversations.first_messages(earlier) if earlier else {}

    def _stored_turns(self, conversation_id: str) -> Iterator[tuple[TurnRow, DialogueTurn]]:
        """The turns that an earlier process has stored."""
        stored = [] if self._run.fresh else self._store.conversations.turns_in_every_version(conversation_id)
        for row, before in with_history(stored):
            if row.turn:
                yield row, DialogueTurn(row.number, restore_sections(row.turn, before, self._index), before, "going_on")

    def _judge(
        self, turn_id: int, groups: Sequence[Sequence[Judge]], sample: Sample, writer: Writer
    ) -> list[Future[bool]]:
        """Start all verdicts on a turn, one task per group of judges."""
        return [self._judging.submit(self._score, turn_id, group, sample, writer) for group in groups]

    def _score(self, turn_id: int, group: Sequence[Judge], sample: Sample, writer: Writer) -> bool:
        """Store a group's verdicts; False if some are still missing because the run was stopped."""
        run = self._run
        scores = judge_all(run.engine, group, sample, run.options)
        if run.budget.error:  # what it would have paid for is unscored, with that reason
            run.abort("stopped", stored_error(run.budget.error))
        incomplete = run.stopped.is_set() and any(map(has_failed, scores))
        if incomplete and not run.budget.error:
            scores = tuple(score for score in scores if not has_failed(score))
        self._store.scores.add(turn_id, with_versions(scores, run.versions), writer)
        return not incomplete

    def _call_context(self, conversation_id: str, case: Case) -> AbstractContextManager[CallContext]:
        run = self._run
        return in_context(
            run_id=run.id,
            conversation_id=conversation_id,
            repeat=case.repeat,
            cache=run.plan.cache,
            budget=run.budget,
            stopped=run.stopped.is_set,
            today=run.plan.today,
            waits=run.waits,
        )


def _sample(case: Case, dialogue_turn: DialogueTurn) -> Sample:
    return sample_of(case.scenario, dialogue_turn.turn, dialogue_turn.before, case.persona)
