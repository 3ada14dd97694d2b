"""Whether work takes time in proportion to its input."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 3.2  # times as long for twice the input; work that takes the square takes 4 times, and a slow cache up to 2.8
SHORT = 0.02  # seconds of CPU up to which nothing is told from the noise, and nothing matters
TRIES = 4


def seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """The least CPU time of this thread for the work, of so many rounds."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def growth(once: Callable[[], object], twice: Callable[[], object]) -> float:
    """How many times as long the work on twice the input takes; 0 if both are too short to tell.

    A busy machine makes single measurements wrong: each is the least of several, and a bad ratio is measured again.
    """
    found = 0.0
    for rounds in range(2, 2 + TRIES):
        long = seconds(twice, rounds)
        if long < SHORT:
            return 0.0
        found = long / max(seconds(once, rounds), 1e-6)
        if found <= MOST:
            break
    return found
