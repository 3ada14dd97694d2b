"""Background jobs of a server: they go on whether or not a page or a command still waits for them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, Generic, TypeVar

from core.base.call_context import Tally
from core.base.calls import Spending
from core.base.errors import BadInput, ModelError, Stopped

SHUTDOWN_SECONDS = 10.0  # seconds that an ending process waits for running turns and verdicts
_LOG = logging.getLogger(__name__)
T = TypeVar("T")
K = TypeVar("K")
J = TypeVar("J", bound="Job[Any]")


class Job(Generic[T]):
    """Work in a thread of its own, with its progress, a way to stop it, and in the end a result or an error.

    A subclass does its work in `work`, counts `done` of `total`, and checks `stopped` between steps. `result` is None
    until the end; `exception` is what `work` raised, other than Stopped.
    """

    def __init__(self, stopped: threading.Event | None = None) -> None:
        self.done: int = 0
        self.total: int = 0
        self.result: T | None = None
        self.exception: Exception | None = None
        self.stopped = stopped or threading.Event()
        self._running = True
        self._changed = threading.Condition()
        self._restart_clock()

    def work(self) -> T:
        """The work itself, in the job's thread; it may raise anything."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin in a daemon thread, in the caller's context."""
        self._restart_clock()
        thread = threading.Thread(target=copy_context().run, args=(self._run,), name=type(self).__name__, daemon=True)
        thread.start()

    def stop(self) -> None:
        """Ask the job to stop; returns at once."""
        self.stopped.set()

    def count(self, done: int) -> None:
        """Set `done`; raises Stopped if the job was asked to stop."""
        self.done = done
        if self.stopped.is_set():
            raise Stopped("It was stopped.", "stopped")

    def wait(self, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds for the job to end; True if it has ended."""
        return not self._wait_for(lambda: False, timeout)

    def _wait_for(self, condition: Callable[[], bool], timeout: float | None = None) -> bool:
        """Wait until the condition is true or the job has ended; returns whether it still runs. `_notify` checks the
        condition again."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running or condition(), timeout)
            return self._running

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _restart_clock(self) -> None:
        """Count `seconds` from now."""
        self._started = time.monotonic()

    @property
    def running(self) -> bool:
        """Whether the thread is at work, or has not begun."""
        return self._running

    @property
    def pending(self) -> bool:
        """Whether a result is still to be expected: the job runs and was not asked to stop."""
        return self._running and not self.stopped.is_set()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    @property
    def error(self) -> BadInput | None:
        """Why there is no result, as a sentence for users; None while the job runs and if there is a result."""
        match self.exception:
            case None:
                return None
            case BadInput() | ModelError() as known:
                return BadInput(str(known), known.key, **known.details)
            case unknown:
                kind = type(unknown).__name__
                message = f"This did not work ({kind}). Try again; the server log has details."
                return BadInput(message, "job_failed", detail=kind)

    def _run(self) -> None:
        try:
            self.result = self.work()
        except Stopped:
            pass
        except Exception as error:  # shown to the waiting user; the server goes on
            _LOG.log(_level(error), "%s: %s", type(self).__name__, error, exc_info=not hasattr(error, "key"))
            self.exception = error
        finally:
            self._running = False
            self._notify()


class PaidJob(Job[T]):
    """A job whose calls may cost money; `work` counts them in `tally`."""

    def __init__(self) -> None:
        super().__init__()
        self.tally = Tally()

    @property
    def spent(self) -> Spending:
        """The cost so far."""
        return self.tally.spent()


class Jobs(Generic[K, J]):
    """The jobs of one kind on a server, by key; safe to share between threads.

    keep: how many ended jobs to keep (None: all). Callers hold `lock` while they look for a running job and start one.
    """

    def __init__(self, keep: int | None = None) -> None:
        self.lock = threading.RLock()
        self._keep = keep
        self._jobs: dict[K, J] = {}

    def get(self, key: K) -> J | None:
        """The job under a key, running or ended."""
        return self._jobs.get(key)

    def running(self, key: K) -> J | None:
        """The job under a key if it is running."""
        job = self._jobs.get(key)
        return job if job and job.running else None

    def running_keys(self) -> list[K]:
        """The keys of all running jobs."""
        with self.lock:
            return [key for key, job in self._jobs.items() if job.running]

    def start(self, key: K, job: J) -> J:
        """Start a job and return it; while another one under its key is pending, that one is returned instead."""
        with self.lock:
            if (last := self._jobs.pop(key, None)) and last.pending:
                self._jobs[key] = last
                return last
            if self._keep is not None:
                over = [old for old, job in self._jobs.items() if not job.running]
                for old in over[: max(0, len(over) - self._keep)]:
                    del self._jobs[old]
            self._jobs[key] = job
            job.start()
        return job

    def close(self, patience: float = 0.0) -> None:
        """Stop all jobs, and wait up to `patience` seconds (together) for them to end."""
        until = time.monotonic() + patience
        with self.lock:
            jobs = [job for job in self._jobs.values() if job.running]
        for job in jobs:
            job.stop()
        for job in jobs:
            job.wait(max(0.0, until - time.monotonic()))


def _level(error: Exception) -> int:
    """INFO for errors that are shown to the user, who can correct them; WARNING for others."""
    return logging.INFO if hasattr(error, "key") else logging.WARNING
