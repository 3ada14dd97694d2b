"""Colloquial ends of Japanese questions are heard, and words that only look like them are not."""

import pytest

from core.text.questions import asks, asks_in_earnest, asks_or_needs


@pytest.mark.parametrize(
    "text",
    [
        "忌引きになりますかね",
        "休めるのかなあ",
        "間に合いますかねぇ…",
        "いいかしら。",
        "いくらですか…",
        "出ないんでしょうかね",
    ],
)
def test_colloquial_questions_ask(text: str):
    assert asks(text) and asks_in_earnest(text) and asks_or_needs(text)


@pytest.mark.parametrize("text", ["静かな部屋を使っています", "確かなことです", "だめですよね…", "いつかまた来ます"])
def test_words_that_look_like_such_an_end_do_not(text: str):
    assert not asks_in_earnest(text)
