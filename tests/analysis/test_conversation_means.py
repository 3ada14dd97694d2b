"""Means of conversations from a run's numbers, and the noise floor found without comparing every pair in full."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pandas as pd
import pytest

from core.analysis.compare import difference_by
from core.analysis.compare_runs import compare_runs, load_scored_run, noise_floor
from core.runs.plan import Plan
from core.store.database import now
from core.store.rows import RunRow
from core.store.store import Store
from tests.store.test_score_tables import random_run
from tests.support.records_in_versions import score_frame
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_conversation, a_score


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_of_the_table_with_all_texts(store: Store, seed: int) -> None:
    versions = {**dict.fromkeys(("turn", "keypoints", "custom:<b>"), "v1"), **random_run(store, seed)}
    run = store.runs.get("r")
    assert run
    cases, means, scored = load_scored_run(store, run, versions)
    frame: Any = score_frame(store, "r", versions)
    known = frame[frame["value"].notna()]
    for judge, criterion in means.columns:
        mine = known[(known["judge"] == judge) & (known["criterion"] == criterion)]
        found = means[judge, criterion].dropna().to_dict()
        assert found == pytest.approx(mine.groupby("conversation")["value"].mean().to_dict())
    turns = known[["conversation", "turn"]].drop_duplicates().groupby("conversation").size()
    assert scored[scored > 0].to_dict() == turns.to_dict() and len(cases) == len(store.conversations.of_run("r"))


def seeded(store: Store, seed: int, size: int, dice: random.Random) -> None:
    """A run of `size` scenarios, some of them failed or unscored, that differs from others in its seed alone."""
    name = f"run-{seed}"
    plan = Plan(bot="komachi", seed=seed).model_dump(mode="json")
    row = RunRow(
        id=name, bot="komachi", name="", language="ja", status="running", seed=seed, max_turns=3, total=size,
        created_at=now() + pd.Timedelta(seconds=seed), plan=plan,
    )  # fmt: skip
    store.runs.create(row, {}, [a_conversation(name, number) for number in range(1, size + 1)])
    for number in range(1, size + 1):
        store.conversations.start(f"{name}-{number}")
        score = a_score(round(dice.random(), 2))
        verdict = score if dice.random() < 0.8 else score.model_copy(update={"value": None, "error": "unreadable"})
        store.scores.add(store.conversations.add_turn(f"{name}-{number}", 1, a_turn()), [verdict])
        if dice.random() < 0.8:
            store.conversations.finish(f"{name}-{number}", "done")
        else:
            store.conversations.fail(f"{name}-{number}", "gone")
    store.runs.finish(name, "done")


@pytest.mark.parametrize("seed", range(2))
def test_the_noise_floor_is_the_pair_of_runs_with_the_most_pairs(store: Store, seed: int) -> None:
    dice = random.Random(seed)
    for place in range(1, 5):
        seeded(store, place, dice.randint(16, 26), dice)
    pairs = [
        difference_by(compare_runs(store, a, b).scores, "turn", "overall")
        for b, a in combinations(store.runs.all("komachi"), 2)
    ]
    most = max((one for one in pairs if one.low is not None), key=lambda one: one.pairs, default=None)
    found = noise_floor(store, "komachi", "turn", "overall")
    assert found == most and most is not None
    assert noise_floor(store, "komachi", "turn", "nothing") is None
