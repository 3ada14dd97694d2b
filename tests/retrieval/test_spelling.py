"""A slip in a word of Latin letters does not hide the passage that has the word."""

import numpy as np
import pytest

from core.retrieval.lexical import Lexical

TEXTS = ["Recommend Harbor to a friend and get a credit.", "Change the password of your account.", "Cards and boards."]


@pytest.mark.parametrize("query", ["reccomend harbor to a freind", "recomend", "my pasword", "accuont password"])
def test_a_slip_finds_the_passage_of_the_word_that_is_meant(query: str):
    slips, meant = Lexical(TEXTS, "en"), 1 if "pas" in query else 0
    assert int(np.argmax(slips.scores(query))) == meant
    assert slips.coverage(query, meant) == pytest.approx(1.0)


@pytest.mark.parametrize("query", ["bards", "xecommend", "12345", "frenzied", "wart"])
def test_a_word_that_is_no_slip_stands_for_no_other(query: str):
    lexical = Lexical(TEXTS, "en")
    assert not lexical.scores(query).any()
    assert [lexical.coverage(query, place) for place in range(3)] == [0.0, 0.0, 0.0]


def test_a_known_word_is_not_changed():
    lexical = Lexical([*TEXTS, "Recommends nothing; a fiend."], "en")
    assert lexical.coverage("fiend", 3) == 1.0 and lexical.coverage("fiend", 0) == 0.0


def test_words_of_other_letters_are_not_guessed():
    assert Lexical(["休暇の申請"], "ja").coverage("休暙", 0) == 0.0
