"""Japanese, English and Chinese text."""

import pytest

from core.base.types import Language
from core.text.language import clauses, content_words, language_of, script, sentences, terms
from core.text.numbers import numbers


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("休暇は年10日です", "ja"),
        ("年次有給休暇", "ja"),
        ("华夏娱乐有限公司", "zh"),
        ("公司的股票", "zh"),
        ("How many days?", "en"),
        ("", "en"),
    ],
)
def test_the_script_is_found(text: str, wanted: str):
    assert script(text) == wanted


def test_a_text_that_shows_no_language_takes_the_fallback():
    assert language_of("123", "ja") == "ja"
    assert language_of("年次有給休暇", "en") == "en"
    assert language_of("休みます", "en") == "ja"
    assert language_of("leave", "ja") == "en"


@pytest.mark.parametrize(
    "text",
    [
        "休暇は年10日です。ただし、契約社員は5日です！",
        "「はい。」と答えます。次へ。",
        "Dr. Smith paid $3.50. It is due on Jan. 5.",
        "一行目\n二行目。三つ目。",
        "",
        "😀",
    ],
)
def test_sentences_joined_give_the_text_back(text: str):
    assert "".join(sentences(text)) == text


def test_sentences_are_cut_where_a_reader_would():
    assert len(sentences("休暇は年10日です。ただし、契約社員は5日です。")) == 2
    assert len(sentences("Dr. Smith paid $3.50. It is due today.")) == 2


def test_a_comma_within_a_number_ends_no_clause():
    assert clauses("蟹は8,000円、箱は1,200円です") == ["蟹は8,000円、", "箱は1,200円です"]
    assert clauses("rooms 1,2 and 12,400 yen, please") == ["rooms 1,", "2 and 12,400 yen,", " please"]


def test_terms_are_the_same_for_variants_of_a_word():
    assert terms("子ども") == terms("子供")
    assert terms("ＰＣ") == terms("pc")
    assert terms("cancelling plans") == terms("cancel plan")


def test_the_corpus_decides_how_han_alone_is_cut():
    assert terms("公司", "zh") == ("公司",)
    assert len(terms("有限公司", "zh")) == 3


def test_content_leaves_out_words_that_only_ask():
    assert content_words("休暇について教えてください") == ("休暇",)
    assert content_words("Can you tell me about billing?") == content_words("billing")
    assert content_words("ありがとう") == () or "有り難う" in content_words("ありがとう")


def test_numbers_are_the_same_however_they_are_written():
    assert numbers("3,000円と１０日") == {"3000", "10"}
    assert numbers("2026/10/1 and 12.5%") == {"2026/10/1", "12.5"}


@pytest.mark.parametrize("text", ["Wi-Fi", "eSIM", "MNP", "pdf", "Q&A", "Apple Pay", "Suica", "OK"])
def test_names_of_products_and_abbreviations_have_no_language(text: str):
    assert language_of(text, "ja") == "ja" and language_of(text, "en") == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("refund", "en"),
        ("Wi-Fi password", "en"),
        ("I CANT LOG IN", "en"),
        ("Is 高橋さん in today?", "en"),
        ("What does 「審査中です」 mean on my page?", "en"),
        ("Zoomのlinkを送って", "ja"),
        ('"Access denied"って何ですか', "ja"),
    ],
)
def test_an_english_sentence_may_name_something_in_japanese(text: str, language: Language):
    assert language_of(text, "ja" if language == "en" else "en") == language
