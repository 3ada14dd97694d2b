"""The better of two replies: one choice per reviewer and pair, as labels, and against a judge's order."""

from __future__ import annotations

import pytest

from core.analysis.preferences import preference_agreement, preference_counts, preference_labels, thumb_labels
from core.base.types import Score
from core.store.labels import TurnLabel, chats_of
from core.store.preferences import Choice, Preference
from core.store.store import Store
from tests.support.small_bot import a_turn


def a_pair(store: Store, *values: float | None, bots: tuple[str, str] = ("komachi", "komachi")) -> tuple[int, int]:
    """Two chats with one turn each, scored by the turn judge if a value is given."""
    turns: list[int] = []
    for bot, value in zip(bots, values, strict=True):
        turn = store.chats.begin_turn(store.chats.create(bot), "期限は？")
        store.chats.finish_turn(turn, a_turn())
        if value is not None:
            one = Score(judge="turn", criterion="overall", value=value, label="", reasons="", version="v")
            store.scores.add(turn, [one])
        turns.append(turn)
    return turns[0], turns[1]


def choose(store: Store, pair: tuple[int, int], choice: Choice, reviewer: str = "Aya") -> None:
    store.preferences.save(Preference(*pair, reviewer, choice))


def test_a_choice_replaces_the_reviewers_earlier_one_and_is_taken_back(store: Store) -> None:
    pair = a_pair(store, 0.9, 0.1)
    choose(store, pair, "left")
    choose(store, pair, "right")
    choose(store, pair, "left", "Ben")
    assert store.preferences.of_reviewer([pair[0]], "Aya") == {pair: "right"}
    assert [one.preference.choice for one in store.preferences.of_bot("komachi")] == ["right", "left"]
    store.preferences.remove(*pair, "Aya")
    assert store.preferences.of_reviewer([pair[0]], "Aya") == {} and len(store.preferences.of_bot("komachi")) == 1


def test_the_judges_order_is_held_against_the_choice_and_ties_count_one_half(store: Store) -> None:
    for values, choice in (((0.9, 0.2), "left"), ((0.9, 0.2), "right"), ((0.5, 0.5), "left"), ((0.1, 0.7), "right")):
        choose(store, a_pair(store, *values), choice)  # type: ignore[arg-type]
    choose(store, a_pair(store, 0.9, 0.9), "both_good")
    unscored = a_pair(store, 0.9, None)
    choose(store, unscored, "left")
    chosen = store.preferences.of_bot("komachi")
    found = preference_agreement(store, chosen)["turn"]
    assert (found.n, found.same, found.opposite, found.ties) == (4, 2, 1, 1)
    assert found.share.value == pytest.approx(2.5 / 4) and found.share.low is None
    counts = preference_counts(store, chosen)
    assert (counts.all, counts.alike) == (6, 1) and [turn for *_, turn in counts.unscored] == [unscored[1]]


def test_many_choices_have_an_interval_over_conversations(store: Store) -> None:
    for number in range(24):
        choose(store, a_pair(store, 0.9, 0.2), "right" if number % 6 == 0 else "left")
    share = preference_agreement(store, store.preferences.of_bot("komachi"))["turn"].share
    assert share.value == pytest.approx(20 / 24) and share.low is not None and 0.6 < share.low < 0.75


def test_both_good_and_both_bad_become_labels_that_are_marked_and_replace_no_label_given_by_hand(store: Store) -> None:
    good, bad, better = (a_pair(store, None, None) for _ in range(3))
    other = a_pair(store, None, None, bots=("komachi", "elsewhere"))
    for pair, choice in ((good, "both_good"), (bad, "both_bad"), (better, "left"), (other, "both_good")):
        choose(store, pair, choice)  # type: ignore[arg-type]
    store.labels.save(TurnLabel(turn_id=good[0], reviewer="Aya", verdict="no"))
    found = {one.turn_id: one for one in preference_labels(store, "komachi")}
    assert {turn: one.verdict for turn, one in found.items()} == {
        good[1]: "yes", bad[0]: "no", bad[1]: "no", other[0]: "yes"
    }  # fmt: skip
    assert {one.source for one in found.values()} == {"better_of_two"}
    store.labels.save(*found.values())
    assert len(preference_labels(store, "komachi")) == 4  # pressed again, they are the same labels
    store.chats.add_feedback(better[0], "up")
    assert [(one.turn_id, one.verdict) for one in thumb_labels(store, "komachi", "Chat")] == [(better[0], "yes")]
    assert chats_of("komachi") in store.labels.pools("komachi")
