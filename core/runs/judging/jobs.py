"""Judging outside a simulation: an old run by further judges, and answers from a file."""

from __future__ import annotations

import atexit
import logging
import secrets
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from threading import Lock
from typing import Any, NamedTuple, Self

from filelock import FileLock, Timeout

from core.base.budget import Budget
from core.base.call_context import current_context, in_context
from core.base.errors import BadInput, stored_error
from core.base.jobs import SHUTDOWN_SECONDS, Job, Jobs
from core.base.prompt import Engine
from core.base.retry import long_retries
from core.base.settings import settings
from core.base.thread_pool import side_by_side
from core.base.types import Bot, Sample, Scenario
from core.judges.base import Judge, JudgeOptions, could_score, judge_all
from core.judges.registry import judges_of
from core.prompts.catalog import check_prompts
from core.retrieval.index_cache import Indexes
from core.runs.heartbeat import RUNNING, Heartbeat
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.judge_options import judge_options_of_bot, versions_of, with_versions
from core.runs.judging.missing_scores import missing_by_version
from core.runs.judging.samples import SectionTexts, sample_of
from core.runs.resume import still_running
from core.runs.snapshot import bot_of_run, date_of, engine_name, personas_of
from core.store.database import now
from core.store.rows import ConversationRow, RunRow, with_history
from core.store.store import Store

MAX_REPEATS = 100  # verdicts of one judge on a turn
REPEAT_STEP = 1_000  # between the call repeats of two verdicts on one turn, so that the cache never answers for both
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class JudgingTask:
    conversation_id: str
    turn_id: int
    sample: Sample
    judges: tuple[Judge, ...]  # that have not scored it yet
    repeat: int = 1
    verdict: int = 1  # counts from 1 if there are several
    resample: bool = False  # the judges' earlier replies could not be used, so ask for other ones


@dataclass(frozen=True)
class JudgingRequest:
    """Which judges are to score, and how."""

    judges: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])  # of `JudgeOptions`, in place of the bot's
    engine: Engine | None = None  # in place of that of `JudgingJobs`
    budget: float = 0  # money that may be spent (0: no limit)
    repeats: int = 1  # verdicts of each judge on a turn in total


@dataclass(frozen=True)
class JudgingConfig:
    """The settings that all verdicts of a judging job share."""

    engine: Engine
    options: JudgeOptions
    versions: dict[str, str]
    budget: Budget
    today: date | None


class JudgingJob(Job[None]):
    """A judging job: `done` of `total` answers are judged; the total is 0 until all tasks are known.

    finish: called once at the end with the ending ("done" or "stopped") and the error, if any; unscored: judged answers
    without any score; problem: the error of the first of these whose judges had everything they need, or "".
    """

    def __init__(
        self,
        store: Store,
        run_id: str,
        config: JudgingConfig,
        tasks: Iterable[JudgingTask],
        finish: Callable[[str, str], None],
    ) -> None:
        super().__init__()
        self.run_id, self.versions = run_id, config.versions
        self._store, self._config, self._tasks, self._finish = store, config, tasks, finish
        self._count_lock = Lock()
        self.unscored, self.problem = 0, ""

    def work(self) -> None:
        error = ""
        try:
            with long_retries():
                tasks = list(self._tasks)  # a large run takes a while to read
                self.total = len(tasks)
                with side_by_side(self._judge, tasks, settings().concurrency, f"{self.run_id}-judge") as verdicts:
                    for verdict in verdicts:
                        verdict.result()
        except Exception as problem:
            _LOG.error("Judging %s failed", self.run_id, exc_info=not isinstance(problem, BadInput))
            error = stored_error(problem)
            raise
        finally:
            self._finish("stopped" if self.stopped.is_set() else "done", error)

    def _judge(self, task: JudgingTask) -> None:
        if self.stopped.is_set():
            return
        config = self._config
        with in_context(
            run_id=self.run_id,
            conversation_id=task.conversation_id,
            repeat=task.repeat + (task.verdict - 1) * REPEAT_STEP,
            budget=config.budget,
            stopped=self.stopped.is_set,
            today=config.today,
            resample=task.resample,
        ):
            scores = judge_all(config.engine, task.judges, task.sample, config.options)
        if self.stopped.is_set() and all(score.value is None for score in scores):
            return  # broken off, not judged
        self._store.scores.add(task.turn_id, with_versions(scores, config.versions), repeat=task.verdict)
        self._store.conversations.finish_waiting(task.conversation_id)
        with self._count_lock:
            self.done += 1
            if all(score.value is None for score in scores):
                self.unscored += 1
                if not self.problem and could_score(task.judges, task.sample):
                    self.problem = next((score.error for score in scores if score.error), "")


class FileRun(NamedTuple):
    """A file of answers that is about to be judged as a run of a bot."""

    id: str
    bot: Bot
    name: str
    judges: Sequence[str]
    answers: Sequence[FileAnswer]
    owner: str = ""  # the process that judges it
    engine: str = ""  # name of the engine that judges it


class JudgingJobs(Jobs[str, JudgingJob]):
    """Starts, finds and stops the judging jobs of this process; each verdict is stored as it comes."""

    def __init__(self, store: Store, engine: Engine, indexes: Indexes | None = None) -> None:
        super().__init__()
        self._store, self._engine = store, engine
        self._indexes = indexes or Indexes()
        self._heartbeat = Heartbeat(store, self.running_keys)
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rejudge(self, run_id: str, request: JudgingRequest) -> JudgingJob:
        """Let further judges score the turns of a run that has ended; scores in the same version stay.

        The guidelines are those of the run's time; repeated verdicts are never answered from the call log of other ones.
        Raises BadInput for an unknown run or judge, and while the run or another judging job of it is running.
        """
        run, judges, config = self._prepare_run(run_id, request)
        return self._begin(run.id, config, self._tasks_of(run, judges, config, request.repeats))

    def ask_again(self, run_id: str, turns: Container[int], request: JudgingRequest) -> JudgingJob:
        """Let one judge score turns until each has `request.repeats` verdicts; all turns if its version has changed.

        Raises what `rejudge` does.
        """
        run, judges, config = self._prepare_run(run_id, request)
        (name,) = request.judges
        version = self._store.tables.of_run(run_id).chosen_versions().get(name)
        only = turns if version == config.versions[name] else None
        return self._begin(run.id, config, self._tasks_of(run, judges, config, request.repeats, only))

    def judge_file(self, bot: Bot, name: str, rows: Sequence[FileAnswer], request: JudgingRequest) -> JudgingJob:
        """Store the answers of a file as a run of the bot, and judge them; raises BadInput for an unknown judge."""
        if not rows:
            raise BadInput(f"{name} has no answers. Give a file with at least one row.", "no_rows", file=name)
        judges, config = self._prepare(bot, request)
        run_id = f"{bot.id}-{secrets.token_hex(4)}"
        owner, engine = self._heartbeat.owner, engine_name(config.engine)
        ids = store_answers(self._store, FileRun(run_id, bot, name, request.judges, rows, owner, engine))
        tasks = [
            JudgingTask(conversation_id, turn_id, row.sample, judges)
            for (conversation_id, turn_id), row in zip(ids, rows, strict=True)
        ]
        return self._begin(run_id, config, tasks)

    def _prepare_run(self, run_id: str, request: JudgingRequest) -> tuple[RunRow, tuple[Judge, ...], JudgingConfig]:
        if not 1 <= request.repeats <= MAX_REPEATS:
            message = f"Choose 1 to {MAX_REPEATS} scores per turn ({request.repeats} given)."
            raise BadInput(message, "too_many_verdicts", asked=request.repeats, most=MAX_REPEATS)
        run = self._store.runs.require(run_id)
        if run.status == "running":
            raise still_running(run_id)
        if self.running(run_id):
            raise _already_scored(run_id)
        judges, config = self._prepare(bot_of_run(self._store, run), request)
        return run, judges, replace(config, today=date_of(run) or config.today)

    def _tasks_of(
        self,
        run: RunRow,
        judges: Sequence[Judge],
        config: JudgingConfig,
        repeats: int,
        only: Container[int] | None = None,
    ) -> Iterator[JudgingTask]:
        """The answers of a run (only these turns) that lack verdicts of some judges in this version."""
        sections = SectionTexts(self._indexes, bot_of_run(self._store, run))
        personas = personas_of(self._store, run.id)
        for row in self._store.conversations.of_run(run.id):
            persona = personas.get(row.persona_id)
            for turn, before in with_history(self._store.conversations.turns_in_every_version(row.id)):
                seen = sections.restored(turn.turn, before) if turn.turn else None
                sample = turn.sample or (sample_of(row.scenario, seen, before, persona) if seen else None)
                if sample is not None and (only is None or turn.id in only):
                    for verdict in range(1, repeats + 1):
                        unasked, failed = missing_by_version(turn, judges, config.versions, verdict)
                        if unasked:
                            yield JudgingTask(row.id, turn.id, sample, unasked, row.repeat, verdict)
                        if failed:
                            yield JudgingTask(row.id, turn.id, sample, failed, row.repeat, verdict, resample=True)

    def close(self, patience: float = SHUTDOWN_SECONDS) -> None:
        atexit.unregister(self.close)
        super().close(patience)
        self._heartbeat.close()

    def _prepare(self, bot: Bot, request: JudgingRequest) -> tuple[tuple[Judge, ...], JudgingConfig]:
        engine = request.engine or self._engine
        options = JudgeOptions.model_validate({**dict(judge_options_of_bot(bot, bot.language)), **request.options})
        judges = judges_of(request.judges, bot)
        check_prompts(bot)
        versions, today = versions_of(judges, engine, options), current_context().today or bot.today
        return judges, JudgingConfig(engine, options, versions, Budget(request.budget), today)

    def _begin(self, run_id: str, config: JudgingConfig, tasks: Iterable[JudgingTask]) -> JudgingJob:
        """Judge in the background; raises BadInput if another process is judging the same run."""
        lock = FileLock(self._store.folder / RUNNING / f"judge-{run_id}.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise _already_scored(run_id) from error
        owner = self._heartbeat.owner
        if (run := self._store.runs.get(run_id)) and run.is_answer_file and run.status in ("stopped", "interrupted"):
            self._store.runs.reopen(run_id, owner)

        def finish(ending: str, error: str) -> None:
            with long_retries():
                self._store.runs.finish(run_id, ending, error, owner)
            lock.release()

        return self.start(run_id, JudgingJob(self._store, run_id, config, tasks, finish))


def _already_scored(run_id: str) -> BadInput:
    return BadInput(
        f"{run_id} is already being scored. Wait until it is done, or stop it.", "already_scored", id=run_id
    )


def store_answers(store: Store, file: FileRun) -> list[tuple[str, int]]:
    """Store a file as a run: a conversation of one turn for each answer. Returns the ids of (conversation, turn)."""
    bot = file.bot
    run = RunRow(
        id=file.id,
        bot=bot.id,
        name=file.name,
        language=bot.language,
        status="running",
        seed=0,
        max_turns=1,
        total=len(file.answers),
        created_at=now(),
        plan={"bot": bot.id, "file": file.name, "judges": list(file.judges)},
        owner=file.owner,
    )
    conversations = [_conversation(file, number, answer) for number, answer in enumerate(file.answers, 1)]
    store.runs.create(run, {"guidelines": bot.guidelines, "engine": file.engine}, conversations)
    samples = {row.id: answer.sample for row, answer in zip(conversations, file.answers, strict=True)}
    return list(store.conversations.add_answers(samples).items())


def _conversation(file: FileRun, number: int, answer: FileAnswer) -> ConversationRow:
    sample = answer.sample
    scenario = Scenario(
        id=answer.id,
        question=sample.question,
        intent=sample.intent,
        facts=sample.facts,
        reference="\n".join(sample.reference),
        kind=sample.kind or "faq",
    )
    row = ConversationRow.planned(file.id, file.bot.id, number, scenario, answer.system, answer.system)
    return row.model_copy(update={"kind": sample.kind or ""})
