"""Judging outside a simulation: an old run by further judges, and answers from a file."""

from __future__ import annotations

import atexit
import logging
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from core.base.bot_folder import load_bot, parse_bot
from core.base.budget import Budget
from core.base.call_context import in_context
from core.base.errors import BadInput, sentence
from core.base.prompt import Engine
from core.base.retry import patient
from core.base.settings import settings
from core.base.types import Bot, Message, Persona, Sample
from core.judges.base import How, Judge, judge_all
from core.judges.registry import judges_of
from core.runs.answer_files import Answered, run_of_file, store_answers
from core.runs.heartbeat import Heartbeat
from core.runs.judging import sample_of, stamped, versions_of
from core.runs.thread_pool import Pool
from core.store.rows import RunRow, TurnRow
from core.store.store import Store

KEPT = ("strict", "together", "examples")


def how_of_run(store: Store, run: RunRow) -> dict[str, Any]:
    """How the judges of a run judged, as fields of `core.judges.base.How`, to be used for another run, too."""
    kept = store.runs.snapshot(run.id)
    guidelines = str(kept.get("guidelines", ""))
    if source := kept.get("bot_toml"):
        try:
            guidelines = parse_bot(str(source).encode(), settings().knowledge_dir / run.bot).guidelines
        except BadInput:  # written for a later or an earlier Kiku
            guidelines = ""
    language = run.plan.get("judge_language") or run.language
    return {"language": language, "guidelines": guidelines, **{k: run.plan[k] for k in KEPT if k in run.plan}}


MOST_REPEATS = 100  # verdicts of one judge on a turn
APART = 1_000  # between the repeats of two verdicts on one turn, so that the call log never answers one with another
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """One answer to judge, and the judges that have not scored it yet; `verdict` counts from 1 where there are several."""

    conversation: str
    turn: int
    sample: Sample
    judges: tuple[Judge, ...]
    repeat: int = 1
    verdict: int = 1


@dataclass
class Judging:
    """A judging under way; `done` of `total` answers are judged, `stopped` begins nothing new, `error` ended it.

    find: looks for what is to be judged, in the background, since a large run takes a while to read.
    """

    run_id: str
    engine: Engine
    how: How
    versions: dict[str, str]
    find: Callable[[], list[Task]]
    budget: Budget = field(default_factory=Budget)
    tasks: list[Task] = field(default_factory=list[Task])
    done: int = 0
    error: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def total(self) -> int:
        """All answers to judge; 0 until they are found."""
        return len(self.tasks)


class Judgings:
    """Starts, watches and stops judgings; each verdict is stored as it comes."""

    def __init__(self, store: Store, engine: Engine, knowledge: Path | None = None) -> None:
        self._store, self._engine, self._knowledge = store, engine, knowledge
        self._under_way: dict[str, Judging] = {}
        self._alive = Heartbeat(store, self._running)
        atexit.register(self.close)

    def again(
        self,
        run_id: str,
        names: Sequence[str],
        how: Mapping[str, Any] | None = None,
        engine: Engine | None = None,
        budget: float = 0,
        repeats: int = 1,
    ) -> Judging:
        """Let further judges score the turns of a run that is over; what they scored before in the same version stays.

        `how`: fields of `core.judges.base.How`; the guidelines are those of the run's own time. `repeats`: verdicts that
        each turn shall have of each judge, made anew however often the same was asked before.

        Raises BadInput for an unknown run or judge, and while the run or another judging of it goes on.
        """
        if not 1 <= repeats <= MOST_REPEATS:
            told = f"Choose 1 to {MOST_REPEATS} scores per turn ({repeats} given)."
            raise BadInput(told, "too_many_verdicts", asked=repeats, most=MOST_REPEATS)
        run = self._ended(run_id)
        bot, engine = _bot_of(self._store, run, self._knowledge), engine or self._engine
        given = {"language": bot.language, "guidelines": bot.guidelines, **(how or {})}
        how_now, judges = How.model_validate(given), judges_of(names, bot)
        versions = versions_of(judges, engine, how_now)
        job = Judging(
            run.id, engine, how_now, versions, lambda: list(_tasks(self._store, run, judges, versions, repeats))
        )
        job.budget = Budget(budget)
        self._begin(job)
        return job

    def file(
        self,
        bot: Bot,
        name: str,
        rows: Sequence[Answered],
        names: Sequence[str],
        how: Mapping[str, Any] | None = None,
        engine: Engine | None = None,
        budget: float = 0,
    ) -> Judging:
        """Store the answers of a file as a run of the bot, and judge them; raises BadInput for an unknown judge."""
        if not rows:
            raise BadInput(f"{name} has no answers. Give a file with at least one row.", "no_rows", file=name)
        now = How.model_validate({"language": bot.language, "guidelines": bot.guidelines, **(how or {})})
        judges, engine = judges_of(names, bot), engine or self._engine
        versions = versions_of(judges, engine, now)
        run = run_of_file(f"{bot.id}-{secrets.token_hex(4)}", bot, name, len(rows), list(names), self._alive.owner)
        stored = store_answers(self._store, run, rows, bot)
        tasks = [Task(mark, turn, row.sample, judges) for (mark, turn), row in zip(stored, rows, strict=True)]
        job = Judging(run.id, engine, now, versions, lambda: tasks, Budget(budget))
        self._begin(job)
        return job

    def get(self, run_id: str) -> Judging | None:
        """The judging of a run that goes on, or the last one that this process did."""
        return self._under_way.get(run_id)

    def stop(self, run_id: str) -> None:
        """Begin no new verdict; returns at once."""
        if job := self._under_way.get(run_id):
            job.stopped.set()

    def close(self) -> None:
        """Break off all judgings."""
        atexit.unregister(self.close)
        for job in list(self._under_way.values()):
            job.stopped.set()
        for job in list(self._under_way.values()):
            job.over.wait(10)
        self._alive.close()

    def _running(self) -> list[str]:
        return [run_id for run_id, job in list(self._under_way.items()) if not job.over.is_set()]

    def _ended(self, run_id: str) -> RunRow:
        run = self._store.runs.get(run_id)
        if run is None:
            raise BadInput(
                f"There is no run {run_id!r}. See `python -m core runs` for the ids.", "unknown_run", id=run_id
            )
        going_on = (job := self._under_way.get(run_id)) is not None and not job.over.is_set()
        if run.status == "running" or going_on:
            raise BadInput(f"{run_id} is still running. Wait until it is done, or stop it.", "run_going_on", id=run_id)
        return run

    def _begin(self, job: Judging) -> None:
        """Judge in the background; raises BadInput where another process is judging the same run."""
        lock = FileLock(self._store.folder / "running" / f"judge-{job.run_id}.lock", thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            told = f"{job.run_id} is already being scored. Wait until it is done, or stop it."
            raise BadInput(told, "run_going_on", id=job.run_id) from error
        if (
            (run := self._store.runs.get(job.run_id))
            and "file" in run.plan
            and run.status in ("stopped", "interrupted")
        ):
            self._store.runs.reopen(job.run_id, self._alive.owner)
        self._under_way[job.run_id] = job
        threading.Thread(target=self._hold, args=(job, lock), name=f"judge-{job.run_id}", daemon=True).start()

    def _hold(self, job: Judging, lock: FileLock) -> None:
        with patient():
            self._judge_all(job, lock)

    def _judge_all(self, job: Judging, lock: FileLock) -> None:
        pool = Pool(settings().concurrency, f"{job.run_id}-judge")
        try:
            job.tasks = job.find()
            work = [pool.submit(partial(self._judge, job), task) for task in job.tasks]
            for verdict in work:
                verdict.result()
        except Exception as error:
            _LOG.error("Judging %s failed", job.run_id, exc_info=not isinstance(error, BadInput))
            job.error = sentence(error)
        finally:
            pool.close()
            ending = "stopped" if job.stopped.is_set() else "done"
            self._store.runs.finish(job.run_id, ending, job.error, self._alive.owner)
            lock.release()
            job.over.set()

    def _judge(self, job: Judging, task: Task) -> None:
        if job.stopped.is_set():
            return
        with in_context(
            run_id=job.run_id,
            conversation_id=task.conversation,
            repeat=task.repeat + (task.verdict - 1) * APART,
            budget=job.budget,
            stopped=job.stopped.is_set,
        ):
            scores = judge_all(job.engine, task.judges, task.sample, job.how)
        if job.stopped.is_set() and all(score.value is None for score in scores):
            return  # broken off, not judged
        self._store.scores.add(task.turn, stamped(scores, job.versions), repeat=task.verdict)
        self._store.conversations.finish_waiting(task.conversation)
        with job.lock:
            job.done += 1


def _tasks(
    store: Store, run: RunRow, judges: Sequence[Judge], versions: dict[str, str], repeats: int = 1
) -> Iterable[Task]:
    """The answers of a run that some of the judges have not scored so often in this version."""
    who = {one["id"]: Persona.model_validate(one) for one in store.runs.snapshot(run.id).get("personas", ())}
    for row in store.conversations.of_run(run.id):
        said: tuple[Message, ...] = ()
        for turn in store.conversations.turns(row.id):
            asker = who.get(row.persona_id)
            sample = turn.sample or (sample_of(row.scenario, turn.turn, said, asker) if turn.turn else None)
            for verdict in range(1, repeats + 1):
                left = tuple(one for one in judges if not _scored(turn, one, versions[one.name], verdict))
                if sample is not None and left:
                    yield Task(row.id, turn.id, sample, left, row.repeat, verdict)
            said += turn.turn.as_messages() if turn.turn else ()


def _scored(turn: TurnRow, judge: Judge, version: str, verdict: int = 1) -> bool:
    """Whether the judge has given all its scores in this version, so many times."""
    wanted = (judge.name, version, verdict)
    mine = [one for one in (*turn.scores, *turn.again) if (one.judge, one.version, one.repeat) == wanted]
    return {one.criterion for one in mine if one.value is not None} >= set(judge.criteria)


def _bot_of(store: Store, run: RunRow, knowledge: Path | None) -> Bot:
    """The run's bot with the guidelines of that time; one that is gone is known by what the run kept of it."""
    kept = store.runs.snapshot(run.id)
    folder = (knowledge or settings().knowledge_dir) / run.bot
    if toml := kept.get("bot_toml"):
        return parse_bot(str(toml).encode(), folder)
    try:
        bot = load_bot(run.bot, knowledge)
    except BadInput:
        bot = Bot(id=run.bot, folder=folder, name=run.bot, language=run.language)
    return bot.model_copy(update={"guidelines": str(kept.get("guidelines", bot.guidelines))})
