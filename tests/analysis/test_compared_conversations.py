"""Conversations and their means, read for comparisons."""

from __future__ import annotations

import pytest

from core.analysis.compare_runs import compare_runs
from core.store.rows import RunRow
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score


def _run(store: Store, name: str) -> RunRow:
    a_run(store, name)
    run = store.runs.get(name)
    assert run
    return run


def test_comparisons_take_the_means_of_the_table_of_scores(store: Store) -> None:
    run = _run(store, "run")
    for row, values in zip(store.conversations.of_run("run"), ([0.2], [None], [0.4], [1.0]), strict=True):
        for number, value in enumerate(values, 2):
            turn = store.conversations.add_turn(row.id, number, a_turn())
            store.scores.add(turn, [a_score(0.0).model_copy(update={"value": value})])
    found = compare_runs(store, run, run).scores
    means = dict(zip(found.pairs["conversation_a"], found.values["turn", "overall", "a"], strict=True))
    whole = store.records.score_frame("run").groupby("conversation")["value"].mean()
    assert means == pytest.approx(whole.to_dict()) and len(means) == 4
    assert list(store.tables.cases("run")["status"]) == ["done"] * 4


def test_criteria_keep_the_order_in_which_a_judge_gives_them(store: Store) -> None:
    run = _run(store, "run")
    names = ["zeal", "overall", "art"]
    for row in store.conversations.of_run("run"):
        turn = store.conversations.add_turn(row.id, 2, a_turn())
        store.scores.add(turn, [a_score(0.5, "own", name) for name in names])
    assert [name for judge, name in compare_runs(store, run, run).scores.criteria if judge == "own"] == names
