"""Loanwords that are typed in hiragana."""

import pytest

from core.text.japanese import normalized_forms, words
from core.text.language import content_words


@pytest.mark.parametrize(
    ("text", "word"),
    [("ろっかーのかぎをなくした", "ロッカー"), ("こぴーきがうごかない", "コピー"), ("まちがえて けした めも", "メモ"), ("えれべーたーはどこ", "エレベーター")],
)  # fmt: skip
def test_a_loanword_in_hiragana_is_the_word(text: str, word: str) -> None:
    assert word in content_words(text)


@pytest.mark.parametrize(
    "text", ["どうすればいいですか", "いつまでに出せばいいの", "すみませんがおしえてください", "とにかくいそいでいます"]
)
def test_plain_words_in_hiragana_stay_what_they_are(text: str) -> None:
    assert not any("ァ" <= letter <= "ヺ" for word in content_words(text) for letter in word)


@pytest.mark.parametrize(
    "text", ["ぱすわーどを忘れました。", "PCのＷｉ－Ｆｉが、つながらない!", "打合せは10時から?", ""]
)
def test_forms_are_the_same_with_and_without_the_other_tags(text: str) -> None:
    left_out = frozenset({"助詞", "助動詞", "補助記号"})
    tagged = [each.normalized for each in words(text, loanwords=True) if each.part not in left_out]
    assert normalized_forms(text, left_out) == tagged
