"""Numbers look alike wherever they are: shares, differences, intervals, seconds."""

from __future__ import annotations

import pytest

from core.analysis.formatting import percent_range, points_range, seconds_text
from core.base.translate import translator


def test_intervals_of_shares_and_of_differences() -> None:
    assert percent_range(0.0, 0.56) == "0–56%"
    assert points_range(-0.142, 0.0, translator("ja")) == "−14.2 〜 0.0"
    assert points_range(-0.0001, 0.142, translator("en")) == "0.0 to +14.2"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (0.0001, "under 0.01 s"), (0.044, "0.04 s"), (7.04, "7.0 s"), (123.4, "123 s")],
)
def test_seconds_are_the_exacter_the_fewer_they_are(seconds: float, text: str) -> None:
    assert seconds_text(seconds, translator("en")) == text
