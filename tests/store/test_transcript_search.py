"""The quick search through a run finds what a plain slow one does, sees what is new, and holds only so much."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.store import text_search
from core.store.store import Store
from tests.support.reference_search import ODD, SEARCHES, an_odd_run, find_by_scan, folded, read_texts
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score


def test_half_a_letter_does_not_break_a_search(store: Store) -> None:
    an_odd_run(store)
    assert store.text_search.find("r1", "\ud800") == frozenset()


@pytest.mark.parametrize("room", [text_search.ROOM, 4_000])
@pytest.mark.parametrize("chunk", [text_search.CHUNK, 1, 5])
def test_a_search_finds_what_the_plain_reference_search_finds(
    store: Store, monkeypatch: pytest.MonkeyPatch, room: int, chunk: int
) -> None:
    """Also if a run has more texts than are held (room), read in pieces of any size."""
    monkeypatch.setattr(text_search, "ROOM", room)
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


def test_only_so_much_stays_in_memory(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "CHUNK", 3)
    runs = [f"r{number}" for number in range(text_search.RUNS_CACHED + 2)]
    for run_id in runs:
        an_odd_run(store, run_id)
    search = store.text_search
    whole = search.texts_of("r0")
    assert whole.size == 0 and whole.find(["期限"]) and (size := whole.size) > 1_000
    for word in SEARCHES:
        whole.find(folded(word).split() or ["期限"])
    assert whole.size == size and search.texts_of("r0") is whole
    for run_id in runs:
        search.texts_of(run_id)
    assert search.texts_of("r0") is not whole
    monkeypatch.setattr(text_search, "ROOM", 1_000)
    narrow = text_search.RunTexts(store.db, "r0")
    assert narrow.find(["期限"]) == whole.find(["期限"]) and 0 < narrow.size <= 1_000
    assert narrow.find(["ガス"]) == whole.find(["ガス"]) and narrow.size <= 1_000
