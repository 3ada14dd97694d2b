"""Questions made from plain sentences, from any table and from headings that are questions."""

from __future__ import annotations

import pytest

from core.datasets.document_questions.rules.other_person_en import other_person
from core.datasets.document_questions.rules.questions_by_rules import questions_by_rules
from core.datasets.document_questions.section import Section


def section(text: str, heading: str, title: str = "") -> Section:
    return Section(document="a.md", title=title or heading, heading=heading, text=text)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("体育室の定員は20名です。", "体育室の定員は何名ですか?"),
        ("体育室の鍵は、利用した日の翌月5日までに返してください。", "体育室の鍵は、いつまでに返せばいいですか?"),
        ("体育室は9時から21時まで開いています。", "体育室は何時から何時まで開いていますか?"),
        ("体育室の延長は1時間につき300円です。", "体育室の延長はいくらですか?"),
        ("体育室の予約は不要です。", "体育室の予約は必要ですか?"),
        ("体育室では飲食できません。", "体育室では飲食できますか?"),
        ("体育室の道具を壊した場合は、管理人に届け出てください。", "体育室の道具を壊した場合は、どうすればいいですか?"),
        ("体育室の鍵は2階の事務局で受け取ってください。", "体育室の鍵はどこで受け取ればいいですか?"),
        ("体育室の係 048-555-0101 へお電話ください。", "体育室の係の電話番号を教えてください。"),
    ],
)  # fmt: skip
def test_a_japanese_sentence_is_asked_for_its_value_its_case_or_whether(sentence: str, question: str) -> None:
    made = questions_by_rules(section(sentence, "体育室", "公民館"), "ja")
    assert [(one.question, one.reference) for one in made] == [(question, sentence)]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The gym ticket costs £4.", "How much does the gym ticket cost?"),
        ("Gym tickets are valid for 30 days.", "For how many days are gym tickets valid?"),
        ("The gym opens at 8:00.", "When does the gym open?"),
        ("You must return the gym key within 2 days of the visit.", "Within how many days of the visit must I return the gym key?"),
        ("Gym tickets cannot be refunded.", "Can gym tickets be refunded?"),
        ("We do not lend towels in the gym.", "Do you lend towels in the gym?"),
        ("If you break something in the gym, tell the warden.", "What should I do if I break something in the gym?"),
        ("If you are under 16, the gym is closed to you.", "What happens if I am under 16?"),
    ],
)  # fmt: skip
def test_an_english_sentence_is_asked_for_its_value_its_case_or_whether(sentence: str, question: str) -> None:
    made = questions_by_rules(section(sentence, "Gym", "Town hall"), "en")
    assert [one.reference for one in made] == [sentence]
    assert made[0].question.removeprefix("I have a question about gym. ").endswith(question[1:])


def test_a_question_says_what_it_is_about_if_its_sentence_does_not() -> None:
    made = questions_by_rules(section("参加費は500円です。", "陶芸教室", "公民館"), "ja")
    assert made[0].question == "陶芸教室の参加費はいくらですか?"
    assert "pottery class" in questions_by_rules(section("Fee: £5.", "Pottery class", "Town hall"), "en")[0].question


def test_sentences_that_lean_on_others_or_hold_no_longer_give_no_question() -> None:
    assert questions_by_rules(section("ただし、その費用は300円です。", "体育室"), "ja") == []
    assert questions_by_rules(section("体育室は300円です。", "体育室の旧料金"), "ja") == []
    assert questions_by_rules(section("It costs £5.", "Gym"), "en") == []


@pytest.mark.parametrize(
    ("heading", "language"),
    [
        ("体育室は誰でも使えますか?", "ja"),
        ("鍵をなくしました。", "ja"),
        ("Who may use the gym?", "en"),
        ("I lost my key.", "en"),
    ],
)
def test_a_heading_that_is_a_question_stays_as_it_is(heading: str, language: str) -> None:
    text = "管理人に申し出てください。" if language == "ja" else "Ask the warden."
    made = questions_by_rules(section(text, heading), "ja" if language == "ja" else "en")[0]
    assert (made.question, made.reference) == (heading, text)


def test_each_row_of_a_table_is_asked_for_in_words_that_fit_its_columns() -> None:
    ja = "| 部屋 | 定員 | 設備 |\n|---|---|---|\n| 和室 | 12名 | 畳 |\n| 調理室 | 20名 | こんろ |"
    questions = {one.question for one in questions_by_rules(section(ja, "貸室", "公民館の貸室"), "ja")}
    assert {"貸室についてです。和室の定員は何名ですか?"} <= {q.replace("の件です", "についてです").replace("のことで聞きたいのですが、", "についてです。") for q in questions}  # fmt: skip
    signs = "| 支払い | 窓口 | 券売機 |\n|---|---|---|\n| 現金 | ○ | ○ |\n| 回数券 | ○ | × |"
    assert any("回数券は、券売機でも使えますか?" in one.question for one in questions_by_rules(section(signs, "使える支払い方法"), "ja"))  # fmt: skip
    en = "| Room | Price | Includes |\n|---|---|---|\n| Tatami room | £12 | twelve cushions |\n| Kitchen | £20 | two stoves |"
    asked = [one.question for one in questions_by_rules(section(en, "Rooms"), "en")]
    assert any("hat is the price for the tatami room?" in question for question in asked)
    assert any("hat does the kitchen include?" in question for question in asked)


def test_an_answer_that_announces_a_table_is_not_cut_before_it() -> None:
    table = "| 部屋 | 料金 |\n|---|---|\n| 和室 | 500円 |\n| 調理室 | 900円 |"
    text = f"貸室を借りるときは、事務局に申し込んでください。料金は下の表を見てください。\n\n{table}"
    made = questions_by_rules(section(text, "貸室を借りるときの手続き", "公民館"), "ja")
    assert any(one.reference == text for one in made)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("your card that we send you", "my card that you send me"),
        ("if you pay us yourself", "if I pay you myself"),
        ("the US dollar", "the US dollar"),
        ("you are sure that you paid", "I am sure that I paid"),
    ],
)
def test_words_of_the_other_person(said: str, asked: str) -> None:
    assert other_person(said) == asked
