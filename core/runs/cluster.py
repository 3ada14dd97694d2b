"""Runs on a Dask cluster: this process hands out the conversations, workers make them (`core.runs.cluster_worker`).

How far a run is stands in the database; Dask only knows which conversations are handed out. So a worker, the scheduler
or this process may be lost: each conversation goes on from its last stored turn.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from core.base.errors import BadInput, stored_error
from core.base.prompt import Engine
from core.base.settings import settings
from core.llm.roles import ModelEngine
from core.runs.cluster_worker import Abort, ClusterTask, fingerprints_of, run_task
from core.runs.snapshot import engine_name
from core.runs.worker import ActiveRun
from core.store.store import Store

CONNECT_SECONDS = 10.0  # seconds to wait for the scheduler
POLL_SECONDS = 1.0  # seconds between two looks at the cluster
TASKS_PER_THREAD = 2  # conversations handed out for each thread of the cluster, so that none waits for the next
REGISTER_SECONDS = 5.0  # seconds that a start waits for a worker that is about to register
NO_WORKERS_SECONDS = 120.0  # seconds that a run waits for workers once none is left
MAX_LOSSES = 20  # workers that one conversation may outlive
_LOG = logging.getLogger(__name__)
_CLIENTS: dict[str, Any] = {}
_CLIENTS_LOCK = threading.Lock()


def check_cluster(engine: Engine, store: Store) -> None:
    """Raises BadInput if a cluster is configured that a run cannot use; does nothing if none is."""
    now = settings()
    if not now.dask_scheduler:
        return
    embedded = {
        "KIKU_DATABASE_URL": store.db.embedded or now.store_url.startswith("sqlite"),
        "KIKU_CHROMA_URL": not now.chroma_url,
    }
    if missing := " and ".join(name for name, is_embedded in embedded.items() if is_embedded):
        raise BadInput(
            "KIKU_DASK_SCHEDULER sets a cluster, but its workers cannot share embedded storage. "
            f"Set {missing} as well, or unset KIKU_DASK_SCHEDULER.",
            "cluster_embedded",
            names=missing,
        )
    if isinstance(engine, ModelEngine) and not all(model.server.is_owners for model in engine.roles.values()):
        raise BadInput(
            "A cluster run uses the keys of its workers; a key entered on a page is not sent there. "
            "Use the models set up on this server, or unset KIKU_DASK_SCHEDULER.",
            "cluster_own_key",
        )
    if not _has_workers(_client(now.dask_scheduler)):
        start = f"PYTHONPATH=$PWD dask worker {now.dask_scheduler} --preload core.runs.cluster_worker"
        message = f"The cluster at {now.dask_scheduler} has no workers. Start one in Kiku's folder: {start}"
        raise BadInput(message, "no_workers", address=now.dask_scheduler, command=start)


class Cluster:
    """The conversations of one run on their way through the cluster."""

    def __init__(self, run: ActiveRun, store: Store) -> None:
        self._run, self._store, self._address = run, store, settings().dask_scheduler
        self._client = _client(self._address)
        self._executor: Any = self._client.get_executor(pure=False)
        self._waiting = deque(_tasks(run))
        self._handed_out: dict[Future[Abort | None], ClusterTask] = {}
        self._losses: Counter[str] = Counter()
        self._capacity, self._last_poll, self._last_worker = 1, 0.0, time.monotonic()

    def run(self) -> None:
        """Run all conversations; a stop, a spent budget or a lost scheduler breaks the run off."""
        stop_requested = False
        while self._waiting or self._handed_out:
            if self._run.stopped.is_set():
                self._waiting.clear()  # those handed out find out by themselves, and end where they are
                if not stop_requested:
                    self._store.leases.ask_to_stop(self._run.id, self._run.owner)
                    stop_requested = True
            self._poll()
            while self._waiting and len(self._handed_out) < self._capacity:
                task = self._waiting.popleft()
                self._handed_out[self._executor.submit(run_task, task)] = task
            for future in wait(self._handed_out, POLL_SECONDS, FIRST_COMPLETED).done:
                self._collect(future, self._handed_out.pop(future))

    def _poll(self) -> None:
        """Adjust to the workers there are; if none is left, wait for a while, and after a stop not at all."""
        if time.monotonic() <= self._last_poll + POLL_SECONDS:
            return
        if threads := _threads(self._client):
            self._capacity, self._last_worker = max(self._capacity, TASKS_PER_THREAD * threads), time.monotonic()
        elif self._run.stopped.is_set():
            for future in self._handed_out:
                future.cancel()  # whatever a lost worker still does, it can write nothing into a run that is over
            self._handed_out.clear()
        elif time.monotonic() > self._last_worker + NO_WORKERS_SECONDS:
            message = f"The cluster at {self._address} has had no workers for {NO_WORKERS_SECONDS:.0f} s."
            self._interrupt(message, "cluster_lost_workers")
        self._last_poll = time.monotonic()

    def _collect(self, future: Future[Abort | None], task: ClusterTask) -> None:
        """What became of a conversation: it is stored, or its worker was lost, or the run cannot go on."""
        from distributed import KilledWorker

        if future.cancelled():
            self._interrupt(f"The Dask scheduler {self._address} was lost.", "cluster_scheduler_lost")
            return
        error = future.exception()
        if error is None:
            if abort := future.result():
                self._run.abort(*abort)
        elif isinstance(error, KilledWorker) and self._losses[task.conversation_id] < MAX_LOSSES:
            self._losses[task.conversation_id] += 1
            self._waiting.append(task)
        else:
            expected = isinstance(error, BadInput)
            _LOG.error("%s: %s", task.conversation_id, error, exc_info=None if expected else error)
            self._run.abort("stopped" if expected else "interrupted", stored_error(error))

    def _interrupt(self, message: str, key: str) -> None:
        self._run.abort("interrupted", stored_error(BadInput(message, key, address=self._address)))


def _tasks(run: ActiveRun) -> list[ClusterTask]:
    fingerprints = fingerprints_of(run)
    session, engine = secrets.token_hex(4), engine_name(run.engine)
    return [
        ClusterTask(run.id, run.owner, session, run.conversation_id(case), engine, fingerprints) for case in run.cases
    ]


def _client(address: str) -> Any:
    """The process's one client of a scheduler; raises BadInput if nobody listens there."""
    with _CLIENTS_LOCK:
        client = _CLIENTS.get(address)
        if client is None or client.status != "running":
            _CLIENTS[address] = _connect(address)
        return _CLIENTS[address]


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        message = "The packages for Dask are not installed. Run: pip install -r requirements-scale.txt"
        raise BadInput(message, "no_dask") from error
    try:
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False, name="kiku")
    except Exception as error:  # whatever listens there may answer in any way
        message = (
            f"No Dask scheduler answers at {address}. Start one with “dask scheduler”, or correct KIKU_DASK_SCHEDULER."
        )
        raise BadInput(message, "no_scheduler", address=address) from error


def _has_workers(client: Any) -> bool:
    """Whether there is a worker; one that has just started may not be registered yet."""
    until = time.monotonic() + REGISTER_SECONDS
    while not _threads(client):
        if time.monotonic() > until:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _threads(client: Any) -> int:
    """Threads of all workers there are at the moment; 0 if the scheduler does not answer."""
    try:
        return sum(client.nthreads().values())
    except Exception:  # a lost scheduler shows in many ways; what it was asked to do is cancelled then
        _LOG.warning("The Dask scheduler does not answer", exc_info=True)
        return 0
