"""What a worker of a Dask cluster does: hold one conversation of a run, with what its own process has at hand."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.heap import running
from core.base.prompt import Engine
from core.base.retry import patient
from core.base.settings import settings
from core.base.types import Bot
from core.judges.base import groups_of
from core.judges.registry import judges_of
from core.llm.choose import choose_engine
from core.retrieval.index import Indexes
from core.runs.judging import how_of, versions_of
from core.runs.plan import Plan
from core.runs.resume import case_of, personas_of
from core.runs.snapshot import take_snapshot
from core.runs.thread_pool import Pool
from core.runs.worker import Job, Worker
from core.store.store import Store, open_store

LOOK = 1.0  # seconds between two looks at what other processes have done to a run
KEPT = 2  # runs whose things stay in memory while nobody holds a conversation of them
SIDE_BY_SIDE = 4  # judges of one turn at a time
Fit = Mapping[str, str]


class Task(NamedTuple):
    """One conversation to hold, small and without any key: `fit` is what the worker's files and models have to be."""

    run_id: str
    owner: str
    since: str
    conversation: str
    engine: str
    fit: Fit


class Broken(NamedTuple):
    """Why a worker begins nothing more in a run: the run's ending, and a sentence."""

    ending: str
    reason: str


def hold_conversation(task: Task, threads: int = 0) -> Broken | None:
    """Hold a conversation from where it stands; gives why the run cannot go on, if so.

    threads: conversations that this process holds at a time (default: as its Dask worker has). The key of the model server is
    this process's own. Raises BadInput where its knowledge folder or models are not those that the run began with.
    """
    with patient(), running(), _member(task, threads or _threads()) as member:
        member.converse(task.conversation)
        job = member.job
        return Broken(job.ending, job.reason) if job.ending != "done" else None


def fit_of(plan: Plan, bot: Bot, engine: Engine, judges: dict[str, str]) -> dict[str, str]:
    """What has to be the same in all processes of a run, as SHA-256 by name; `judges`: their versions."""
    here = take_snapshot(plan, bot, (), engine, judges)
    synonyms = bot.folder / "synonyms.toml"
    parts: dict[str, Any] = {
        "bot.toml": here.bot_toml,
        "documents": here.documents,
        "synonyms.toml": synonyms.read_text("utf-8", "replace") if synonyms.is_file() else "",
        "judges": here.judges,
        "models": (here.engine, here.models),
    }
    return {name: hashlib.sha256(json.dumps(part).encode()).hexdigest() for name, part in parts.items()}


class Watch(threading.Event):
    """Set where this process breaks a run off, or somebody else has: looked up every second."""

    def __init__(self, goes_on: Callable[[], bool]) -> None:
        super().__init__()
        self._goes_on, self._next, self._looking = goes_on, time.monotonic() + LOOK, threading.Lock()

    def is_set(self) -> bool:
        """Whether nothing new is to begin."""
        if not super().is_set() and time.monotonic() >= self._next and self._looking.acquire(blocking=False):
            try:
                self._next = time.monotonic() + LOOK
                if not self._goes_on():
                    self.set()
            finally:
                self._looking.release()
        return super().is_set()


class SharedBudget(Budget):
    """A budget that several processes spend: what the call log has of the others is looked up every second.

    So it can be passed by what the others began within that second.
    """

    def __init__(self, plan: Plan, told: Callable[[], Spending]) -> None:
        super().__init__(plan.budget, plan.budget_calls)
        self._told, self._next, self._looking = told, 0.0, threading.Lock()

    def _begin(self) -> None:
        if (self.money or self.calls) and time.monotonic() >= self._next:
            with self._looking:
                self._look()
        super()._begin()

    def _look(self) -> None:
        if time.monotonic() < self._next:
            return
        spent = self._told()
        with self._lock:
            self.spent, self.made = max(self.spent, spent.cost), max(self.made, spent.calls + self._under_way)
        self._next = time.monotonic() + LOOK


class Member:
    """A run in one process of the cluster, shared by the threads that hold its conversations."""

    def __init__(self, store: Store, task: Task, threads: int) -> None:
        run = store.runs.get(task.run_id)
        if run is None:
            raise BadInput(f"There is no run {task.run_id!r} in this worker's database.", "unknown_run", id=task.run_id)
        plan = Plan.model_validate(run.plan)
        bot, engine = load_bot(plan.bot), choose_engine(settings(), store.calls, task.engine)
        judges, how = judges_of(plan.judges, bot), how_of(plan, bot)
        _check(task.fit, fit_of(plan, bot, engine, versions_of(judges, engine, how)))
        budget = SharedBudget(plan, lambda: store.calls.spending(task.run_id))
        stopped = Watch(lambda: store.leases.is_running(task.run_id, task.owner))
        self.job = Job(run.id, plan, bot, [], judges, how, engine, budget, task.owner, stopped=stopped)
        self.users, self._store, self._who = 0, store, personas_of(store, run.id)
        self._judging = Pool(threads * max(1, min(SIDE_BY_SIDE, len(groups_of(judges, how)))), f"{run.id}-judge")
        self._worker = Worker(store, _indexes().get(bot), self.job, self._judging, again=True)

    def converse(self, conversation: str) -> None:
        """Hold one conversation of the run."""
        row = self._store.conversations.get(conversation)
        if row is not None:
            self._worker.converse(case_of(row, self._who))

    def close(self) -> None:
        """Let its threads end."""
        self._judging.close()


_MEMBERS: OrderedDict[tuple[str, str], Member] = OrderedDict()
_LOCK = threading.Lock()
_INDEXES: list[Indexes] = []


@contextmanager
def _member(task: Task, threads: int) -> Generator[Member]:
    """The process's member of a run, made by the first who asks while the others wait."""
    key = (task.run_id, task.since)
    with _LOCK:
        if key not in _MEMBERS:
            _MEMBERS[key] = _made(task, threads)
        member = _MEMBERS[key]
        member.users += 1
        _MEMBERS.move_to_end(key)
    try:
        yield member
    finally:
        with _LOCK:
            member.users -= 1
            _tidy()


def _made(task: Task, threads: int) -> Member:
    with patient():
        return Member(open_store(), task, threads)


def _tidy() -> None:
    """Let go of the oldest runs that nobody works on."""
    idle = [key for key, member in _MEMBERS.items() if not member.users]
    for key in idle[: max(0, len(_MEMBERS) - KEPT)]:
        _MEMBERS.pop(key).close()


def _indexes() -> Indexes:
    if not _INDEXES:
        _INDEXES.append(Indexes())
    return _INDEXES[0]


def _check(wanted: Fit, here: Fit) -> None:
    """Raises BadInput where this process would hold another conversation than was asked for."""
    if differs := ", ".join(name for name in wanted if here.get(name) != wanted[name]):
        raise BadInput(
            f"A cluster worker has other files or models than this server ({differs}). Give them the same "
            "knowledge folder and KIKU_ settings, and restart them.",
            "cluster_differs",
            what=differs,
        )


def _threads() -> int:
    from distributed import get_worker  # not needed where there is no cluster

    worker: Any = get_worker()
    return int(worker.state.nthreads)
