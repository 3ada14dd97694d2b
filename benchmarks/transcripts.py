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
from collections.abc import Callable
from pathlib import Path

from benchmarks.process_memory import resident_mb
from benchmarks.results_page import print_times, timed
from core.analysis.conversation_list import list_conversations
from core.analysis.simulator_health import invalid_conversations
from core.store.run_tables import RunTables, run_state
from core.store.store import Store
from tests.support.reference_search import find_by_scan, read_texts

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
    tables = RunTables(store.db, run)
    lines = tables.main_criteria()
    conversation = str(tables.conversations["conversation"].iloc[-1])
    asked: dict[str, Callable[[], object]] = {
        "state of the run": lambda: run_state(store.db, run),
        "conversations": lambda: RunTables(store.db, run).conversations,
        "turns": lambda: tables.__dict__.pop("turns") is tables.turns,
        "judges and criteria": lambda: RunTables(store.db, run).criteria,
        **{f"list by {name}": lambda name=name: listed(store, run, name, *lines[name]) for name in lines},
        "faults of simulated users": lambda: invalid_conversations(store.scores.user_faults(run)),
        "a conversation": lambda: (store.conversations.get(conversation), store.conversations.turns(conversation)),
        "its calls": lambda: store.calls.spending(conversation_id=conversation),
    }
    print_times(asked)


def listed(store: Store, run: str, judge: str, criterion: str, version: str) -> object:
    """The list, with all that it is made of read again."""
    return list_conversations(RunTables(store.db, run), judge, criterion, version)


def searches(store: Store, run: str) -> None:
    """The first search and all sorts of later ones; memory."""
    before = resident_mb()
    first = timed(lambda: store.text_search.find(run, "その他のことば"))
    print(f"first search: {first[0]:.0f} ms, CPU {first[1]:.0f} ms; then:")
    print(f"{'search':28} {'words':26} {'found':>6} {'wall ms':>8} {'cpu ms':>8}")
    for name, words in WORDS.items():
        wall, cpu = timed(lambda words=words: store.text_search.find(run, words))
        print(f"{name:28} {words:26} {len(store.text_search.find(run, words)):6} {wall:8.0f} {cpu:8.0f}")
    after = resident_mb()
    for number in range(200):
        store.text_search.find(run, f"ことば{number}")
    print(f"process {before:.0f} MB before, {after:.0f} after, {resident_mb():.0f} later")


def checked(store: Store, run: str) -> None:
    """Each word's finding against that of a plain slow search."""
    slow = read_texts(store, run)
    for name, words in WORDS.items():
        assert store.text_search.find(run, words) == find_by_scan(slow, words), name
    print(f"{len(WORDS)} searches find what a slow one finds")


if __name__ == "__main__":
    main()
