"""Telling whether the process that began something still lives."""

from __future__ import annotations

import secrets
from pathlib import Path

from filelock import FileLock, Timeout


class SignOfLife:
    """A lock file that the operating system frees when this process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.owner = secrets.token_hex(8)
        self._lock = self._of(self.owner)
        self._lock.acquire()

    def gone(self, owner: str) -> bool:
        """Whether the holder of another sign of life is no more; clears away what it left."""
        if owner == self.owner:
            return False
        try:
            with self._of(owner).acquire(timeout=0):
                self._file(owner).unlink(missing_ok=True)
                return True
        except Timeout:
            return False

    def close(self) -> None:
        """Give the sign up."""
        self._lock.release(force=True)
        self._file(self.owner).unlink(missing_ok=True)

    def _of(self, owner: str) -> FileLock:
        return FileLock(self._file(owner), thread_local=False)

    def _file(self, owner: str) -> Path:
        return self._folder / f"{owner}.lock"
