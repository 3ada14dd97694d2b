"""What a server holds before the first visit, and what one query's vector takes.

    python -m benchmarks.server_memory

On the bots of `knowledge/` and the settings' data folder: run it twice, so that the indexes are built. MB are this
process's (RSS); the seconds are of forty queries, first with one thread of PyTorch, then with all.
"""

from __future__ import annotations

import sys
import time

from benchmarks.command_line import argument_parser
from benchmarks.process_memory import resident_mb
from core.retrieval import embedders
from pages.components.services import Services

QUERIES = 40


def main() -> None:
    """Print both."""
    argument_parser(__doc__).parse_args()
    begun = resident_mb()
    services = Services()
    services.page_is_drawn()  # the indexes wait for that
    while not services.ready:
        time.sleep(0.1)
    states = ", ".join(f"{bot} {loading.state}" for bot, loading in services.loading.items())
    print(
        f"started with {begun:.0f} MB; with {states}: {resident_mb():.0f} MB (torch loaded: {'torch' in sys.modules})"
    )
    embedder = embedders.sentence_embedder()
    embedder.load()
    embedder.encode(["the first one takes longer"])
    print(f"with the embedder: {resident_mb():.0f} MB")
    for name, few in (("one thread", QUERIES), ("all threads", -1)):
        embedders.MAX_ONE_THREAD_TEXTS = few
        print(f"one query's vector, {name}: {_seconds(embedder)}")


def _seconds(embedder: embedders.Embedder) -> str:
    times: list[float] = []
    for number in range(QUERIES):
        start = time.perf_counter()
        embedder.encode([f"How do I restore board {number}?"])
        times.append(time.perf_counter() - start)
    times.sort()
    return f"median {times[QUERIES // 2]:.3f} s, slowest {times[-1]:.3f} s"


if __name__ == "__main__":
    main()
