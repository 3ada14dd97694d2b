"""Questions drafted from sentences and tables without a model."""

from __future__ import annotations

import pytest

from core.datasets.draft import Section
from core.datasets.questions_en import questions_en
from core.datasets.questions_ja import questions_ja
from core.text.inflection import as_question, permission


def ja(text: str, heading: str = "手当の申請", title: str = "手当の手引き") -> Section:
    return Section(document="a.md", title=title, heading=heading, text=text)


def en(text: str, heading: str = "Trial length", title: str = "Trials") -> Section:
    return Section(document="a.md", title=title, heading=heading, text=text)


@pytest.mark.parametrize(
    ("clause", "question"),
    [
        ("窓口へ申し込んでください。", "窓口へ申し込めばいいですか"),
        ("担当へご連絡ください", "担当へ連絡すればいいですか"),
        ("休日は使えません。", "休日は使えますか"),
        ("上限は3回です", "上限は3回ですか"),
    ],
)
def test_a_clause_becomes_a_polite_question(clause: str, question: str) -> None:
    assert as_question(clause) == question


def test_what_is_forbidden_is_asked_for_as_a_permission() -> None:
    assert permission("鍵を貸すことは禁止です。") == "鍵を貸してもいいですか"


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("手当の申請は、翌月10日までに専用の画面で行ってください。", "いつまでに"),
        ("住まいの手当は月額8,000円です。", "いくら"),
        ("手当を受け取れるのは年に2回までです。", "何回"),
        ("手当の申請には所属長の承認が必要です。", "誰の承認"),
    ],
)
def test_the_news_of_a_sentence_is_asked_for_and_the_sentence_is_the_reference(sentence: str, asked: str) -> None:
    drafts = questions_ja(ja(sentence))
    assert [draft.reference for draft in drafts] == [sentence]
    assert asked in drafts[0].question
    assert not any(sign in drafts[0].question for sign in ("10日", "8,000", "2回", "所属長"))


def test_a_sentence_that_leans_on_another_gives_no_question() -> None:
    assert questions_ja(ja("ただし、その場合は3日以内に手当を返してください。")) == []


def test_a_row_of_a_table_gives_a_question_and_an_open_one() -> None:
    table = "| 区分 | 月額 |\n|---|---|\n| 本社 | 3,000円 |\n| 工場 | 5,000円 |"
    first = questions_ja(ja(table))[0]
    assert first.condition == ("区分", "本社", ("本社", "工場"))
    assert first.reference == "| 本社 | 3,000円 |"
    assert "本社" in first.question
    assert "本社" not in first.open_question


def test_a_sentence_about_one_of_several_values_can_be_asked_openly() -> None:
    section = ja("本社の手当は月額3,000円です。工場の手当は月額5,000円です。")
    first = questions_ja(section, [("勤務地", ("本社", "工場"))])[0]
    assert first.condition == ("勤務地", "本社", ("本社", "工場"))
    assert first.open_question == "手当は月額いくらですか?"


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The trial is open for 14 days.", "How long is the trial open?"),
        ("You can invite up to 5 guests during the trial.", "How many guests can I invite during the trial?"),
        ("The trial cannot be extended by guests.", "Can the trial be extended by guests?"),
        ("The trial costs 12 dollars a month.", "How much does the trial cost a month?"),
    ],
)
def test_english_sentences_become_questions(sentence: str, question: str) -> None:
    assert [draft.question for draft in questions_en(en(sentence))] == [question]
