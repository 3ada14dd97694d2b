"""Table rows as sentences, with the names of their columns."""

from __future__ import annotations

import pytest

from core.text.table_sentences import table_sentences


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        (["週の所定労働日数", "入社6か月後の付与日数"], ["4日", "7日"], "週の所定労働日数が4日の場合、入社6か月後の付与日数は7日です。"),
        (["Days after invoice date", "What happens"], ["30", "Due date."], "Days after invoice date 30 — Due date."),
        (["項目", "クレジットカード", "請求書払い"], ["最低人数", "3人", "10人"], "最低人数は、クレジットカードが3人、請求書払いが10人です。"),
    ],
)  # fmt: skip
def test_a_figure_in_the_first_column_keeps_its_header_and_attributes_read_naturally(
    header: list[str], row: list[str], sentence: str
):
    assert table_sentences(header, [row]) == [(row[0], sentence)]


def test_two_columns_of_opposites_are_read_as_two_lists():
    assert table_sentences(["持ち込めるもの", "持ち込めないもの"], [["傘", "自転車"], ["弁当", "犬"]]) == [
        ("持ち込めるもの", "持ち込めるもの: 傘、弁当。"),
        ("持ち込めないもの", "持ち込めないもの: 自転車、犬。"),
    ]
    assert table_sentences(["Included", "Not included"], [["towels", "soap"]]) == [
        ("Included", "Included: towels."),
        ("Not included", "Not included: soap."),
    ]
