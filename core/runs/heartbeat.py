"""Telling whether the process that began something still lives: by a lock on this machine, by leases anywhere."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from core.base.errors import BadInput
from core.store.store import Store

RUNNING = "running"  # folder of the signs of life
BEAT = 10.0  # seconds between two heartbeats; see core.store.leases.LEASE
_LOG = logging.getLogger(__name__)


class SignOfLife:
    """A lock file that the operating system frees when this process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.owner = secrets.token_hex(8)
        self._file = folder / f"{self.owner}.lock"
        self._lock = FileLock(self._file, thread_local=False)
        self._lock.acquire()

    def close(self) -> None:
        """Give the sign up."""
        self._lock.release(force=True)
        self._file.unlink(missing_ok=True)


class Heartbeat:
    """A sign of life, and a thread that extends the leases on the runs under way here and looks for orphaned ones."""

    def __init__(self, store: Store, running: Callable[[], Sequence[str]]) -> None:
        self._store, self._running = store, running
        self._sign = SignOfLife(store.folder / RUNNING)
        self._over = threading.Event()
        self.owner = self._sign.owner
        threading.Thread(target=self._beat, name=f"heartbeat-{self.owner}", daemon=True).start()

    def close(self) -> None:
        """The end."""
        self._over.set()
        self._sign.close()

    def _beat(self) -> None:
        while not self._over.wait(BEAT):
            try:
                if mine := self._running():
                    self._store.leases.extend(mine, self.owner)
                find_interrupted(self._store)
            except Exception as error:  # a full disk, a lost network: the next beat may fare better
                _LOG.warning("A heartbeat failed: %s", error, exc_info=not isinstance(error, BadInput))


def find_interrupted(store: Store) -> None:
    """Mark the runs whose process is no more as interrupted; cheap, and safe to call from anywhere at any time."""
    for owner in store.leases.owners():
        if _gone(store.folder / RUNNING / f"{owner}.lock"):
            store.leases.end(owner)
    store.leases.interrupt_orphans()


def _gone(sign: Path) -> bool:
    """Whether the holder of a sign of life on this machine is no more; where there is no sign, its lease decides."""
    if not sign.is_file():
        return False
    try:
        with FileLock(sign, thread_local=False).acquire(timeout=0):
            sign.unlink(missing_ok=True)
            return True
    except Timeout:
        return False
