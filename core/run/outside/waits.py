"""Bots that asked for a longer wait than there is patience for: not asked again by the rest of the same run."""

from __future__ import annotations

import threading
import time

_UNTIL: dict[tuple[str, str], tuple[float, float]] = {}  # (run, server): when to ask again, how long it asked to wait
_LOCK = threading.Lock()


def remember(run_id: str, server: str, asked: float, patience: float) -> None:
    """Let the run leave a server alone for as long as it asked, at most `patience` seconds; without a run nothing is kept."""
    if not run_id:
        return
    now = time.monotonic()
    with _LOCK:
        for old in [key for key, (until, _) in _UNTIL.items() if until < now]:
            del _UNTIL[old]
        _UNTIL[run_id, server] = (now + min(asked, patience), asked)


def asked_to_wait(run_id: str, server: str) -> float:
    """Seconds that the server asked this run to wait, where that is not over; 0 where it may be asked."""
    with _LOCK:
        until, asked = _UNTIL.get((run_id, server), (0.0, 0.0))
    return asked if until > time.monotonic() else 0.0


def forget(run_id: str) -> None:
    """Ask all again: a run begins, or goes on because somebody wants it to."""
    with _LOCK:
        for key in [key for key in _UNTIL if key[0] == run_id]:
            del _UNTIL[key]
