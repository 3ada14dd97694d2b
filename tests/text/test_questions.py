"""Japanese questions: colloquial ends, and their subject in plain form."""

import pytest

from core.text.question_subject import subject
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


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("来月籍を入れることになりました!", "来月籍を入れることになった"),
        ("大阪に行きました", "大阪に行った"),
        ("財布を落としました。", "財布を落とした"),
        ("鍵を借りました", "鍵を借りた"),
        ("封筒が来ました", "封筒が来た"),
        ("薬を飲みました", "薬を飲んだ"),
    ],
)
def test_what_was_told_politely_is_a_subject_in_plain_form(text: str, plain: str):
    assert subject(text) == plain
