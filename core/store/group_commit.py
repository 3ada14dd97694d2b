"""Group commit: what several threads want to write at the same moment goes into one transaction.

SQLite has one writer, and a commit takes about as long for fifty rows as for one. Each thread waits until its own work is
committed, so nothing that counts as stored is lost if the process dies.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")


class _Write:
    """One thread's work; `woken` once it is done, or once this thread has to write for all who wait."""

    def __init__(self, work: Callable[[Connection], Any]) -> None:
        self.work, self.result, self.woken = work, Future[Any](), threading.Event()


class GroupCommit:
    """Does the work of several threads in shared transactions, each opened by `begin`."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._begin = begin
        self._waiting, self._is_busy, self._lock = list[_Write](), False, threading.Lock()

    def run(self, work: Callable[[Connection], T]) -> T:
        """The result of `work` once it is committed, or what it raised; done twice if the work of another thread fails."""
        mine = _Write(work)
        with self._lock:
            self._waiting.append(mine)
            if not self._is_busy:
                self._is_busy = True
                mine.woken.set()
        try:
            mine.woken.wait()
            if not mine.result.done():
                self._write_waiting()
        except BaseException:  # an interrupt: no other thread may wait for this one to write
            with self._lock:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                    if mine.woken.is_set():
                        self._wake_next()
            raise
        return mine.result.result()

    def _write_waiting(self) -> None:
        with self._lock:
            group, self._waiting = self._waiting, []
        try:
            self._write(group)
        finally:
            with self._lock:
                self._wake_next()
            for write in group:
                write.woken.set()

    def _wake_next(self) -> None:
        self._is_busy = bool(self._waiting)
        if self._waiting:
            self._waiting[0].woken.set()

    def _write(self, group: Sequence[_Write]) -> None:
        """Do the work of all in one transaction; each in one of its own if that fails."""
        try:
            with self._begin() as connection:
                results = [write.work(connection) for write in group]
        except Exception as error:
            if len(group) == 1:
                group[0].result.set_exception(error)
            for write in group if len(group) > 1 else ():
                self._write([write])
        except BaseException as error:
            for write in group:
                write.result.set_exception(error)
            raise
        else:
            for write, result in zip(group, results, strict=True):
                write.result.set_result(result)
