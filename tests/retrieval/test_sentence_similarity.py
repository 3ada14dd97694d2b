"""How alike a question and sentences are in meaning."""

import pytest

from core.retrieval.sentence_similarity import sentence_similarities


@pytest.mark.parametrize(
    ("question", "alike", "other"),
    [
        ("給料はいつもらえますか", "賃金は毎月25日に支払います。", "駐車場は建物の裏にあります。"),
        ("When do I get my money?", "Wages are paid on the 25th.", "The car park is behind the building."),
    ],
)
def test_a_sentence_in_other_words_is_nearer_than_another_matter(question: str, alike: str, other: str):
    near, far = sentence_similarities(question, [alike, other])
    assert 0 <= far < near <= 1


def test_the_same_words_are_as_near_as_can_be():
    assert sentence_similarities("給料の支払日", ["給料の支払日"])[0] == pytest.approx(1, abs=1e-5)


def test_what_has_no_word_with_a_vector_is_like_nothing():
    assert sentence_similarities("？", ["賃金は毎月25日に支払います。"]) == [0.0]
    assert sentence_similarities("給料", []) == []
