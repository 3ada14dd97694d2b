"""Dates that have passed."""

from __future__ import annotations

from datetime import date

import pytest

from core.bot.profile_filter import has_expired, names_past

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("11月に入ります", False),
        ("12月から使います", False),
        ("2月に入りました", False),  # the nearest February is the next one
        ("8月に入りました", True),
        ("I joined in September", True),
        ("from January", False),
        ("2025年に入りました", True),
        ("いつ入れますか", False),
    ],
)
def test_of_a_month_without_a_year_the_nearest_one_is_meant(text: str, past: bool) -> None:
    assert names_past(text, TODAY) is past


def test_a_heading_until_a_day_in_the_past_has_expired() -> None:
    assert has_expired("古い料金 2026年9月30日まで", TODAY)
    assert not has_expired("新しい料金 2026年12月31日まで", TODAY)
