"""Conversations and their means, read for comparisons."""

from __future__ import annotations

import pytest

from core.store.store import Store
from tests.earlier_runs import a_run, a_score
from tests.small import a_turn


def test_means_of_conversations_are_those_of_the_table_of_scores(store: Store) -> None:
    a_run(store, "run")
    for row, values in zip(store.conversations("run"), ([0.2], [None], [0.4], [1.0]), strict=True):
        for number, value in enumerate(values, 2):
            turn = store.add_turn(row.id, number, a_turn())
            store.add_scores(turn, [a_score(0.0).model_copy(update={"value": value})])
    means = store.conversation_means("run", {"turn": "v1"}).set_index("conversation")["value"]
    whole = store.score_frame("run", {"turn": "v1"}).groupby("conversation")["value"].mean()
    assert means.to_dict() == pytest.approx(whole.to_dict()) and len(means) == 4
    assert store.conversation_means("run", {"turn": "v2"}).empty and store.conversation_means("run", {}).empty
    assert list(store.cases("run")["status"]) == ["done"] * 4


def test_criteria_keep_the_order_in_which_a_judge_gives_them(store: Store) -> None:
    a_run(store, "run")
    names = ["zeal", "overall", "art"]
    for row in store.conversations("run"):
        turn = store.add_turn(row.id, 2, a_turn())
        store.add_scores(turn, [a_score(0.5, "own", name) for name in names])
    assert list(store.conversation_means("run", {"own": "v1"})["criterion"].drop_duplicates()) == names
