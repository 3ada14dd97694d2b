"""How a command ends: its exit codes, and SIGTERM treated like Ctrl-C so that finished work is stored first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

BELOW_PASS_MARK = 1  # or worse than the run it is compared with
BAD_INPUT = 2
UNFORESEEN = 70  # EX_SOFTWARE of sysexits.h: an error that Kiku did not foresee; its traceback is in the log
INCONCLUSIVE = 3  # nothing went wrong, but too much is missing to say "fine"


class Terminated(KeyboardInterrupt):
    """Raised when the process receives SIGTERM."""


@contextmanager
def sigterm_as_interrupt() -> Generator[None]:
    """Raise Terminated on SIGTERM; does nothing in a thread other than the main one, which cannot handle signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupted_code(interrupt: KeyboardInterrupt) -> int:
    """What a shell expects: 128 and the signal's number (130 or 143)."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


def _terminate(number: int, frame: object) -> NoReturn:
    raise Terminated
