"""Ranges of figures in the first cells of tables."""

import pytest

from core.bot.embedded.number_ranges import days_before_as_figures, range_of
from core.text.numbers import amounts


@pytest.mark.parametrize(
    ("said", "inside", "outside"),
    [
        ("10km以上15km未満", "片道12キロ", "15km"),
        ("100,000円以上500,000円未満", "15万円のソフト", "3万5千円"),
        ("50,000円超〜100,000円以下", "6万円", "5万円"),
        ("正社員・勤続1年以上5年未満", "勤続3年", "5年"),
        ("13〜17歳", "14歳の子", "18歳"),
        ("12歳以下", "12歳", "13歳"),
        ("25km以上", "40キロ", "24km"),
        ("11 to 50 seats", "we are 20 people", "60 people"),
        ("up to 5 GB", "a file of 3 GB", "6 GB"),
        ("46 to 57 ft", "a boat of 52 feet", "60ft"),
        ("up to 20 litres", "a tank of 15 liters", "30 litres"),
        ("more than 100 km", "120 km", "100 km"),
        ("50 or more users", "50 people", "49 people"),
        ("3 to 5 days", "4 days", "6 days"),
        ("利用日の14日前から7日前まで", "10日前です", "6日前です"),
        ("15日前まで", "20日前です", "14日前です"),
        ("6日前から前日まで", "前日です", "当日です"),
        ("14 to 7 days before", "ten days before", "5 days before"),
        ("up to 30 days before arrival", "40 days before", "20 days before"),
        ("less than 24 hours before", "12 hours before", "30 hours before"),
        ("週の所定労働日数が3日", "週3のパート", "週4で働いています"),
        ("勤続年数が10年", "勤続10年です", "勤続5年"),
    ],
)
def test_a_figure_is_in_the_range_or_not(said: str, inside: str, outside: str):
    found = range_of(said)
    assert found is not None
    assert any(found.holds(one) for one in amounts(days_before_as_figures(inside)))
    assert not any(found.holds(one) for one in amounts(days_before_as_figures(outside)))


@pytest.mark.parametrize(
    "said", ["東京本社", "E102", "9:00〜17:45", "Weekdays 9:00-17:00 UTC", "2026年11月30日まで", ""]
)
def test_other_cells_hold_no_figure_of_a_message(said: str):
    found = range_of(said)
    assert found is None or not any(found.holds(one) for one in amounts("12km, 3年, 15万円, 10 seats"))
