"""The quick table of a run's numbers says what the slow one with all texts says, and never an old truth."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd
import pytest
from sqlalchemy import insert

from core.analysis.run_means import summarise
from core.base.types import Score
from core.store.rows import RunRow
from core.store.run_tables import RUNS_CACHED
from core.store.schema import SCORES
from core.store.score_tables import VALUE_COLUMNS, score_values
from core.store.store import Store
from tests.support.records_in_versions import score_frame
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_conversation, a_run, a_score

JUDGES = {"turn": ("relevance", "overall"), "keypoints": ("completeness", "hallucination"), "custom:<b>": ("own",)}
SORTED = ["number", "turn", "place", "criterion"]


def random_run(store: Store, seed: int, status: str = "done") -> dict[str, str]:
    """A run of random length, judges, versions and gaps; gives a version per judge that it may be asked for."""
    dice = random.Random(seed)
    run = RunRow(
        id="r", bot="komachi", name="", language="ja", status="running", seed=1, max_turns=3, total=8,
        created_at=pd.Timestamp("2026-01-01", tz="UTC"), plan={"judges": dice.sample(sorted(JUDGES), dice.randint(0, 3))},
    )  # fmt: skip
    numbers = range(1, dice.randint(1, 8) + 1)
    store.runs.create(run, {}, [a_conversation("r", number) for number in numbers])
    turns = [
        store.conversations.add_turn(f"r-{number}", turn, a_turn())
        for number in numbers
        for turn in range(1, dice.randint(1, 4) + 1)
    ]
    dice.shuffle(turns)
    made = [(judge, version) for judge in JUDGES for version in ("v1", "v2", "v3")[: dice.randint(0, 3)]]
    dice.shuffle(made)
    for judge, version in made:
        for turn in turns:
            if dice.random() < 0.7:
                store.scores.add(turn, [verdict(judge, name, version, dice) for name in JUDGES[judge]])
    if status != "running":
        store.runs.finish("r", status)
    return {judge: version for judge, version in made if dice.random() < 0.5}


def verdict(judge: str, criterion: str, version: str, dice: random.Random) -> Score:
    if dice.random() < 0.2:
        return Score(judge=judge, criterion=criterion, value=None, error="unreadable", version=version)
    return a_score(round(dice.random(), 2), judge, criterion, version)


def same(from_columns: pd.DataFrame, slow: pd.DataFrame) -> None:
    """Equal rows in equal order of turns and judges; criteria of one judge on one turn may stand in another order."""
    assert tuple(from_columns.columns) == VALUE_COLUMNS
    left, right = (bare(table) for table in (from_columns, slow[list(VALUE_COLUMNS)]))
    pd.testing.assert_frame_equal(left, right, check_dtype=False)


def bare(table: pd.DataFrame) -> pd.DataFrame:
    """Plain words in place of categories, each judge on each turn as one block."""
    plain = table.astype({name: object for name in table.columns if table[name].dtype in ("category", "str")})
    block = (plain[["conversation", "turn", "judge"]] != plain[["conversation", "turn", "judge"]].shift()).any(axis=1)
    plain["place"] = block.cumsum()
    return plain.sort_values(["place", "criterion"], kind="stable").reset_index(drop=True)


def flat(frame: pd.DataFrame, rows: list[Any], judge: str) -> dict[str, float]:
    """A summary without its nesting."""
    found = summarise(frame, rows, judge)
    means = {name: float("nan") if mean is None else mean.mean for name, mean in found.criteria.items()}
    counts = {f"n of {name}": mean.n if mean else 0 for name, mean in found.criteria.items()}
    return {**means, **counts, "turns": found.turns, "unscored": found.unscored, "n": found.scored_conversations}


@pytest.mark.parametrize(
    ("seed", "status"), [(0, "done"), (3, "running"), (5, "stopped"), (8, "done"), (10, "running")]
)
def test_the_table_of_scores_equals_the_one_from_all_texts(store: Store, seed: int, status: str) -> None:
    versions = random_run(store, seed, status)
    for wanted in (None, versions, {"turn": "nowhere"}):
        from_columns, slow = score_values(store.tables.of_run("r"), wanted), score_frame(store, "r", wanted)
        same(from_columns, slow)
        rows = store.conversations.of_run("r")
        for judge in slow["judge"].unique():
            assert flat(from_columns, rows, judge) == pytest.approx(flat(slow, rows, judge), nan_ok=True)
            same(score_values(store.tables.of_run("r"), wanted, [judge]), slow[slow["judge"] == judge])
    counted = store.tables.of_run("r").versions
    assert [one.turns for one in counted] == sorted(one.turns for one in counted)
    assert {one.judge: one.version for one in counted} == store.tables.of_run("r").chosen_versions()


def test_several_verdicts_of_one_judge_on_one_turn_are_one_mean(store: Store) -> None:
    a_run(store, "r1")
    turn = store.conversations.turns("r1-1")[0].id
    row: dict[str, Any] = {"turn_id": turn, **a_score(0.2).model_dump(), "repeat": 2}
    with store.db.write() as connection:
        connection.execute(insert(SCORES), [row, {**row, "value": None, "error": "unreadable", "repeat": 3}])
    frame = score_values(store.tables.of_run("r1"))
    assert frame["value"].tolist() == pytest.approx([0.5, 0.8, 0.8, 0.8])


def test_whatever_changes_in_a_run_is_seen_at_once(store: Store) -> None:
    a_run(store, "r1", ending="running", left=1)
    first = store.tables.of_run("r1")
    assert store.tables.of_run("r1") is first and len(score_values(first)) == 3
    store.conversations.start("r1-4")
    assert store.tables.of_run("r1").conversations["status"].tolist() == ["done", "done", "done", "running"]
    turn = store.conversations.add_turn("r1-4", 1, a_turn())
    assert len(store.tables.of_run("r1").turns) == 4
    store.scores.add(turn, [a_score(0.4)])
    assert score_values(store.tables.of_run("r1"))["value"].tolist() == [0.8, 0.8, 0.8, 0.4]
    store.scores.add(turn, [a_score(0.6)])  # takes the place, and in SQLite the very id, of the one before
    assert score_values(store.tables.of_run("r1"))["value"].tolist() == [0.8, 0.8, 0.8, 0.6]


def test_only_so_many_runs_are_cached(store: Store) -> None:
    for number in range(RUNS_CACHED + 1):
        a_run(store, f"r{number}")
    looks = [store.tables.of_run(f"r{number}") for number in range(RUNS_CACHED + 1)]
    assert store.tables.of_run(f"r{RUNS_CACHED}") is looks[-1] and store.tables.of_run("r0") is not looks[0]


def test_an_empty_run_and_an_unknown_one_have_the_columns(store: Store) -> None:
    a_run(store, "r1", left=4, ending="stopped")
    for name in ("r1", "nowhere"):
        assert (
            tuple(score_values(store.tables.of_run(name)).columns) == VALUE_COLUMNS
            and score_values(store.tables.of_run(name)).empty
        )
    assert len(store.tables.of_run("r1").conversations) == 4
