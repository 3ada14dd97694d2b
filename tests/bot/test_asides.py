"""What people say around their question is left out; what tells of something bad is not."""

from __future__ import annotations

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message
from core.bot.messages.asides import leave_out_asides, without_asides
from core.bot.turn import take_turn
from core.bot.turn_context import prepare_messages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


@pytest.mark.parametrize(
    ("bot", "question", "around"),
    [
        ("hinata", "有給の日数を知りたい。", "今朝は庭の朝顔がよく咲いていましてね。{q}うちの犬も喜んでいます。"),
        ("hinata", "給料日はいつですか", "昨日は孫の七五三でした。きれいに晴れて何よりでした。{q}"),
        (
            "harbor",
            "How do I export a board?",
            "We had such lovely weather at the lake on Sunday. {q} Now I will make some soup.",
        ),
        (
            "harbor",
            "Can I change my plan?",
            "My sister's twins are staying with us and the garden is full of balloons. {q}",
        ),
    ],
)
def test_everyday_words_around_a_question_change_nothing(
    indexes: Indexes, bot: str, question: str, around: str
) -> None:
    loaded = load_bot(bot)
    index = indexes.get(loaded)
    assert without_asides(index, around.format(q=question)).strip() == question
    alone, framed = (
        take_turn(EmbeddedEngine(), loaded, index, (), text).reply for text in (question, around.format(q=question))
    )
    assert framed.kind == alone.kind
    assert framed.choices == alone.choices


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        (
            "hinata",
            "得意先の社長さんから、私の家に立派なメロンが届きました。八千円はするそうです。家族で食べてしまってもいいですか",
        ),
        (
            "harbor",
            "I sat on the ferry with no reception and wrote pages into the tablet app. I still have no internet. Is all of that gone?",
        ),
    ],
)
def test_a_story_that_tells_the_matter_stays(indexes: Indexes, bot: str, text: str) -> None:
    assert without_asides(indexes.get(load_bot(bot)), text) == text


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        ("hinata", "上司に毎日どなられて、もう会社に行けません。有給の日数を知りたい"),
        ("hinata", "先週父が亡くなりました。休みは何日取れますか"),
        ("harbor", "I don't want to live any more. How do I close my account?"),
        ("harbor", "My phone was stolen at the station. How do I sign out everywhere?"),
    ],
)
def test_what_tells_of_something_bad_stays(indexes: Indexes, bot: str, text: str) -> None:
    assert without_asides(indexes.get(load_bot(bot)), text) == text


def test_a_message_of_asides_alone_stays_as_it_is(indexes: Indexes) -> None:
    text = "The lake was lovely on Sunday. My sister made soup."
    assert without_asides(indexes.get(load_bot("harbor")), text) == text


def test_only_the_first_message_loses_asides_and_what_was_written_is_kept(indexes: Indexes) -> None:
    text = "We had such lovely weather at the lake on Sunday. How do I export a board?"
    messages = tuple(Message(role=role, text=text) for role in ("user", "assistant", "user"))
    first, *later = leave_out_asides(indexes.get(load_bot("harbor")), messages)
    assert (first.text, first.written) == ("How do I export a board?", text)
    assert tuple(later) == messages[1:]


def test_a_question_about_the_bot_in_two_halves_is_read_whole(indexes: Indexes) -> None:
    text = "中の人いる?それともAIとしゃべってんのかな俺"
    assert without_asides(indexes.get(load_bot("hinata")), text) == text


@pytest.mark.parametrize(
    ("bot", "text", "kept"),
    [
        ("minato", "せんしゅうそぼがなくなりました。そぼのアカウントをとじたいのですが、なにをよういすればよいですか", "祖母のアカウント"),
        ("hinata", "こどもがねつをだしてしまって、あしたやすみたいです。かんごきゅうかはなんにちありますか", "あした休みたい"),
    ],
)  # fmt: skip
def test_words_in_kana_are_spelt_before_asides_are_left_out(indexes: Indexes, bot: str, text: str, kept: str) -> None:
    """In kana no word of the matter would be known, and all but the last clause would be an aside."""
    (message,) = prepare_messages(indexes.get(load_bot(bot)), [Message(role="user", text=text)])
    assert kept in message.text
    assert message.written == text


def test_what_the_question_is_about_stays_if_the_rest_would_lead_elsewhere(indexes: Indexes) -> None:
    text = (
        "この前の会社の検診で、胃のところに「もっと詳しく調べなさい」という印がついて返ってきました。"
        "病院のお金は自分持ちでしょうか。仕事を抜けて行ってもいいですか。"
    )
    bot = load_bot("hinata")
    assert without_asides(indexes.get(bot), text) == text
    assert "再検査" in take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), text).reply.text
