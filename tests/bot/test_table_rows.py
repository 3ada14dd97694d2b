"""Which rows of a table a message names."""

from __future__ import annotations

import pytest

from core.base.types import Hit, Passage
from core.bot.embedded.quotes import choose_quotes, part_asked
from core.bot.embedded.snippets import snippets
from core.bot.embedded.sub_questions import sub_questions
from core.bot.embedded.table_rows import rows_asked

TABLES = {
    "pool": "| 利用者 | 料金 |\n|---|---|\n| 会員の方 | 300円 |\n| 一般の方 | 500円 |\n| 証明書をお持ちの方（一般） | 無料 |\n"
    "| 団体 | 400円 |\n| 見学の方 | 100円 |",
    "lamp": "| ランプ | 対応 |\n|---|---|\n| 状態 緑 | 不要 |\n| 状態 消灯 | 電源を入れる |\n| 電波 赤 | 移す |\n| 電波 緑 | 不要 |\n| 電波 黄 | 移す |",
    "hire": "| Item | Day |\n|---|---|\n" + "".join(f"| {name} | £{price} |\n" for price, name in enumerate(("Canoe", "Kayak", "Tent, 2 persons", "Tent, 4 persons", "Stove", "Rope", "Lamp", "Map", "Boots", "Axe", "Saw", "Bag"), 5)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "message", "first", "count"),
    [
        ("pool", "一般だと料金はいくらですか", "一般の方", 1),
        ("pool", "証明書があれば無料ですか", "証明書をお持ちの方（一般）", 1),
        ("pool", "料金はいくらですか", "会員の方", 5),
        ("lamp", "状態のランプが消えています", "状態 消灯", 1),
        ("hire", "how much is a tent for 4 people", "Tent, 4 persons", 1),
        ("hire", "what are the prices", "Canoe", 9),  # eight, and how many more there are
    ],
)
def test_the_row_that_fits_comes_first(table: str, message: str, first: str, count: int):
    rows = rows_asked(sub_questions(message, {}), list(snippets(TABLES[table])))
    assert (rows[0].case, len(rows)) == (first, count)


def test_rows_left_out_are_counted():
    assert rows_asked(sub_questions("what are the prices", {}), list(snippets(TABLES["hire"])))[-1].text == "(4 more)"


def test_sentences_and_list_items_with_a_label_are_rows():
    hours = (
        "Mill Road: daily 5:30 to 22:00. Thorley: daily 6:00 to 20:00. Sandwick: 7:00 to 19:00. Oxbow: 6:15 to 18:30."
    )
    listed = "- 来庁：市民課へ。\n- 郵送：写しを同封。\n- 代理：委任状が要ります。\n- 電子申請：カードが要ります。"
    for text, message, case in ((hours, "when does Sandwick open?", "Sandwick"), (listed, "郵送でもいい?", "郵送")):
        rows = list(snippets(text))
        assert {row.kind for row in rows} == {"row"} and not any(row.text.startswith("-") for row in rows)
        assert [row.case for row in rows_asked(sub_questions(message, {}), rows)] == [case]


def test_a_few_sentences_with_a_colon_are_no_rows():
    text = "Note: bring a form. It opens at 9:00. Please see: https://example.org. Then wait."
    assert {piece.kind for piece in snippets(text)} == {"sentence"}


def pool() -> Hit:
    passage = Passage(id="pool", document="pool.md", title="プール", heading="一般と会員の料金", text=TABLES["pool"])
    return Hit(passage=passage, score=1.0)


@pytest.mark.parametrize(
    ("question", "before", "cases"),
    [
        ("料金はいくらですか", ("ありがとう", "見学の方が3人です"), ["見学の方"]),
        ("団体の料金はいくらですか", ("見学の方が3人です",), ["団体"]),
        ("ほかの料金もすべて知りたい", ("見学の方が3人です",), [row.case for row in snippets(TABLES["pool"])]),
    ],
)
def test_rows_that_the_question_leaves_open_are_those_that_were_named_before(
    question: str, before: tuple[str, ...], cases: list[str]
):
    (quote,) = choose_quotes(question, [pool()], {}, before=before)
    assert sorted(piece.case for piece in quote.pieces) == sorted(cases)


def test_of_an_answer_given_before_only_the_rows_of_the_case_are_shown_again():
    shown = part_asked("もう払えますか", "見学の料金", pool(), {}, ("見学の方です",)).pieces
    assert [piece.case for piece in shown] == ["見学の方"]


def test_a_picked_heading_names_no_row():
    (quote,) = choose_quotes("割引はありますか — 一般と会員の料金", [pool()], {}, picked=True)
    assert len(quote.pieces) == 5
