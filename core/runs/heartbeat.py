"""Whether the process that began something still lives: a lock on this machine, leases in the database anywhere."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from core.base.errors import BadInput
from core.store.store import Store

RUNNING = "running"  # folder of the locks
BEAT_SECONDS = 10.0  # seconds between two heartbeats; see core.store.leases.LEASE_SECONDS
_LOG = logging.getLogger(__name__)


class Heartbeat:
    """Holds this process's lock, and a thread that extends its leases and looks for runs of processes that are gone.

    The operating system frees the lock when the process ends, however it ends. owner: the process's name in leases;
    store_ends: stores what could not be stored before, with every beat.
    """

    def __init__(
        self, store: Store, running: Callable[[], Sequence[str]], store_ends: Callable[[], None] = lambda: None
    ) -> None:
        self.owner = secrets.token_hex(8)
        self._store, self._running, self._store_ends = store, running, store_ends
        self._file = _lock_file(store, self.owner)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self._file, thread_local=False)
        self._lock.acquire()
        self._closed = threading.Event()
        threading.Thread(target=self._beat, name=f"heartbeat-{self.owner}", daemon=True).start()

    def close(self) -> None:
        """Give the lock up."""
        self._closed.set()
        is_known = self._has_ended()
        self._lock.release(force=True)
        if is_known:  # else the file that nobody holds any more tells others that this process is gone
            self._file.unlink(missing_ok=True)

    def _has_ended(self) -> bool:
        """Whether the database knows that nothing of this process is under way: a full disk may not take it."""
        try:
            if self.owner in self._store.leases.owners():
                self._store.leases.end(self.owner)
        except Exception as error:
            _LOG.warning("The end could not be stored: %s", error, exc_info=not isinstance(error, BadInput))
            return False
        return True

    def _beat(self) -> None:
        while not self._closed.wait(BEAT_SECONDS):
            try:
                if run_ids := self._running():
                    self._store.leases.extend(run_ids, self.owner)
                self._store_ends()
                find_interrupted(self._store)
            except Exception as error:  # a full disk, a lost network: the next beat may fare better
                _LOG.warning("A heartbeat failed: %s", error, exc_info=not isinstance(error, BadInput))


def find_interrupted(store: Store) -> None:
    """Mark the runs whose process is gone as interrupted; cheap, and safe to call from anywhere at any time."""
    for owner in store.leases.owners():
        if _is_gone(_lock_file(store, owner)):
            store.leases.end(owner)
    store.leases.interrupt_orphans()


def _lock_file(store: Store, owner: str) -> Path:
    return store.folder / RUNNING / f"{owner}.lock"


def _is_gone(file: Path) -> bool:
    """Whether the process that held a lock on this machine is gone; without a lock file its lease decides."""
    if not file.is_file():
        return False
    try:
        with FileLock(file, thread_local=False).acquire(timeout=0):
            file.unlink(missing_ok=True)
            return True
    except Timeout:
        return False
