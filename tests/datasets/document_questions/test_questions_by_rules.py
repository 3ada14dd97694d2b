"""Questions made from headings and tables without a model."""

from __future__ import annotations

import re

import pytest

from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.rules.questions_by_rules import questions_by_rules
from core.datasets.document_questions.section import Section
from core.text.english import base_form
from core.text.inflection import as_question


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


@pytest.mark.parametrize(
    ("heading", "text", "asked"),
    [
        ("引っ越し手当の申請期限", "引っ越し手当は、引っ越した日から14日以内に申請してください。", "いつまでに申請すれば|締め切り"),
        ("図書カードの返却方法", "図書カードは、退会の日までに受付へ返却してください。", "図書カードを返"),
        ("ロッカーの鍵を忘れたとき", "ロッカーの鍵を忘れたときは、受付へ連絡してください。", "ロッカーの鍵を忘れました"),
        ("自転車の紛失", "自転車をなくしたときは、すぐに警備室へ電話してください。", "自転車をなくしてしまいました"),
        ("住まいの手当の金額", "住まいの手当は月額8,000円です。", "住まいの手当.*いくら"),
        ("図書室の開館時間", "図書室は9時から18時まで開いています。", "図書室は何時から何時まで"),
        ("部外者への鍵の譲渡の禁止", "部外者へ鍵を譲渡することは禁止です。", "鍵を譲渡し|鍵を譲渡する"),
        ("電灯・水道の修理方法", "電灯や水道の修理は、管理室へ申し込んでください。", "電灯を修理"),
        ("ウイルス感染が疑われるときの対応", "ウイルス感染が疑われるときは、管理室へ電話してください。", "ウイルス感染かもしれません"),
    ],
)  # fmt: skip
def test_a_heading_is_asked_for_in_the_words_of_a_person_and_answered_by_its_text(
    heading: str, text: str, asked: str
) -> None:

    drafts = questions_by_rules(ja(text, heading=heading, title="利用の手引き"), "ja")
    assert re.search(asked, drafts[0].question)
    assert drafts[0].question != f"{heading}?"
    assert drafts[0].reference == text


def test_a_heading_whose_text_does_not_have_the_answer_gives_no_question() -> None:
    assert questions_by_rules(ja("手当の目的は、住まいを支えることです。", heading="住まいの手当の金額"), "ja") == []
    assert (
        questions_by_rules(
            en("Discounts exist for schools.", heading="How long a discount lasts", title="Discounts"), "en"
        )
        == []
    )


def test_a_row_of_a_table_gives_a_question_and_an_open_one() -> None:
    table = "| 区分 | 月額 |\n|---|---|\n| 本社 | 3,000円 |\n| 工場 | 5,000円 |"
    first = questions_by_rules(ja(table, heading="住まいの手当"), "ja")[0]
    assert (first.attribute, first.value, first.values) == ("区分", "本社", ("本社", "工場"))
    assert first.reference == "| 本社 | 3,000円 |"
    assert first.question == "本社の場合、住まいの手当の月額はいくらですか?"
    assert first.open_question == "住まいの手当の月額はいくらですか?"


def test_a_heading_about_one_of_several_values_can_be_asked_openly() -> None:
    section = ja("契約社員の忌引休暇は3日です。", heading="契約社員の忌引休暇の日数")
    first = questions_by_rules(section, "ja", [("雇用形態", ("正社員", "契約社員"))])[0]
    assert (first.attribute, first.value, first.values) == ("雇用形態", "契約社員", ("正社員", "契約社員"))
    assert first.open_question == "忌引休暇はどのくらいですか?"
    app = en(
        "Tap **Profile** and choose the account.", heading="How to switch between accounts on iOS", title="Accounts"
    )
    switched = questions_by_rules(app, "en", [("platform", ("web", "iOS"))])[0]
    assert "iOS" in switched.question
    assert "iOS" not in switched.open_question


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [
        ("How long a voucher lasts", "A voucher lasts 14 days.", "How long does a voucher last?"),
        ("How long vouchers are kept", "Vouchers are kept for 14 days.", "For how many days are vouchers kept?"),
        ("Can vouchers be combined", "Vouchers cannot be combined.", "Can vouchers be combined?"),
        ("What to do with a voucher", "Show it at the desk. You can keep it.", "What should I do with a voucher?"),
        ("Where to collect vouchers", "You can collect vouchers at the desk.", "Where can I collect vouchers?"),
    ],
)
def test_english_headings_become_questions(heading: str, text: str, question: str) -> None:
    assert questions_by_rules(en(text, heading=heading, title="Vouchers"), "en")[0].question == question


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [
        ("How to cancel a visit", "Press **Cancel**.", "visit"),
        ("How to change the card on file", "Press **Replace**.", "my card on file"),
        ("Closing an account with vouchers", "You have to use its vouchers before.", "close my account with vouchers"),
        ("How to use vouchers on iOS and Android", "Tap **Use** below the voucher.", "on iOS"),
    ],
)
def test_things_in_english_headings_are_asked_about_as_ones_own(heading: str, text: str, question: str) -> None:
    section = en(text, heading=heading, title="Data of vouchers, visits, cards and accounts")
    made = questions_by_rules(section, "en", [("platform", ("web", "iOS", "Android"))])[0].question
    assert question in made
    assert "Android" not in made


def test_a_heading_that_says_something_about_nobody_is_left_out() -> None:
    assert (
        questions_by_rules(en("It changes the colour.", heading="What the voucher changes", title="Vouchers"), "en")
        == []
    )


def test_english_verbs() -> None:
    assert [base_form(verb) for verb in ("taken", "cancelling", "lasts", "xyzzy")] == ["take", "cancel", "last", ""]
    assert other_person("whether you are sure of your card") == "whether I am sure of my card"
