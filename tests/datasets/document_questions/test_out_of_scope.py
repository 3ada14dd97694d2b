"""Out-of-scope questions have subjects of their own, near the domain of the documents, and absent from them."""

from __future__ import annotations

import re

import pytest

from core.base.types import Language
from core.datasets.document_questions.out_of_scope import Subject, domains, fitting_domains, out_of_scope
from core.datasets.document_questions.section import Section
from core.retrieval.lexical import Lexical
from core.text.language import script


def section(text: str, heading: str = "Rooms", document: str = "a.md") -> Section:
    return Section(document=document, title=heading, heading=heading, text=text)


HOTEL = [
    section(
        "Check-in is from 3 pm at the reception; check-out is until 11 am. Breakfast is in the hotel's garden hall."
    ),
    section("A double room has a minibar. Your booking can be cancelled two days before. Umbrellas are at the door."),
]


def drawn(sections: list[Section], language: Language, seed: int = 1) -> list[str]:
    lexical = Lexical([one.text for one in sections], script(sections[0].text))
    return [question for question, _ in out_of_scope(sections, language, seed, lexical)]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_kind_of_desk_has_enough_whole_questions_and_no_question_twice(language: Language) -> None:
    for domain in domains(language):
        assert len(domain.subjects) >= (24 if domain.signs else 16)
    questions = [subject.question for domain in domains(language) for subject in domain.subjects if domain.signs]
    assert all(re.search(r"[?。.]$", question) for question in questions)
    assert len({domain.name for domain in domains(language)}) == len(domains(language))
    for domain in domains(language):
        own = [subject.question for subject in domain.subjects]
        assert len(own) == len(set(own))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_words_of_a_subject_match_its_own_question_or_synonyms_of_it(language: Language) -> None:
    def names_itself(subject: Subject) -> bool:
        return bool(re.search(subject.absent, subject.question, re.IGNORECASE))

    subjects = [subject for domain in domains(language) for subject in domain.subjects]
    assert sum(names_itself(subject) for subject in subjects) >= 0.8 * len(subjects)


def test_the_kind_of_desk_is_read_from_the_documents() -> None:
    assert [domain.name for domain, _ in fitting_domains(HOTEL, "en")] == ["hotel"]
    assert [domain.name for domain, _ in fitting_domains([section("Stars are far away.")], "en")] == ["general"]


def test_a_subject_that_any_section_names_is_not_asked_about() -> None:
    questions = drawn(HOTEL, "en")
    assert "Do you rent out bicycles?" in questions
    assert "Can I borrow an umbrella?" not in questions
    assert "Can I get married in your garden?" not in questions


def test_the_order_is_drawn_by_the_seed_and_no_subject_comes_twice() -> None:
    assert drawn(HOTEL, "en", 1) == drawn(HOTEL, "en", 1)
    assert drawn(HOTEL, "en", 1) != drawn(HOTEL, "en", 2)
    assert len(drawn(HOTEL, "en")) == len(set(drawn(HOTEL, "en")))


def test_a_town_hall_that_names_accounts_and_doctors_is_no_bank_and_no_clinic() -> None:
    text = "住民票は市役所と区役所で受け取れます。転入の日に国民健康保険とマイナンバーの手続きをします。口座振込で受け取れます。受診の前に保険証を出します。"
    assert [domain.name for domain, _ in fitting_domains([section(text, "届け出")], "ja")] == ["city"]


def test_one_company_desk_may_be_for_staff_and_for_computers() -> None:
    text = "社員の休暇は上司に、給与と勤怠は人事に聞きます。PCとVPNとパスワードはITサポートが、複合機は総務が見ます。"
    names = [domain.name for domain, _ in fitting_domains([section(text, "社内の窓口")], "ja")]
    assert set(names) >= {"work_people", "work_it"}


def test_a_shop_is_asked_only_for_what_its_trade_has() -> None:
    shop = (
        "Your order is delivered by courier. Returns of goods in stock are free. The warranty of a bike is two years."
    )
    bikes = drawn([section(shop, "Orders")], "en")
    assert "Can a courier carry the sofa up to the fifth floor?" not in bikes
    assert "Is there a toilet that customers can use?" in bikes


def test_a_question_with_two_words_in_one_sentence_of_the_documents_is_not_asked() -> None:
    shop = "Your order is delivered by courier. The returns desk has no toilet for customers. Parcels are in stock."
    assert "Is there a toilet that customers can use?" not in drawn([section(shop, "Orders")], "en")
