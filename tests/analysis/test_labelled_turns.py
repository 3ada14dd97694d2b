"""Judges against the labels of a bot's turns: counted by numbers, and the same as counted label by label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.agreement.agreement import JudgeAgreement, JudgeVerdict, coded_agreement, judge_agreement
from core.agreement.tables import codes_of
from core.agreement.thresholds import fit_threshold, says_yes
from core.analysis.label_pools import label_queue, threshold_of, turns_of_pool
from core.analysis.labelled_turns import LabelledTurns, labelled_turns
from core.base.types import Score
from core.store.labels import TurnLabel
from core.store.store import Store
from tests.support.stored_runs import a_run


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelledTurns]:
    """120 conversations, judged by three judges of which one was asked three times about some, 80 of them labelled."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('labelled') / 'kiku.db'}")
    a_run(store, "r1", total=120)
    random = np.random.default_rng(7)
    for place, turn in enumerate(store.labels.conversations("r1")):
        store.scores.add(turn, [a_score("turn", "overall", random.random())])
        if place % 3:
            store.scores.add(turn, [a_score("similarity", "similarity", random.random())])
        for time in range(3 if place % 5 == 0 else 1):
            store.scores.add(turn, [a_score("relevance", "relevance", float(random.random() < 0.7))], repeat=time)
    order = label_queue(store, turns_of_pool(store, "r1"))
    for place, one in enumerate(order[:90]):
        if place % 9:
            for reviewer in ("Aya", "Ben", "Chie")[: place % 3 + 1]:
                verdict = "yes" if random.random() < 0.6 else "no"
                store.labels.save(TurnLabel(turn_id=one.turn_id, reviewer=reviewer, verdict=verdict))
    yield labelled_turns(store, ("r1",), {"r1": "ja"})
    store.close()


def a_score(judge: str, criterion: str, value: float) -> Score:
    return Score(judge=judge, criterion=criterion, value=value, label="", reasons="", version="v1")


def one_by_one(found: LabelledTurns, judge: str, turns: set[str], weighted: bool = True) -> JudgeAgreement:
    """The agreement from verdicts as words, turn by turn."""
    values = found.values(judge)
    repeats = {str(turn): repeated for one in found.turns for turn, repeated in one.repeats.get(judge, {}).items()}
    verdicts = [
        JudgeVerdict(
            turn,
            tuple(
                "yes" if says_yes(value, threshold_of(judge), found.lower_is_better(judge)) else "no"
                for value in repeats.get(turn, (values[turn],))
            ),
        )
        for turn in found.people.truth.verdicts
        if turn in values and turn in turns and (not weighted or turn in found.weight_of)
    ]
    if not weighted:
        return judge_agreement(verdicts, found.people.truth.verdicts, "yes_no", found.group_of)
    times = max(len(one.categories) for one in verdicts)
    asked = [
        np.array([int(one.categories[n % len(one.categories)] == "yes") for one in verdicts]) for n in range(times)
    ]
    people = np.array([int(found.people.truth.verdicts[one.item] == "yes") for one in verdicts])
    groups = codes_of([found.group_of[one.item] for one in verdicts])
    weights = np.array([found.weight_of[one.item] for one in verdicts])
    return coded_agreement(people, asked, groups, "yes_no", ("no", "yes"), weights)


@pytest.mark.parametrize("judge", ["turn", "similarity", "relevance"])
def test_agreement_by_numbers_is_that_label_by_label(found: LabelledTurns, judge: str) -> None:
    turns = set(found.people.truth.verdicts)
    assert len(turns) > 60 and found.weight_of
    assert found.agreement(judge) == one_by_one(found, judge, turns)
    common = found.judged_by_all
    assert 30 < len(common) < len(turns)
    assert found.agreement(judge, only=common) == one_by_one(found, judge, set(common))
    for part in ("persona", "language"):
        for name, one in found.agreement_by(judge, part).items():
            of = {turn for turn in turns if found.parts[turn][part] == name}
            assert one == one_by_one(found, judge, of, weighted=False)


@pytest.mark.parametrize("judge", ["turn", "similarity"])
def test_the_threshold_by_numbers_is_that_of_the_turns(found: LabelledTurns, judge: str) -> None:
    values, truth = found.values(judge), found.people.truth.verdicts
    items = [turn for turn in truth if turn in values]
    right = [truth[turn] == "yes" for turn in items]
    groups = [found.group_of[turn] for turn in items]
    wanted = fit_threshold([values[turn] for turn in items], right, groups, threshold_of(judge))
    assert wanted is not None and found.best_threshold(judge) == wanted


def test_a_judge_without_a_score_agrees_with_nobody(found: LabelledTurns) -> None:
    assert found.agreement("correctness").n == 0 and found.best_threshold("correctness") is None


def test_of_a_distance_of_ones_own_a_low_value_is_a_yes(home: Path, store: Store) -> None:
    folder = home / "knowledge" / "komachi" / "judges"
    folder.mkdir()
    (folder / "far.py").write_text(
        "from core.judges.custom.python_judges import judge\n"
        "@judge(name='far', lower_is_better=True)\ndef far(sample):\n    return 0.5\n",
        "utf-8",
    )
    a_run(store, "r1", total=30)
    for place, turn in enumerate(store.labels.conversations("r1")):
        store.scores.add(turn, [a_score("custom:far", "far", 0.1 if place % 2 else 0.9)])
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Aya", verdict="yes" if place % 2 else "no"))
    turns, found = turns_of_pool(store, "r1"), labelled_turns(store, ("r1",), {"r1": "ja"})
    assert turns.lower_judges == {"custom:far"} and labelled_turns(store, ("r1",), {}).says_yes("custom:far", 0.1)
    assert found.agreement("custom:far").percent.value == 1.0
