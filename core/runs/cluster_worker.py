"""What a worker of a Dask cluster does: make one conversation of a run, with its own files, models and keys."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple

from core.base.bot_folder import load_bot
from core.base.budget import Budget
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.retry import long_retries
from core.base.settings import settings
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan, plan_of
from core.runs.snapshot import case_of, personas_of, take_snapshot
from core.runs.worker import ActiveRun, Worker
from core.store.store import Store, open_store

POLL_SECONDS = 1.0  # seconds between two looks at what other processes have done to a run
MAX_IDLE_RUNS = 2  # runs that stay in memory while nobody holds a conversation of them


class ClusterTask(NamedTuple):
    """One conversation to make, small and without any key.

    session: names this start of the run; fingerprints: what the worker's files and models have to be.
    """

    run_id: str
    owner: str
    session: str
    conversation_id: str
    engine: str
    fingerprints: Mapping[str, str]


class Abort(NamedTuple):
    """Why a worker starts no more conversations of a run: the run's ending, and the stored error."""

    ending: str
    reason: str


def run_task(task: ClusterTask) -> Abort | None:
    """Make a conversation from where it stopped; if the run cannot go on, gives why.

    The key of the model server is this process's own. Raises BadInput if its knowledge folder or models are not those
    of the run.
    """
    with long_retries(), _cluster_run(task) as run:
        run.run_conversation(task.conversation_id)
        return Abort(run.run.ending, run.run.reason) if run.run.ending != "done" else None


def fingerprints_of(run: ActiveRun) -> dict[str, str]:
    """What has to be the same in all processes of a run, as SHA-256 by name."""
    now = take_snapshot(run.plan, run.bot, (), run.engine, run.versions)
    parts: dict[str, Any] = {
        "bot.toml": now.bot_toml,
        "documents": now.documents,
        "prompts": now.prompts,
        "judges": now.judges,
        "models": (now.engine, now.models),
    }
    return {name: hashlib.sha256(json.dumps(part).encode()).hexdigest() for name, part in parts.items()}


class RunStopped(threading.Event):
    """Set if this process breaks a run off, or somebody else has: looked up every second."""

    def __init__(self, store: Store, task: ClusterTask) -> None:
        super().__init__()
        self._store, self._task = store, task
        self._next_poll, self._polling = time.monotonic() + POLL_SECONDS, threading.Lock()

    def is_set(self) -> bool:
        """Whether nothing new is to begin."""
        if not super().is_set() and time.monotonic() >= self._next_poll and self._polling.acquire(blocking=False):
            try:
                self._next_poll = time.monotonic() + POLL_SECONDS
                if not self._store.leases.is_running(self._task.run_id, self._task.owner):
                    self.set()
            finally:
                self._polling.release()
        return super().is_set()


class SharedBudget(Budget):
    """A budget that several processes spend: what the others have spent is looked up in the call log every second.

    So it can be exceeded by what the others began within that second.
    """

    def __init__(self, plan: Plan, store: Store, run_id: str) -> None:
        super().__init__(plan.budget, plan.budget_calls)
        self._store, self._run_id = store, run_id
        self._next_poll, self._polling = 0.0, threading.Lock()

    def catch_up(self) -> None:
        """Look up what the others have spent, at most once a second."""
        if (self.money or self.calls) and time.monotonic() >= self._next_poll:
            with self._polling:
                if time.monotonic() >= self._next_poll:  # no other thread has done it meanwhile
                    spent = self._store.calls.spending(self._run_id)
                    self.take_in(spent.cost, spent.calls)
                    self._next_poll = time.monotonic() + POLL_SECONDS


def _engine(name: str, store: Store) -> Engine:
    if name == "embedded":
        return EmbeddedEngine()
    from core.llm.engine_choice import openai_engine  # brings the openai package

    return openai_engine(settings(), store.calls)


class ClusterRun:
    """A run in one process of the cluster, shared by the threads that make its conversations."""

    def __init__(self, store: Store, task: ClusterTask) -> None:
        row = store.runs.require(task.run_id)
        plan = plan_of(row)
        bot, engine = load_bot(plan.bot), _engine(task.engine, store)
        budget, stopped = SharedBudget(plan, store, task.run_id), RunStopped(store, task)
        self.run = ActiveRun(row.id, plan, bot, [], engine, budget, task.owner, stopped=stopped)
        _check(task.fingerprints, fingerprints_of(self.run))
        self.users, self._store, self._personas = 0, store, personas_of(store, row.id)
        self._worker = Worker(store, _indexes().get(bot), self.run, _threads(), reassigned=True)

    def run_conversation(self, conversation_id: str) -> None:
        row = self._store.conversations.get(conversation_id)
        if row is not None:
            self._worker.run_conversation(case_of(row, self._personas))

    def close(self) -> None:
        self._worker.close()


_indexes = cache(Indexes)  # of this process
_RUNS: OrderedDict[tuple[str, str], ClusterRun] = OrderedDict()
_RUNS_LOCK = threading.Lock()


@contextmanager
def _cluster_run(task: ClusterTask) -> Generator[ClusterRun]:
    """The run in this process, made by the first who asks while the others wait."""
    key = (task.run_id, task.session)
    with _RUNS_LOCK:
        if key not in _RUNS:
            _RUNS[key] = ClusterRun(open_store(), task)
        run = _RUNS[key]
        run.users += 1
        _RUNS.move_to_end(key)
    try:
        yield run
    finally:
        with _RUNS_LOCK:
            run.users -= 1
            _drop_idle()


def _drop_idle() -> None:
    """Let go of the oldest runs that nobody works on."""
    idle = [key for key, run in _RUNS.items() if not run.users]
    for key in idle[: max(0, len(_RUNS) - MAX_IDLE_RUNS)]:
        _RUNS.pop(key).close()


def _check(expected: Mapping[str, str], actual: Mapping[str, str]) -> None:
    """Raises BadInput if this process would make another conversation than was asked for."""
    if differs := ", ".join(name for name in expected if actual.get(name) != expected[name]):
        raise BadInput(
            f"A cluster worker has other files or models than this server ({differs}). Give them the same "
            "knowledge folder and KIKU_ settings, and restart them.",
            "cluster_differs",
            what=differs,
        )


def _disable_profiler() -> None:
    """Keep Dask from sampling this worker's threads, which in Python 3.11 can stop all of them for ever.

    `sys._current_frames` deadlocks if the garbage collector runs meanwhile (github.com/python/cpython/issues/106883).
    Called when the module is loaded: Dask reads the setting once its preload modules are there.
    """
    with suppress(ModuleNotFoundError):
        import dask.config as dask_config

        dask_config.set({"distributed.worker.profile.enabled": False})


def _threads() -> int:
    """How many conversations this process makes at a time: as many threads as its Dask worker has."""
    from distributed import get_worker  # installed only if there is a cluster

    worker: Any = get_worker()
    return int(worker.state.nthreads)


_disable_profiler()
