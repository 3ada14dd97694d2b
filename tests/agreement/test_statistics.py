"""Agreement is what scikit-learn and krippendorff compute, each with an interval that covers the truth."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from core.agreement.agreement import JudgeVerdict, judge_agreement, reviewer_agreement
from core.agreement.intervals import statistics
from core.agreement.labels import GRADES, Label, category, scale_of, truth_of
from core.agreement.tables import (
    alpha,
    balanced_accuracy,
    coincidence_tables,
    confusion_tables,
    kappa,
    observed_agreement,
    places_of,
    quadratic_kappa,
)
from core.base.errors import BadInput

RANDOM = np.random.default_rng(5)


def drawn(n: int, categories: tuple[str, ...] = ("no", "yes"), noise: float = 0.3) -> tuple[list[str], list[str]]:
    """What people and a judge say of n items."""
    people = RANDOM.integers(0, len(categories), n)
    judge = np.where(RANDOM.random(n) < noise, RANDOM.integers(0, len(categories), n), people)
    return [categories[one] for one in people], [categories[one] for one in judge]


def test_measures_of_tables_are_those_of_scikit_learn() -> None:
    for categories in (("no", "yes"), GRADES):
        people, judge = drawn(80, categories)
        table = confusion_tables(
            places_of(people, categories), places_of(judge, categories), len(categories), np.arange(80)
        ).sum(axis=0)
        assert float(observed_agreement(table)) == pytest.approx(
            np.mean([a == b for a, b in zip(people, judge, strict=True)])
        )
        assert float(kappa(table)) == pytest.approx(cohen_kappa_score(people, judge))
        assert float(balanced_accuracy(table)) == pytest.approx(balanced_accuracy_score(people, judge))
        squared: Any = cohen_kappa_score(people, judge, labels=categories, weights="quadratic")
        assert float(quadratic_kappa(table)) == pytest.approx(squared)


@pytest.mark.parametrize("graded", [False, True])
def test_alpha_of_tables_is_that_of_the_library(graded: bool) -> None:
    labels: list[Label] = []
    for item in range(40):
        base = RANDOM.integers(1, 6)
        for reviewer in "abc"[: RANDOM.integers(1, 4)]:
            labels.append(Label(str(item), reviewer, str(np.clip(base + RANDOM.integers(-1, 2), 1, 5))))
    table = coincidence_tables(labels, GRADES, lambda item: item).sum(axis=0)
    data = [
        [next((int(x.label) for x in labels if x == (str(n), r, x.label)), np.nan) for n in range(40)] for r in "abc"
    ]
    wanted = krippendorff.alpha(reliability_data=data, level_of_measurement="interval" if graded else "nominal")
    assert float(alpha(table, graded)) == pytest.approx(wanted)
    people = reviewer_agreement(labels, "grades", {})
    assert people.alpha.value == pytest.approx(krippendorff.alpha(reliability_data=data))
    assert people.alpha.low is not None and people.alpha.low < people.alpha.value


def test_the_interval_covers_the_true_agreement_in_about_nineteen_of_twenty_samples() -> None:
    """benchmarks/agreement_intervals.py has the whole table; here 150 samples of 60 conversations."""
    random, inside = np.random.default_rng(3), 0
    truth = 1 - 2 * 0.15  # of two balanced categories with 15 % disagreement
    for _ in range(150):
        people = random.random(60) < 0.5
        judge = people ^ (random.random(60) < 0.15)
        tables = confusion_tables(people.astype(np.intp), judge.astype(np.intp), 2, np.arange(60))
        found = statistics(tables, {"kappa": kappa})["kappa"]
        inside += found.low is not None and found.high is not None and found.low <= truth <= found.high
    assert 0.90 <= inside / 150 <= 0.99


def test_turns_of_one_conversation_are_one_observation() -> None:
    people, judge = drawn(40)
    items = [f"{n}-{copy}" for n in range(40) for copy in range(5)]
    verdicts = [JudgeVerdict(item, (judge[int(item.split("-")[0])],)) for item in items]
    truth = {item: people[int(item.split("-")[0])] for item in items}
    alone = judge_agreement(verdicts, truth, "yes_no", {}).kappa
    together = judge_agreement(verdicts, truth, "yes_no", {item: item.split("-")[0] for item in items}).kappa
    assert alone.value == together.value
    assert together.high - together.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


def test_few_labels_without_a_disagreement_are_not_certain() -> None:
    verdicts = [JudgeVerdict(str(n), ("yes" if n % 2 else "no",)) for n in range(20)]
    found = judge_agreement(verdicts, {one.item: one.categories[0] for one in verdicts}, "yes_no", {})
    assert found.percent.value == found.kappa.value == 1.0
    assert found.percent.low is not None and 0.75 < found.percent.low < 0.95
    assert found.kappa.low is not None and found.kappa.low < 0.9
    few = judge_agreement(verdicts[:19], {one.item: one.categories[0] for one in verdicts}, "yes_no", {})
    assert few.percent.value == 1.0 and few.percent.low is None


def test_the_interval_of_a_judge_that_varies_covers_what_it_says_on_the_whole() -> None:
    """benchmarks/agreement_intervals.py has the whole table; here 150 judges that err in 15 %, and vary in 20 %."""
    random, inside, once_inside = np.random.default_rng(4), 0, 0
    truth = 0.85 * 0.8 + 0.15 * 0.2
    for _ in range(150):
        people = random.random(80) < 0.5
        mostly = people ^ (random.random(80) < 0.15)
        asked = [mostly ^ (random.random(80) < 0.2) for _ in range(3)]
        verdicts = [JudgeVerdict(str(n), tuple("yes" if one[n] else "no" for one in asked)) for n in range(80)]
        found = judge_agreement(
            verdicts, {str(n): "yes" if one else "no" for n, one in enumerate(people)}, "yes_no", {}
        )
        low, high = found.percent.low or 0.0, found.percent.high or 1.0
        inside += low <= truth <= high
        once_inside += sum(low <= one <= high for one in found.agreement_by_repeat)
        assert (
            found.percent.value == pytest.approx(np.mean(found.agreement_by_repeat))
            and len(set(found.agreement_by_repeat)) > 1
        )
    assert 0.91 <= inside / 150 <= 0.99 and once_inside / 450 > 0.9


def test_a_judge_that_says_the_same_each_time_is_as_sure_as_one_asked_once() -> None:
    people, judge = drawn(100, noise=0.2)
    truth = {str(n): one for n, one in enumerate(people)}
    once, thrice = (
        judge_agreement([JudgeVerdict(str(n), (one,) * k) for n, one in enumerate(judge)], truth, "yes_no", {})
        for k in (1, 3)
    )
    assert thrice.percent == pytest.approx(once.percent) and thrice.kappa == pytest.approx(once.kappa)
    assert once.agreement_by_repeat == () and thrice.agreement_by_repeat == pytest.approx((once.percent.value,) * 3)


def test_misses_and_false_alarms_are_shares_of_what_people_call_wrong_and_right() -> None:
    people = ["no"] * 10 + ["yes"] * 20
    judge = ["yes"] * 3 + ["no"] * 7 + ["no"] * 5 + ["yes"] * 15
    verdicts = [JudgeVerdict(str(n), (one,)) for n, one in enumerate(judge)]
    found = judge_agreement(verdicts, {str(n): one for n, one in enumerate(people)}, "yes_no", {})
    assert found.misses.value == pytest.approx(0.3) and found.false_alarms.value == pytest.approx(0.25)
    assert found.confusion == {"no": {"no": 7, "yes": 3}, "yes": {"no": 5, "yes": 15}}
    assert found.balanced_accuracy.value == pytest.approx(0.725)


def test_ties_are_left_out_and_an_arbiter_decides() -> None:
    labels = [
        Label("1", "a", "yes"), Label("1", "b", "no"),
        Label("2", "a", "yes"), Label("2", "b", "yes"), Label("2", "c", "no"),
        Label("3", "a", ""), Label("4", "a", ""), Label("4", "b", "no"),
    ]  # fmt: skip
    found = truth_of(labels)
    assert found.verdicts == {"2": "yes", "4": "no"} and found.ties == ("1",) and found.undecided == ("3",)
    assert truth_of(labels, arbiter="c").verdicts["2"] == "no"
    assert truth_of(labels, arbiter="b").verdicts == {"1": "no", "2": "yes", "4": "no"}


def test_labels_are_read_as_people_and_tools_write_them() -> None:
    assert scale_of(["Yes", "no", ""]) == scale_of(["1", "0"]) == scale_of(["CORRECT", "INCORRECT"]) == "yes_no"
    assert scale_of(["1", "5", "3.0", "n/a"]) == "grades" and scale_of(["formal", "casual"]) == "names"
    assert category("○", "yes_no") == "yes" and category("4.0", "grades") == "4" and category("Skip", "grades") == ""
    for odd in (["", "n/a"], ["6", "1"], ["3.5"], ["yes", "yess"], [f"word {n}" for n in range(30)]):
        with pytest.raises(BadInput):
            scale_of(odd)


def test_what_is_not_defined_is_no_number() -> None:
    verdicts = [JudgeVerdict(str(n), ("yes",)) for n in range(10)]
    found = judge_agreement(verdicts, {str(n): "yes" for n in range(10)}, "yes_no", {})
    assert found.percent.value == 1.0 and found.kappa.value is None and found.misses.value is None
    assert judge_agreement(verdicts, {}, "yes_no", {}).kappa.value is None


def test_of_many_reviewers_the_pairs_that_share_most_items_are_compared() -> None:
    labels = [
        Label(str(item), f"r{n:04}", "yes" if (item + n) % 3 else "no") for n in range(1_500) for item in (n, n + 1)
    ]
    labels += [
        Label(f"x{item}", name, "yes" if item % 2 else "no") for item in range(30) for name in ("r0007", "r0900")
    ]
    found = reviewer_agreement(labels, "yes_no", {})
    assert len(found.reviewers) == 1_500 and len(found.pairs) == 100
    (most,) = (one for one in found.pairs if one.n > 1)
    assert most.reviewers == ("r0007", "r0900") and most.n == 30 and most.percent.value == 1.0
    assert all(one.n == 1 for one in found.pairs if one != most)


def test_a_few_reviewers_are_all_compared_with_each_other() -> None:
    labels = [Label("1", f"r{n}", "yes") for n in range(10)] + [Label("2", "r10", "no")]
    found = reviewer_agreement(labels, "yes_no", {})
    assert len(found.pairs) == 55 and sum(one.n for one in found.pairs) == 45
