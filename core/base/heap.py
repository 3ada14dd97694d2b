"""Building many lasting objects at once without being looked through for garbage again and again meanwhile."""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

_LOCK = threading.Lock()
_users: set[object] = set()
_was_on = True


@contextmanager
def building() -> Generator[None]:
    """Python's search for cycles rests until the last thread that is building is done; for seconds, not for longer."""
    global _was_on
    mark = object()
    with _LOCK:
        if not _users:
            _was_on = gc.isenabled()
            gc.disable()
        _users.add(mark)
    try:
        yield
    finally:
        with _LOCK:
            _users.discard(mark)
            if not _users and _was_on:
                gc.enable()
