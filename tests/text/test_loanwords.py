"""Loanwords that are typed in hiragana."""

import pytest

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
