"""Labels: one per reviewer and turn, every change undoable, the order of labelling drawn once."""

from __future__ import annotations

from threading import Thread

import pytest

from core.agreement.sampling import Drawn
from core.analysis.label_pools import label_queue, turns_of_pool
from core.base.errors import BadInput
from core.store.labels import TurnLabel, chats_of, reviewer_name
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run


def turn_ids(store: Store, run: str = "r1", total: int = 4) -> list[int]:
    a_run(store, run, total=total)
    return list(store.labels.conversations(run))


def test_a_label_replaces_the_reviewers_earlier_one_and_nobody_elses(store: Store) -> None:
    first, *_ = turn_ids(store)
    store.labels.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="yes", grades={"relevance": 4}))
    store.labels.save(TurnLabel(turn_id=first, reviewer="Ben", verdict="no", comment="\0 古い"))
    store.labels.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="no", corrected="10日"))
    found = {one.reviewer: one for one in store.labels.of_turn(first)}
    assert set(found) == {"Aya", "Ben"} and found["Ben"].comment == "\0 古い"
    assert (found["Aya"].verdict, found["Aya"].corrected, found["Aya"].grades) == ("no", "10日", {})
    assert store.labels.labelled("r1", "Aya") == {first} and store.labels.reviewers("komachi") == ["Aya", "Ben"]
    assert store.labels.pools("komachi") == {"r1": 2}


def test_changes_are_undone_one_by_one_and_what_was_seen_is_not_blind_any_more(store: Store) -> None:
    first, second, *_ = turn_ids(store)
    store.labels.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="open", grades={"relevance": 2}))
    store.labels.save(TurnLabel(turn_id=first, reviewer="Aya", verdict="yes", grades={"relevance": 2}))
    store.labels.save(TurnLabel(turn_id=second, reviewer="Aya", verdict=""))
    store.labels.save(TurnLabel(turn_id=second, reviewer="Ben", verdict="yes"))
    assert store.labels.labelled("r1", "Aya") == {first, second}
    assert store.labels.undo("Aya", "r1") == second and store.labels.labelled("r1", "Aya") == {first}
    assert not store.labels.get(second, "Aya").blind and store.labels.get(second, "Ben").verdict == "yes"
    assert store.labels.undo("Aya", "r1") == first
    reread = store.labels.get(first, "Aya")
    assert (reread.verdict, reread.grades, reread.blind) == ("open", {"relevance": 2}, False)
    assert store.labels.undo("Aya", "r1") == first and store.labels.undo("Aya", "r1") is None
    assert store.labels.undo("Aya", "r2") is None


def test_two_reviewers_and_two_tabs_at_once_lose_nothing(store: Store) -> None:
    ids = turn_ids(store, total=6)

    def label(reviewer: str, verdict: str) -> None:
        for turn in ids:
            store.labels.save(TurnLabel(turn_id=turn, reviewer=reviewer, verdict=verdict))  # type: ignore[arg-type]

    threads = [Thread(target=label, args=one) for one in (("Aya", "yes"), ("Ben", "no"), ("Aya", "yes"))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    found = store.labels.of_pool("r1")
    assert sorted((one.turn_id, one.reviewer, one.verdict) for one in found) == sorted(
        (turn, *said) for turn in ids for said in (("Aya", "yes"), ("Ben", "no"))
    )
    assert [store.labels.undo("Aya", "r1") for _ in range(13)].count(None) == 1  # twelve changes


def test_the_order_of_labelling_is_drawn_once_and_is_the_same_for_everybody(store: Store) -> None:
    ids = turn_ids(store, total=8)
    order = label_queue(store, turns_of_pool(store, "r1"))
    assert sorted(one.turn_id for one in order) == ids and order == sorted(order, key=lambda one: one.place)
    assert all(0 < one.draw <= 1 and 0.3 <= one.weight <= 1 for one in order)
    store.labels.add_to_queue("r1", [Drawn(ids[0], 9.0, 0.5)])
    assert label_queue(store, turns_of_pool(store, "r1")) == order


def test_chats_can_be_labelled_too(store: Store) -> None:
    chat = store.chats.create("komachi")
    turn = store.chats.begin_turn(chat, "期限は？")
    assert store.labels.conversations(chats_of("komachi")) == {}  # no reply yet
    store.chats.finish_turn(turn, a_turn())
    turns = turns_of_pool(store, chats_of("komachi"))
    assert turns.ids == (turn,) and turns.values == {} and len(label_queue(store, turns)) == 1
    store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes"))
    assert store.labels.pools("komachi") == {chats_of("komachi"): 1}


def test_a_reviewer_has_a_name_that_is_not_too_long() -> None:
    assert reviewer_name("  Aya  Sato ") == "Aya Sato"
    for wrong in (" ", "x" * 61):
        with pytest.raises(BadInput):
            reviewer_name(wrong)
