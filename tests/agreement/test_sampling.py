"""Labels in the drawn order, weighted by the inverse chance, and the corrected mean: without bias, and as sure as they say."""

from __future__ import annotations

import numpy as np
import pytest

from core.agreement.agreement import coded_agreement
from core.agreement.corrected_mean import corrected_mean
from core.agreement.intervals import Statistic
from core.agreement.sampling import chances, draw, labels_needed, weights
from core.agreement.thresholds import fit_threshold


def population(random: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A judge's scores, and whether people call the reply right: the judge errs near the threshold."""
    scores = random.random(n)
    return scores, random.random(n) < 1 / (1 + np.exp(-9 * (scores - 0.45)))


def test_turns_near_the_threshold_contested_and_rare_come_sooner_and_none_is_left_without_a_chance() -> None:
    scores = [0.5, 0.95, 0.95, 0.95, 0.95]
    found = weights({"turn": scores}, {"turn": 0.5}, ["a"] * 5)
    assert found[0] == 1.0 and found[1] == pytest.approx(0.3, abs=0.05) and found.min() >= 0.3
    found = weights({"a": [0.9] * 3, "b": [0.9, 0.1, None]}, {}, ["x"] * 3)
    assert found[1] == found.max() and found[0] < found[1]
    found = weights({}, {}, ["rare", *["common"] * 9])
    assert found[0] == 1.0 and found[1] < 0.6
    assert weights({}, {}, []).size == 0 and list(weights({"a": [None]}, {}, ["x"])) == [1.0]


def test_the_chance_of_what_is_labelled_is_known_whatever_was_skipped() -> None:
    order = sorted(draw(range(100), np.linspace(0.3, 1, 100), "run"), key=lambda one: one.place)
    assert order == sorted(draw(range(100), np.linspace(0.3, 1, 100), "run"), key=lambda one: one.place)
    first = {one.turn_id for one in order[:20]}
    found = chances(order, first)
    assert found.keys() == first and all(0 < one <= 1 for one in found.values())
    assert found == {one.turn_id: min(1.0, order[20].place * one.weight) for one in order[:20]}
    skipped = first - {order[3].turn_id}
    assert chances(order, skipped).keys() == skipped
    linked = first | {order[90].turn_id}
    assert chances(order, linked) == found  # labelled by a link, far out of turn
    assert set(chances(order, {one.turn_id for one in order}).values()) == {1.0} and chances(order, set()) == {}


def test_agreement_from_the_drawn_order_is_that_of_all_turns() -> None:
    """benchmarks/agreement_intervals.py has the coverage; here the mean of 200 samples."""
    random = np.random.default_rng(1)
    scores, right = population(random, 600)
    items = [str(n) for n in range(600)]
    said = ["yes" if one >= 0.5 else "no" for one in scores]
    truth = {item: "yes" if one else "no" for item, one in zip(items, right, strict=True)}
    whole = np.mean([truth[item] == one for item, one in zip(items, said, strict=True)])
    weight = weights({"turn": list(scores)}, {"turn": 0.5}, ["x"] * 600)
    plain, weighted = [], []
    for seed in range(200):
        order = sorted(draw(range(600), weight, str(seed)), key=lambda one: one.place)
        labelled = {one.turn_id for one in order[:80]}
        chance = chances(order, labelled)
        agree = np.array([truth[str(n)] == said[n] for n in chance])
        plain.append(agree.mean())
        weighted.append(np.average(agree, weights=[1 / one for one in chance.values()]))
    assert abs(np.mean(weighted) - whole) < 0.01 < 0.03 < whole - np.mean(plain)
    people, judge = (
        np.array([int(one[n] == "yes") for n in chance]) for one in ([truth[item] for item in items], said)
    )
    inverse = np.array([1 / one for one in chance.values()])
    found = coded_agreement(people, [judge], np.arange(len(chance)), "yes_no", ("no", "yes"), inverse)
    assert found.percent.value == pytest.approx(weighted[-1])


def test_the_corrected_mean_covers_the_true_mean_and_is_narrower_than_labels_alone() -> None:
    random, inside, width, alone = np.random.default_rng(2), 0, 0.0, 0.0
    for _ in range(200):
        right = random.random(800) < 0.7
        judge = np.where(random.random(800) < 0.12, ~right, right).astype(float)  # calls 65 % right
        people = np.where(np.arange(800) < 100, right, np.nan)
        found = corrected_mean(judge, people, range(len(judge)))
        assert found is not None and found.corrected.low is not None and found.corrected.high is not None
        inside += found.corrected.low <= 0.7 <= found.corrected.high
        width += found.corrected.high - found.corrected.low
        alone += found.labels.high - found.labels.low  # type: ignore[operator]
    assert 0.91 <= inside / 200 <= 0.99 and width < 0.85 * alone


def test_a_judge_of_no_use_costs_nothing_and_too_few_labels_have_no_interval() -> None:
    random = np.random.default_rng(3)
    right, judge = random.random(500) < 0.5, random.random(500)
    people = np.where(np.arange(500) < 100, right, np.nan)
    found = corrected_mean(judge, people, range(len(judge)))
    assert found and found.corrected.value == pytest.approx(found.labels.value, abs=0.02)
    few = corrected_mean(judge, np.where(np.arange(500) < 4, right, np.nan), range(500))
    assert few and few.corrected.low is None and corrected_mean(judge, np.full(500, np.nan), range(500)) is None


def test_a_threshold_is_fitted_on_one_half_and_measured_on_the_other() -> None:
    random = np.random.default_rng(4)
    scores, right = population(random, 300)
    items = [str(n) for n in range(300)]
    found = fit_threshold(list(scores), list(right), items, current=0.9)
    assert found and 0.3 < found.threshold < 0.6 and 100 < found.fitted.n < 200
    assert found.fitted.kappa.value > found.current.kappa.value + 0.2  # type: ignore[operator]
    assert found.is_surely_better and found.difference.value == pytest.approx(
        found.fitted.percent.value - found.current.percent.value  # type: ignore[operator]
    )
    near = fit_threshold(list(scores), list(right), items, current=0.47)
    assert near and not near.is_surely_better
    upside = fit_threshold(list(-scores), list(right), items, current=-0.9, lower_is_better=True)
    assert upside and upside.threshold == pytest.approx(-found.threshold, abs=0.05)
    assert fit_threshold(list(scores[:15]), list(right[:15]), items[:15], 0.5) is None
    assert fit_threshold(list(scores), [True] * 300, items, 0.5) is None


def test_more_labels_are_needed_as_long_as_the_interval_is_wide() -> None:
    assert labels_needed(Statistic(0.5, 0.2, 0.8), 50) == 151
    assert labels_needed(Statistic(0.5, 0.4, 0.6), 50) == 0
    assert labels_needed(Statistic(0.5), 4) == 26
