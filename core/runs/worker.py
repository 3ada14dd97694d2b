"""What one thread of a run does: make a conversation, have its turns judged, store all of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from functools import cached_property

from core.base.call_context import CallContext, in_context
from core.base.errors import BadInput, BudgetReached, Stopped, stored_error
from core.base.thread_pool import Pool
from core.base.types import Sample
from core.judges.base import Judge, groups_of, judge_all
from core.retrieval.index import Index
from core.runs.active_run import ActiveRun
from core.runs.conversation_sides import BotSide, UserSide, first_message, turn_options
from core.runs.judging.judge_options import with_versions
from core.runs.judging.missing_scores import has_failed, missing_judges
from core.runs.judging.samples import restore_topics, sample_of
from core.runs.plan import Case
from core.simulation.dialogue import Dialogue, DialogueOutcome, DialogueTurn
from core.store.database import now
from core.store.leases import LeaseLost, Writer, WriterReplaced
from core.store.rows import CaseKey, TurnRow, with_history
from core.store.store import Store

JUDGES_AT_ONCE = 4  # judges of one turn at a time
# Nothing can be stored or searched at the moment
UNWRITABLE = ("data_folder", "data_folder_full", "database_gone", "database_busy", "chroma_gone")
_LOG = logging.getLogger(__name__)


class Worker:
    """Makes the conversations of one run; its threads share it.

    reassigned: a conversation may be given out more than once (a cluster does so after the loss of a worker): the last
    attempt goes on from what is stored, and the earlier ones write nothing more.
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
        """Make and store one conversation from where it stopped; whatever goes wrong becomes its row.

        Nothing is begun in a stopped run, nor if the conversation is another's. If nothing can be written any more
        (full disk, run lost to another process) the run breaks off.
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
            self._run.break_off("stopped", stored_error(error))
            with suppress(WriterReplaced):
                self._store.conversations.stop(conversation_id, writer)
        except WriterReplaced as error:
            _LOG.warning("Conversation %s: %s", conversation_id, error)
        except LeaseLost as error:
            self._run.break_off("interrupted", stored_error(BadInput(str(error), "run_taken_over")))
        except Exception as error:
            if isinstance(error, BadInput) and error.key in UNWRITABLE:
                self._run.break_off("interrupted", stored_error(error))
                return
            _LOG.warning("Conversation %s failed", conversation_id, exc_info=True)
            with suppress(WriterReplaced):
                self._store.conversations.fail(conversation_id, stored_error(error), writer)

    def _converse(self, conversation_id: str, case: Case, writer: Writer) -> DialogueOutcome:
        """Take the turns that are left; each is stored, and judged while the conversation goes on."""
        run, judging = self._run, list[Future[bool]]()
        try:
            earlier = list(self._stored_turns(conversation_id))
            for row, dialogue_turn in earlier:
                missing = missing_judges(row, run.judges)
                failed = {score.judge for score in row.scores if has_failed(score)}
                for resample in (False, True):
                    due = [judge for judge in missing if (judge.name in failed) == resample]
                    with in_context(resample=resample):
                        judging += self._judge(
                            row.id, groups_of(due, run.options), _sample(case, dialogue_turn), writer
                        )
            options = turn_options(run.bot, run.plan, case)
            dialogue = Dialogue(
                case.scenario.question if earlier else self._first_message(case),
                BotSide(run.engine, run.bot, self._index, options, conversation_id),
                UserSide(run.engine, run.plan, case, run.bot.prompts),
                run.plan.max_turns,
                run.stopped.is_set,
                [dialogue_turn.turn for _, dialogue_turn in earlier],
            )
            for dialogue_turn in dialogue.turns():
                turn_id = self._store.conversations.add_turn(
                    conversation_id,
                    dialogue_turn.number,
                    dialogue_turn.turn,
                    dialogue_turn.user_state,
                    writer,
                )
                judging += self._judge(turn_id, self._groups, _sample(case, dialogue_turn), writer)
        finally:
            judged = [work.result() for work in judging]
        return dialogue.outcome if all(judged) else DialogueOutcome("stopped")

    def _first_message(self, case: Case) -> str:
        """The first message: that of the run whose words are used again, if it got so far; else a new one."""
        run, scenario = self._run, case.scenario
        key = CaseKey(scenario.id, scenario.question, case.persona.id, case.repeat)
        return self._earlier_messages.get(key) or first_message(run.engine, run.plan, case, run.bot.prompts)

    @cached_property
    def _earlier_messages(self) -> dict[CaseKey, str]:
        """The first messages of the run whose words are used again."""
        earlier = self._run.plan.first_messages_from_run
        return self._store.conversations.first_messages(earlier) if earlier else {}

    def _stored_turns(self, conversation_id: str) -> Iterator[tuple[TurnRow, DialogueTurn]]:
        """The turns that an earlier process has stored."""
        stored = [] if self._run.fresh else self._store.conversations.turns_in_every_version(conversation_id)
        for row, before in with_history(stored):
            if row.turn:
                yield row, DialogueTurn(row.number, restore_topics(row.turn, before, self._index), before, "going_on")

    def _judge(
        self, turn_id: int, groups: Sequence[Sequence[Judge]], sample: Sample, writer: Writer
    ) -> list[Future[bool]]:
        """Begin all verdicts on a turn, a group of judges each."""
        return [self._judging.submit(self._score, turn_id, group, sample, writer) for group in groups]

    def _score(self, turn_id: int, group: Sequence[Judge], sample: Sample, writer: Writer) -> bool:
        """Store a group's verdicts; false if the run's end left some of them to be given later."""
        run = self._run
        scores = judge_all(run.engine, group, sample, run.options)
        if run.budget.error:  # what it would have paid for is unscored, with that reason
            run.break_off("stopped", stored_error(run.budget.error))
        incomplete = run.stopped.is_set() and any(map(has_failed, scores))
        if incomplete and not run.budget.error:
            scores = tuple(score for score in scores if not has_failed(score))
        self._store.scores.add(turn_id, with_versions(scores, run.versions), writer)
        return not incomplete

    def _call_context(self, conversation_id: str, case: Case) -> AbstractContextManager[CallContext]:
        """What holds for all calls of a conversation."""
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
    """What the judges see of a turn."""
    return sample_of(case.scenario, dialogue_turn.turn, dialogue_turn.before, case.persona)
