"""The quick search through a run finds what a plain slow one does, and sees what is new."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.store import text_search
from core.store.store import Store
from tests.support.reference_search import ODD, SEARCHES, an_odd_run, find_by_scan, read_texts
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score


def test_half_a_letter_does_not_break_a_search(store: Store) -> None:
    an_odd_run(store)
    assert store.text_search.find("r1", "\ud800") == frozenset()


@pytest.mark.parametrize("chunk", [text_search.CHUNK, 1, 5])
def test_a_search_finds_what_the_plain_reference_search_finds(
    store: Store, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """Read in pieces of any size."""
    monkeypatch.setattr(text_search, "CHUNK", chunk)
    an_odd_run(store)
    an_odd_run(store, "r2", seed=2)
    dice = random.Random(1)
    said = [text[:200] for text in ODD]
    parts = [text[(at := dice.randrange(len(text))) : at + dice.randint(1, 4)] for text in said * 3 if text]
    wanted = [*SEARCHES, *parts, *(f"{dice.choice(parts)} {dice.choice(parts)}" for _ in range(40))]
    for run_id in ("r1", "r2"):
        slow = read_texts(store, run_id)
        found = {one: (store.text_search.find(run_id, one), find_by_scan(slow, one)) for one in wanted}
        assert {one: pair[0] for one, pair in found.items()} == {one: pair[1] for one, pair in found.items()}
        assert sum(bool(pair[0]) for pair in found.values()) > len(wanted) / 2
    assert store.text_search.find("nothing", "期限") == frozenset()


def test_what_is_new_is_found_at_once(store: Store) -> None:
    a_run(store, "r1", ending="running", left=1)
    assert store.text_search.find("r1", "あさって") == frozenset() == store.text_search.find("r1", "締めの言葉")
    store.conversations.start("r1-4")
    turn = store.conversations.add_turn("r1-4", 1, a_turn("あさって"))
    assert store.text_search.find("r1", "あさって") == {"r1-4"}
    store.scores.add(turn, [a_score(0.4).model_copy(update={"reasons": "遅い"})])
    assert store.text_search.find("r1", "遅い あさって") == {"r1-4"}
    store.conversations.finish("r1-4", "done", "締めの言葉")
    assert store.text_search.find("r1", "締めの言葉") == {"r1-4"} and store.text_search.find("r1", "期限") == {
        f"r1-{n}" for n in range(1, 5)
    }
    store.runs.finish("r1", "stopped")
    store.runs.delete("r1")
    assert store.text_search.find("r1", "期限") == frozenset()


def test_reasons_in_place_of_others_are_found_though_value_and_id_stay(store: Store) -> None:
    a_run(store, "r1", ending="running", left=1)
    store.conversations.start("r1-4")
    turn = store.conversations.add_turn("r1-4", 1, a_turn())
    ids = list[int]()
    for reasons in ("早い", "遅い"):
        store.scores.add(turn, [a_score(0.4).model_copy(update={"reasons": reasons})])
        ids.append(store.conversations.turns("r1-4")[0].scores[0].id)
        assert store.text_search.find("r1", reasons) == {"r1-4"}
    assert ids[0] == ids[1] and store.text_search.find("r1", "早い") == frozenset()


def test_many_threads_search_at_once(store: Store) -> None:
    an_odd_run(store)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda word: store.text_search.find("r1", word), SEARCHES * 3))
    slow = read_texts(store, "r1")
    assert found == [find_by_scan(slow, word) for word in SEARCHES] * 3


def test_the_texts_of_an_unchanged_run_are_read_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    an_odd_run(store)
    found = store.text_search.find("r1", "期限")
    monkeypatch.setattr(text_search, "read_texts", None)
    assert found and found == store.text_search.find("r1", "期限 期限")
