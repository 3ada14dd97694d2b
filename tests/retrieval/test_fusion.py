"""Weights of signals by the size of an index."""

from __future__ import annotations

import math

import pytest

from core.retrieval.fusion import LARGE_INDEX, SMALL_INDEX, large_share, signal_weights


@pytest.mark.parametrize(("passages", "share"), [(0, 0.0), (40, 0.0), (100, 0.0), (1000, 1.0), (50_000, 1.0)])
def test_an_index_is_small_up_to_100_and_large_from_1000_passages(passages: int, share: float):
    assert large_share(passages) == share


def test_between_them_the_share_grows_with_the_logarithm():
    middle = round(math.sqrt(SMALL_INDEX * LARGE_INDEX))
    assert large_share(middle) == pytest.approx(0.5, abs=0.01)


def test_words_count_more_among_many_passages():
    small, middle, large = (signal_weights("ja", True, False, n) for n in (40, 300, 2000))
    assert small["words"] < middle["words"] < large["words"]
    assert small["interaction"] > middle["interaction"] > large["interaction"]
    assert sum(middle.values()) == pytest.approx(sum(small.values()), abs=0.01)


def test_weights_for_example_questions_do_not_depend_on_the_size():
    assert signal_weights("en", False, True, 30) == signal_weights("en", False, True, 3000)


def test_chinese_is_found_by_its_words_alone():
    assert signal_weights("zh", False, False, 500) == {"words": 1.0}
