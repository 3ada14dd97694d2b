"""The interval of a mean: one method with comparisons, none for few, and no certainty if no spread was seen."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from core.analysis.confidence_intervals import estimate, mean_interval, wilson

SIX = [0.7, 0.8, 0.9, 1.0, 0.85, 0.6]


def test_fewer_than_six_units_have_no_interval() -> None:
    assert mean_interval([1.0, 1.0]) is None and mean_interval(SIX[:5]) is None and mean_interval([]) is None
    assert mean_interval([1.0] * 12, scenarios=[1, 2] * 6) is None
    assert mean_interval([*SIX[:5], float("nan")]) is None


def test_the_interval_is_that_of_a_comparison_over_the_same_values() -> None:
    found, wanted = mean_interval(SIX), estimate(SIX, range(6))
    assert found and wanted and (found.low, found.high) == (wanted.low, wanted.high)
    assert mean_interval([*SIX, float("nan")], scenarios=[*range(6), 9]) == found


def test_where_all_units_are_equal_the_interval_is_wilsons() -> None:
    known = stats.binomtest(6, 6).proportion_ci(0.95, method="wilson")
    found = mean_interval([1.0] * 6)
    assert found and (found.low, found.high) == pytest.approx((known.low, known.high))
    often = mean_interval([1.0] * 60, scenarios=[*range(6)] * 10)
    assert often and often == found  # six scenarios, however often
    half = mean_interval([0.5] * 8)
    assert half and half.low == pytest.approx(1 - half.high) and half.high - half.low > 0.5


def test_wilsons_interval_is_scipys_for_whole_counts() -> None:
    for hits, n in ((0, 7), (3, 7), (59, 60)):
        known = stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
        assert wilson(hits / n, n) == pytest.approx((known.low, known.high))


def test_a_worse_sample_is_not_the_surer_one() -> None:
    perfect, nearly = mean_interval([1.0] * 8), mean_interval([1.0] * 7 + [0.95])
    assert perfect and nearly and nearly.low <= perfect.low and nearly.high <= 1


@pytest.mark.parametrize(("size", "missed"), [(6, 0.02), (10, 0.02), (30, 0.03)])
def test_a_line_that_is_missed_is_seldom_called_reached(size: int, missed: float) -> None:
    dice, claimed, covered = np.random.default_rng(size), 0, 0
    for _ in range(150):  # nine of ten are perfect, one scores nothing: the mean is 0.9
        found = mean_interval(list(np.where(dice.random(size) < 0.9, 1.0, 0.0)))
        assert found is not None
        claimed += found.low > 0.9
        covered += found.low <= 0.9 <= found.high
    assert claimed / 150 <= missed and covered / 150 >= 0.94


def test_above_four_hundred_units_it_takes_no_draws() -> None:
    dice = random.Random(1)
    values = [dice.choice((0.4, 1.0)) for _ in range(401)]
    known = stats.t.interval(0.95, 400, np.mean(values), stats.sem(values))
    found = mean_interval(values)
    assert found and (found.low, found.high) == pytest.approx(known)


def test_for_grids_students_t_does_above_sixty_values() -> None:
    dice = random.Random(2)
    values = [dice.choice((0.2, 0.6, 0.8, 1.0)) for _ in range(61)]
    slow, approximate = mean_interval(values), mean_interval(values, approximate=True)
    known = stats.t.interval(0.95, 60, np.mean(values), stats.sem(values))
    assert slow and approximate and (approximate.low, approximate.high) == pytest.approx(known)
    assert (slow.low, slow.high) == pytest.approx(known, abs=0.01)
    assert mean_interval(values[:60], approximate=True) == mean_interval(values[:60])
