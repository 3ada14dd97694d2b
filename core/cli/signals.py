"""How a command ends before its time: SIGTERM does as Ctrl-C, and what is under way is stored first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

UNTOLD = 3  # exit status: nothing went wrong, but too much is missing to say "fine"


class Terminated(KeyboardInterrupt):
    """SIGTERM came."""


@contextmanager
def sigterm_like_ctrl_c() -> Generator[None]:
    """Raise Terminated where SIGTERM comes; a thread other than the main one cannot, and leaves it as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(end: KeyboardInterrupt) -> int:
    """What a shell expects: 128 and the signal's number (130 or 143)."""
    return 128 + (signal.SIGTERM if isinstance(end, Terminated) else signal.SIGINT)


def _terminated(number: int, frame: object) -> NoReturn:
    raise Terminated
