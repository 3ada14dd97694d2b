"""The Transcripts page at scale: every query it makes, its search for all sorts of words, and the memory that takes.

    python -m benchmarks.big_run FOLDER --runs 12 [--different]
    python -m benchmarks.transcripts FOLDER [--url URL] [--run big-hinata-1-10000] [--slow]

Queries: median wall and CPU time of five calls, nothing kept. Searches: the first one of a state of the run, then each word
once by a store that holds the texts, every time the same state; beside it how many conversations were found. CPU time is
this process's own (not a PostgreSQL server's). Memory: this process before, with the texts, and after 200 more searches.
`--slow`: each word's finding is held against one that folds every text by itself (minutes).
"""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable
from pathlib import Path

from benchmarks.results_page import CALLS, timed
from core.analysis.simulator_health import invalid_conversations
from core.store.look import Look
from core.store.looks import stamp_of
from core.store.reading import listed
from core.store.store import Store
from tests.searching import read_slowly, sought_slowly

WORDS = {
    "nobody said it, Japanese": "無いことば",
    "nobody said it, Latin": "zzzz",
    "nobody said one of two": "期限 無いことば",
    "everybody said it": "期限",
    "one letter": "の",
    "one Latin letter": "x",
    "full width": "ＧＯＯＧＬＥ",
    "lower case": "vpn",
    "half width": "ﾌﾟﾘﾝﾀｰ",
    "in reasons alone": "ほとんど答えている",
    "several words": "ほとんど 足りない 宿泊費",
    "figures": "2026",
    "a sign": "%",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--run", default="big-hinata-1-10000")
    parser.add_argument("--slow", action="store_true", help="check what is found")
    chosen = parser.parse_args()
    url = chosen.url or f"sqlite:///{chosen.folder / 'kiku.db'}"
    queries(Store(url), chosen.run)
    searches(Store(url), chosen.run)
    if chosen.slow:
        checked(Store(url), chosen.run)


def queries(store: Store, run: str) -> None:
    """What opening the page, a choice on it, and a conversation take, each by itself."""
    look = Look(store.db, run)
    lines = look.headlines()
    talk = str(look.talks["conversation"].iloc[-1])
    asked: dict[str, Callable[[], object]] = {
        "state of the run": lambda: stamp_of(store.db, run),
        "conversations": lambda: Look(store.db, run).talks,
        "turns": lambda: look.__dict__.pop("turns") is look.turns,
        "judges and criteria": lambda: Look(store.db, run).verdicts,
        **{f"scores of {name}": lambda name=name: scored(look, name, lines[name][1]) for name in lines},
        **{f"labels of {name}": lambda name=name: look.labels(name, lines[name][1], lines[name][0]) for name in lines},
        **{f"list by {name}, the rest": lambda name=name: relisted(look, name, *lines[name]) for name in lines},
        "faults of simulated users": lambda: invalid_conversations(store.user_faults(run)),
        "a conversation": lambda: (store.conversation(talk), store.transcript(talk)),
        "its calls": lambda: store.spending(conversation_id=talk),
    }
    print(f"{'query':36} {'wall ms':>8} {'cpu ms':>8}")
    for name, call in asked.items():
        walls, cpus = zip(*(timed(call) for _ in range(CALLS)), strict=True)
        print(f"{name:36} {statistics.median(walls):8.0f} {statistics.median(cpus):8.0f}")


def scored(look: Look, judge: str, version: str) -> object:
    """The scores of a judge, read anew."""
    look._marks.clear()
    return look.scored(judge, version)


def relisted(look: Look, judge: str, criterion: str, version: str) -> object:
    """The list, made anew of scores that are there (labels are read again)."""
    look._lists.clear()
    return listed(look, judge, criterion, version)


def searches(store: Store, run: str) -> None:
    """The first search and all sorts of later ones; memory."""
    look, before = store.look(run), memory()
    first = timed(lambda: store.holding(run, "その他のことば"))
    texts = store._shelf.at(run, look)
    print(f"first search: {first[0]:.0f} ms, CPU {first[1]:.0f} ms; then:")
    print(f"{'search':28} {'words':26} {'found':>6} {'wall ms':>8} {'cpu ms':>8}")
    for name, words in WORDS.items():
        wall, cpu = timed(lambda words=words: store.holding(run, words))
        print(f"{name:28} {words:26} {len(store.holding(run, words)):6} {wall:8.0f} {cpu:8.0f}")
    after = memory()
    for number in range(200):
        store.holding(run, f"ことば{number}")
    print(
        f"texts held: {texts.size / 1e6:.1f} MB; process {before:.0f} MB before, {after:.0f} after, {memory():.0f} later"
    )


def checked(store: Store, run: str) -> None:
    """Each word's finding against that of a plain slow search."""
    slow = read_slowly(store, run)
    for name, words in WORDS.items():
        assert store.holding(run, words) == sought_slowly(slow, words), name
    print(f"{len(WORDS)} searches find what a slow one finds")


def memory() -> float:
    """The resident set of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
