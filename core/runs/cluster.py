"""Runs on a Dask cluster: this process hands out the conversations, its workers hold them (`core.runs.cluster_worker`).

What is stored tells how far a run is; Dask only knows which conversations are on their way. So a worker, the scheduler or
this process may be lost: each conversation goes on from its last stored turn.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from core.base.errors import BadInput, sentence
from core.base.prompt import Engine
from core.base.settings import settings
from core.llm.roles import ModelEngine
from core.runs.cluster_worker import Broken, Task, fit_of, hold_conversation
from core.runs.worker import Job
from core.store.store import Store

CONNECT = 10.0  # seconds to wait for the scheduler
LOOK = 1.0  # seconds between two looks at the cluster
AHEAD = 2  # conversations handed out for each thread of the cluster, so that none waits for the next
ALONE = 120.0  # seconds that a run waits for workers once none is left
LOSSES = 20  # workers that one conversation may outlive
_LOG = logging.getLogger(__name__)
_LOCK = threading.Lock()
_CLIENTS: dict[str, Any] = {}


def check_cluster(engine: Engine, store: Store) -> None:
    """Raises BadInput where a cluster is configured that a run cannot use; does nothing where none is."""
    now = settings()
    if not now.dask_scheduler:
        return
    embedded = {
        "KIKU_DATABASE_URL": store.db.embedded or now.store_url.startswith("sqlite"),
        "KIKU_CHROMA_URL": not now.chroma_url,
    }
    if missing := " and ".join(name for name, is_embedded in embedded.items() if is_embedded):
        raise BadInput(
            f"KIKU_DASK_SCHEDULER sets a cluster, but its workers cannot share embedded storage. Set {missing} as well, or "
            "unset KIKU_DASK_SCHEDULER.",
            "cluster_embedded",
            names=missing,
        )
    if isinstance(engine, ModelEngine) and not all(model.server.is_owners for model in engine.roles.values()):
        raise BadInput(
            "A cluster run uses the keys of its workers; a key entered on a page is not sent there. Use the models set up "
            "on this server, or unset KIKU_DASK_SCHEDULER.",
            "cluster_own_key",
        )
    if not _threads(_client(now.dask_scheduler)):
        how = f"dask worker {now.dask_scheduler} --preload core.runs.cluster_worker"
        told = f"The cluster at {now.dask_scheduler} has no workers. Start one in Kiku's folder: PYTHONPATH=$PWD {how}"
        raise BadInput(told, "no_workers", address=now.dask_scheduler)


class Cluster:
    """The conversations of one job on their way through the cluster; `_seen`: when there last was a worker."""

    def __init__(self, job: Job, store: Store) -> None:
        self._job, self._store = job, store
        self._client = _client(settings().dask_scheduler)
        self._executor: Any = self._client.get_executor(pure=False)
        self._under_way: dict[Future[Broken | None], Task] = {}
        self._lost: Counter[str] = Counter()
        self._left = deque(_tasks(job))
        self._room, self._looked, self._seen = 1, 0.0, time.monotonic()

    def converse(self) -> None:
        """Have all conversations held; a stop, a spent budget or a lost scheduler breaks the job off."""
        asked = False
        while self._left or self._under_way:
            if self._job.stopped.is_set():
                self._left.clear()  # those on their way find out by themselves, and end where they are
                if not asked:
                    self._store.leases.ask_to_stop(self._job.id, self._job.owner)
                    asked = True
            self._look()
            self._hand_out()
            for future in wait(self._under_way, LOOK, FIRST_COMPLETED).done:
                self._hear(future, self._under_way.pop(future))

    def _look(self) -> None:
        """Make room for the workers there are; where none is left, nothing is waited for after a stop, else not for ever."""
        if time.monotonic() <= self._looked + LOOK:
            return
        if threads := _threads(self._client):
            self._room, self._seen = max(self._room, AHEAD * threads), time.monotonic()
        elif self._job.stopped.is_set():
            for future in self._under_way:
                future.cancel()  # whatever a lost worker still does, it can write nothing into a run that is over
            self._under_way.clear()
        elif time.monotonic() > self._seen + ALONE:
            why = f"The cluster at {settings().dask_scheduler} has had no workers for {ALONE:.0f} s."
            self._job.break_off("interrupted", why)
        self._looked = time.monotonic()

    def _hand_out(self) -> None:
        while self._left and len(self._under_way) < self._room:
            task = self._left.popleft()
            self._under_way[self._executor.submit(hold_conversation, task)] = task

    def _hear(self, future: Future[Broken | None], task: Task) -> None:
        """What became of a conversation: it is stored, or its worker was lost, or the job cannot go on."""
        from distributed import KilledWorker

        if future.cancelled():
            self._job.break_off("interrupted", f"The Dask scheduler {settings().dask_scheduler} was lost.")
            return
        error = future.exception()
        if error is None:
            if broken := future.result():
                self._job.break_off(*broken)
        elif isinstance(error, KilledWorker) and self._lost[task.conversation] < LOSSES:
            self._lost[task.conversation] += 1
            self._left.append(task)
        else:
            _LOG.error("%s: %s", task.conversation, error, exc_info=None if isinstance(error, BadInput) else error)
            self._job.break_off("stopped" if isinstance(error, BadInput) else "interrupted", sentence(error))


def _tasks(job: Job) -> list[Task]:
    fit = fit_of(job.plan, job.bot, job.engine, job.versions)
    since, engine = secrets.token_hex(4), str(getattr(job.engine, "name", ""))
    return [Task(job.id, job.owner, since, job.conversation_id(case), engine, fit) for case in job.cases]


def _client(address: str) -> Any:
    """The process's one client of a scheduler; raises BadInput where nobody listens there."""
    with _LOCK:
        known = _CLIENTS.get(address)
        if known is None or known.status != "running":
            _CLIENTS[address] = _connected(address)
        return _CLIENTS[address]


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        told = "The packages for Dask are not installed. Run: pip install -r requirements-scale.txt"
        raise BadInput(told, "no_dask") from error
    try:
        return Client(address, timeout=CONNECT, set_as_default=False, name="kiku")
    except Exception as error:  # whatever listens there may answer in any way
        told = (
            f"No Dask scheduler answers at {address}. Start one with “dask scheduler”, or correct KIKU_DASK_SCHEDULER."
        )
        raise BadInput(told, "no_scheduler", address=address) from error


def _threads(client: Any) -> int:
    """Threads of all workers there are at the moment; none where the scheduler does not answer."""
    try:
        return sum(client.nthreads().values())
    except Exception:  # a lost scheduler shows in many ways; what it was asked to do is cancelled then
        _LOG.warning("The Dask scheduler does not answer", exc_info=True)
        return 0
