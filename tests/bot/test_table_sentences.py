"""Table rows as sentences, with the names of their columns."""

from __future__ import annotations

import pytest

from core.bot.embedded.table_sentences import table_sentences


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        (["週の所定労働日数", "入社6か月後の付与日数"], ["4日", "7日"], "週の所定労働日数が4日の場合、入社6か月後の付与日数は7日です。"),
        (["Days after invoice date", "What happens"], ["30", "Due date."], "Days after invoice date 30 — Due date."),
        (["項目", "クレジットカード", "請求書払い"], ["最低人数", "3人", "10人"], "最低人数は、クレジットカードが3人、請求書払いが10人です。"),
        (["区分", "手当"], ["家族を伴う場合", "2万円"], "家族を伴う場合、手当は2万円です。"),
        (["コース", "料金（円）", "備考"], ["2日コース", "9,000", "昼食つき"], "2日コースは、料金が9,000円です。昼食つき。"),
        (["便", "出発"], ["1", "8:00"], "便 1 — 出発：8:00。"),
        (["表示", "対応"], ["赤の点滅", "電源を切り、30分待つ"], "赤の点滅 — 対応：電源を切り、30分待つ。"),
        (["診療科", "月", "火", "水"], ["歯科", "○", "休", "◯"], "歯科 — 月、水：○／火：休。"),
        (["Boat", "Length (m)", "Price (£)", "Crew"], ["Dinghy", "4", "35", "-"], "Dinghy — Length: 4 m, Price: £35."),
        (["Service", "Members", "Guests"], ["Sauna", "✓", "✗"], "Sauna — Members: yes, Guests: no."),
        (["Ticket", "Price"], ["25% off day", "£9"], "25% off day — Price: £9."),
        (["Item", "Fee"], ["Towel", "–"], "Towel — Fee: not given."),
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


def test_a_dash_says_no_in_a_table_that_has_a_sign_for_yes_alone():
    rows = [["Wi-Fi", "✓", "✓"], ["Lounge", "-", "✓"]]
    assert [text for _, text in table_sentences(["", "Basic", "Gold"], rows)] == [
        "Wi-Fi — Basic, Gold: yes.",
        "Lounge — Basic: no, Gold: yes.",
    ]
    both = table_sentences(["", "学割", "家族割"], [["学割", "-", "×"], ["家族割", "○", "-"]])
    assert [text for _, text in both] == ["学割 — 家族割：×。", "家族割 — 学割：○。"]


def test_a_cell_that_says_as_above_or_an_empty_first_one_is_filled():
    rows = [["和室", "本館", "8,000円"], ["", "同上", "9,000円"]]
    assert [case for case, _ in table_sentences(["部屋", "場所", "料金"], rows)] == ["和室", "和室"]
    assert table_sentences(["部屋", "場所", "料金"], rows)[1][1] == "和室は、場所が本館、料金が9,000円です。"


def test_all_rows_of_a_table_have_one_form():
    rows = [["大人", "500円"], ["子ども", "平日は無料、土日は200円"]]
    assert [text for _, text in table_sentences(["利用者", "料金"], rows)] == [
        "大人 — 料金：500円。",
        "子ども — 料金：平日は無料、土日は200円。",
    ]
