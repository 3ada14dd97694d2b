"""Several verdicts of a judge on one turn: kept apart, counted as one value, and how far they differ."""

from __future__ import annotations

import random
import statistics
from pathlib import Path

import pandas as pd
import pytest

from core.analysis.run_means import mean_score, summarise
from core.analysis.self_agreement import self_agreement
from core.base.call_context import current_context
from core.base.types import Bot, Score
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging import jobs as judging_jobs
from core.runs.judging.jobs import JudgingJobs, JudgingRequest
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.scores import SCORE_KEY, mean_of_repeats
from core.store.store import Store
from tests.support.stored_runs import a_run, a_score


def first_turn(store: Store, run: str, number: int = 1) -> int:
    return store.conversations.turns(f"{run}-{number}")[0].id


def test_repeated_verdicts_count_as_one_value_their_mean(store: Store) -> None:
    a_run(store, "r")
    turn = first_turn(store, "r")
    store.scores.add(turn, [a_score(0.2)], repeat=2)
    store.scores.add(turn, [a_score(0.8)], repeat=3)
    frame = store.records.score_frame("r")
    assert len(frame) == 4 and frame["value"].iloc[0] == pytest.approx(0.6)
    mean = mean_score(frame, "overall", "turn")
    assert mean and (mean.n, mean.mean) == (4, pytest.approx((0.6 + 3 * 0.8) / 4))
    assert store.scores.mean_scores_by_run("turn", "overall", "komachi")["r"] == pytest.approx(
        summarise(frame, store.conversations.of_run("r")).score
    )


def test_an_unscored_repeat_leaves_the_mean_of_the_others_alone(store: Store) -> None:
    a_run(store, "r")
    nothing = Score(judge="turn", criterion="overall", value=None, error="倒れました", version="v1")
    store.scores.add(first_turn(store, "r"), [nothing], repeat=2)
    assert list(store.records.score_frame("r")["value"]) == [0.8] * 4
    found = self_agreement(store.scores.repeated("r"), "turn", "v1")
    assert found is None  # one verdict with a value tells nothing of the others


def test_a_repeat_takes_the_place_of_the_same_repeat_only(store: Store) -> None:
    a_run(store, "r")
    turn = first_turn(store, "r")
    store.scores.add(turn, [a_score(0.4)], repeat=2)
    store.scores.add(turn, [a_score(0.6)], repeat=2)
    (row,) = store.conversations.turns("r-1")
    assert [(one.repeat, one.value) for one in row.scores] == [(1, 0.8)]
    assert [(one.repeat, one.value) for one in row.repeats] == [(2, 0.6)]


def test_label_and_reasons_are_those_of_the_verdict_nearest_to_the_mean(store: Store) -> None:
    a_run(store, "r")
    turn = first_turn(store, "r")
    for repeat, (value, label) in enumerate([(1.0, "ok"), (0.0, "invalid:empty"), (0.0, "invalid:other")], 1):
        one = a_score(value, "simulated_user", "simulated_user").model_copy(update={"label": label})
        store.scores.add(turn, [one], repeat=repeat)
    frame = store.records.score_frame("r")
    mine = frame[(frame["judge"] == "simulated_user") & (frame["version"] == "v1")]
    assert list(mine["label"]) == ["invalid:empty"] and mine["value"].iloc[0] == pytest.approx(1 / 3)


def test_mean_of_repeats_is_the_mean_of_each_group_in_the_order_of_the_first() -> None:
    draw = random.Random(1)
    rows = [
        (f"c{draw.randrange(9)}", draw.randrange(1, 4), "turn", "v", draw.choice("ab"), draw.choice([0.2, 0.6, None]))
        for _ in range(200)
    ]
    table = pd.DataFrame(rows, columns=[*SCORE_KEY, "value"])
    wanted: dict[tuple[object, ...], list[float]] = {}
    for *key, value in rows:
        wanted.setdefault(tuple(key), []).extend([] if value is None else [value])
    found = mean_of_repeats(table)
    assert [tuple(row) for row in found[SCORE_KEY].to_numpy()] == list(wanted)
    for value, values in zip(found["value"], wanted.values(), strict=True):
        assert (value != value) if not values else value == pytest.approx(statistics.mean(values))


def test_self_agreement_and_deviation_come_from_turns_judged_twice(store: Store) -> None:
    a_run(store, "r")
    store.scores.add(first_turn(store, "r", 1), [a_score(0.6)], repeat=2)
    store.scores.add(first_turn(store, "r", 2), [a_score(0.8)], repeat=2)
    found = self_agreement(store.scores.repeated("r"), "turn", "v1")
    assert found is not None and (found.turns, found.verdicts, found.agreement) == (2, 2, 0.5)
    assert found.deviation == pytest.approx((statistics.variance([0.8, 0.6]) / 2) ** 0.5)
    assert self_agreement(store.scores.repeated("r"), "turn", "another") is None


class Noting:
    """The embedded engine, which notes for which repeat it was asked."""

    name = "noting"

    def __init__(self) -> None:
        self.repeats: list[int] = []
        self._engine = EmbeddedEngine()

    def ask(self, prompt):
        self.repeats.append(current_context().repeat)
        return self._engine.ask(prompt)

    def stream(self, prompt):
        yield from self._engine.stream(prompt)


def test_judging_again_gives_each_turn_so_many_verdicts_and_asks_the_call_log_for_none(
    store: Store, bot: Bot, tmp_path: Path
) -> None:
    runner = Runner(store, Indexes(tmp_path / "chroma"), EmbeddedEngine())
    run = runner.start(Plan(bot=bot.id, seed=1, judges=()))
    assert runner.wait(run, 120)
    runner.close()
    engine = Noting()
    judgings = JudgingJobs(store, engine)
    turns = len(store.records.score_frame(run)) or sum(
        len(store.conversations.turns(row.id)) for row in store.conversations.of_run(run)
    )
    once = judgings.rejudge(run, JudgingRequest(["turn"]))
    assert once.wait(60) and once.total == turns
    thrice = judgings.rejudge(run, JudgingRequest(["turn"], repeats=3))
    assert thrice.wait(60) and thrice.error is None and thrice.total == 2 * turns  # the first verdicts stay
    assert set(engine.repeats) == {1, 1 + judging_jobs.REPEAT_STEP, 1 + 2 * judging_jobs.REPEAT_STEP}
    found = self_agreement(store.scores.repeated(run), "turn", thrice.versions["turn"])
    assert found is not None and (found.turns, found.verdicts, found.deviation, found.agreement) == (turns, 3, 0.0, 1.0)
    assert not store.records.score_frame(run).duplicated(["conversation", "turn", "judge", "criterion"]).any()
    judgings.close()
