"""Errors stored as English sentences are told in the language of the reader all the same."""

from __future__ import annotations

import pytest

from core.base.budget import Budget
from core.base.errors import BudgetReached, Unusable
from core.base.kept import known_again
from core.base.translate import translated_stored_error, translator

JA, EN = translator("ja"), translator("en")
DEAD = "127.0.0.1:9 gave no proper reply, however often it was asked (HTTP 504: Gateway Timeout). Is it running?"
QUOTED = "エラーの原文「"


@pytest.mark.parametrize(
    ("told", "japanese"),
    [
        (DEAD, "127.0.0.1:9 から正しい返答がありません（HTTP 504: Gateway Timeout）。"),
        ("h asks to wait 9,999 s (busy), longer than KIKU_PATIENCE (300 s).", "9,999 秒待つよう求めました"),
        ("h refused the key (HTTP 401: no). Check it.", "キーを拒否しました（HTTP 401: no）"),
        ("h has no credit left (HTTP 429: none).", "利用枠がありません（HTTP 429: none）"),
        ("h withheld the reply (HTTP 400: filter).", "返答を拒否しました（HTTP 400: filter）"),
        (
            "h will not answer with tiny (HTTP 404). Check the address and the model's name.",
            "h は tiny へのリクエストを拒否しました",
        ),
        (str(Unusable("The reply is empty.", "")), "モデルの返答を使えません（モデルの返答が空でした）"),
        ("The reply broke off (HTTP 500).", "返答が途中で切れました"),
        ("The budget of 1,000 calls is used up. Raise it to go on.", "上限（1,000）に達した"),
        ("The reply was cut at the limit of tokens.", "トークン数の上限で途切れました"),
        ("another process has taken this run over", "引き継ぎました"),
        (
            "The cluster at tcp://a:1 has had no workers for 60 s.",
            "tcp://a:1 のクラスターからワーカーがいなくなりました",
        ),
        ("ValueError: odd", f"{QUOTED}ValueError: odd」"),
    ],
)
def test_an_older_sentence_is_told_in_japanese_with_what_it_names(told: str, japanese: str) -> None:
    assert japanese in translated_stored_error(JA, told)
    assert (QUOTED in translated_stored_error(JA, told)) == (QUOTED in japanese)


@pytest.mark.parametrize("told", [DEAD, "ValueError: odd", "", "モデルが倒れました HTTP", "-"])
def test_what_is_in_the_reader_s_language_or_none_stays_as_it_is(told: str) -> None:
    assert translated_stored_error(EN, told).startswith(told.partition(" gave")[0])
    if told not in (DEAD, "ValueError: odd"):
        assert translated_stored_error(JA, told) == told


def test_what_is_raised_today_is_known_again() -> None:
    budget = Budget(calls=1)
    with budget.call():
        pass
    with pytest.raises(BudgetReached) as spent, budget.call():
        pass
    assert (found := known_again(str(spent.value))) and found.key == "errors.budget_reached"
