"""Dialects are read as standard Japanese, and nothing else changes."""

from __future__ import annotations

import pytest

from core.text.dialect import standard_japanese


@pytest.mark.parametrize(
    ("dialect", "standard"),
    [
        ("メールこーへんねんけど", "メール来ないんだけど"),
        ("まだ来いひん", "まだ来ない"),
        ("ログインできひんねん", "ログインできないんだ"),
        ("まだもろてへんし", "まだもらってないし"),
        ("うごかへんようになってしもた", "うごかないようになってしまった"),
        ("かえへんかった", "かえなかった"),
        ("有給とられへん言われた", "有給とられない言われた"),
        ("お金あらへん。", "お金ない。"),
        ("今日中に出さなあかんの？", "今日中に出さないといけないの？"),
        ("どないしたらええのん", "どうしたらいいのん"),
        ("月なんぼ", "月いくら"),
        ("わからんけん、教えて", "わからんから、教えて"),
        ("どげんすれば申し込めますか", "どうすれば申し込めますか"),
        ("なして使えないんだべ", "なぜ使えないんだろう"),
        ("会社の予定やねん", "会社の予定なんだ"),
        ("途中で消えてもうた", "途中で消えてしまった"),
    ],
)
def test_endings_and_everyday_words_become_standard(dialect: str, standard: str) -> None:
    assert standard_japanese(dialect) == standard


@pytest.mark.parametrize(
    "text",
    [
        "このへんに駐車場はありますか",
        "なにかへんな音がする",
        "画面がへんです",
        "そこらへんのコピー機",
        "たいへん困っています",
        "らいねんの休み",
        "ていねんは何歳",
        "やけどをした",
        "真剣、しんけん!",
        "ほけん、たいけん、じょうけん",
        "消えちゃうんですか",
        "年額は選べないの?",
        "みなしてもらえますか",
        "ええと、明日です",
        "あかんぼうの保険証",
    ],
)
def test_standard_japanese_stays(text: str) -> None:
    assert standard_japanese(text) == text
