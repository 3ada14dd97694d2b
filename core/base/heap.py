"""Python's search for garbage, kept from stopping every thread while many objects are made or a run goes on."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

NURSERY = 10_000  # new objects between two looks at them (Python's own: 700)
_LOCK = threading.Lock()
_builders = 0
_was_on = True
_usual: list[tuple[int, int, int]] = []  # the thresholds to go back to, one for each run under way


@contextmanager
def building() -> Generator[None]:
    """Python's search for cycles rests until the last thread that is building is done; for seconds, not for longer."""
    global _builders, _was_on
    with _LOCK:
        if not _builders:
            _was_on = gc.isenabled()
            gc.disable()
        _builders += 1
    try:
        yield
    finally:
        with _LOCK:
            _builders -= 1
            if not _builders and _was_on:
                gc.enable()


@contextmanager
def running() -> Generator[None]:
    """Leave all that this process holds already out of garbage collection while the work inside goes on.

    A full look through the quarter of a million objects of the program and its libraries stops every thread for a
    quarter of a second, and a run of 200 conversations had four. What the work itself makes is collected as ever; what
    was there before and has become garbage meanwhile is collected once the last run is over.
    """
    with _LOCK:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        if len(_usual) == 1:
            gc.freeze()
            gc.set_threshold(NURSERY, *_usual[0][1:])
    try:
        yield
    finally:
        with _LOCK:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)
                gc.unfreeze()
