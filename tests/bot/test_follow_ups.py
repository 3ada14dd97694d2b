"""What comes after the first turn: short follow-ups, the same question never twice, another language than the documents'."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Answer, Clarify, Message, Turn
from core.bot.decision import was_asked
from core.bot.embedded.quotes import likeliest_pieces
from core.bot.turn import take_turn
from core.documents.heading_names import last_heading
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


def talk(indexes: Indexes, name: str, *texts: str) -> Turn:
    bot, messages = load_bot(name), ()
    turn: Turn | None = None
    for text in texts:
        turn = take_turn(EmbeddedEngine(), bot, indexes.get(bot), messages, text)
        messages += turn.as_messages()
    assert turn
    return turn


def test_a_short_question_after_an_answer_is_about_the_same_matter(indexes: Indexes):
    turn = talk(indexes, "hinata", "休暇について教えてください", "夏休みのことです", "何日？")
    assert turn.query == "休暇（夏休み）について、何日？" and "3日" in turn.reply.text


@pytest.mark.parametrize(
    ("bot", "first", "text", "leans"),
    [
        ("hinata", "名刺の注文方法を教えてください", "それはいくらですか", True),
        ("hinata", "名刺の注文方法を教えてください", "いつ届く?", True),
        ("hinata", "名刺の注文方法を教えてください", "この前もらった源泉徴収票をなくしました", False),
        ("harbor", "How do I cancel a subscription that I bought on my iPhone?", "how long can I still use it?", True),
        (
            "harbor",
            "How do I cancel a subscription that I bought on my iPhone?",
            "How do I correct the VAT number on an invoice?",
            False,
        ),
    ],
)
def test_a_message_needs_the_question_before_it_or_does_not(
    indexes: Indexes, bot: str, first: str, text: str, leans: bool
):
    assert (talk(indexes, bot, first, text).standalone_question != text) is leans


@pytest.mark.parametrize("request_after", ["休暇について教えてください", "経費の精算をしたい"])
def test_a_vague_request_on_a_new_matter_is_asked_about_as_if_it_came_first(indexes: Indexes, request_after: str):
    for first in ("名刺の注文方法を教えて", "会社のスマートフォンをなくしてしまいました"):
        turn = talk(indexes, "hinata", first, request_after)
        assert turn.reply.kind == "clarify"
        assert turn.reply.choices == talk(indexes, "hinata", request_after).reply.choices


def test_a_question_about_another_device_is_about_that_alone(indexes: Indexes):
    turn = talk(indexes, "minato", "iPhoneのアプリがすぐ落ちます", "アンドロイドだとどうするの?")
    assert "アンドロイド" in turn.query and "iPhone" not in turn.query and "Android" in turn.hits[0].passage.heading


def test_the_part_of_an_answer_that_is_asked_for_is_shown_again(indexes: Indexes):
    turn = talk(indexes, "hinata", "名刺の注文方法を教えてください", "急ぎだと何日?")
    assert turn.reply.text.startswith("先ほどのご案内") and "2営業日" in turn.reply.text


def test_a_part_of_an_answer_that_likely_says_nothing_of_what_is_asked_is_shown_as_the_nearest_one(indexes: Indexes):
    unsure = talk(indexes, "minato", "ファイルの上限は何MBですか", "つまり重いってことですよね?")
    assert unsure.reply.text.startswith("お尋ねへの答えになっているか確かではありませんが")
    assert unsure.reply.cited and "お問い合わせください" in unsure.reply.text  # type: ignore[union-attr]
    first = "How long can deleted boards be restored?"
    sure = talk(indexes, "harbor", first, "and on the Pro plan, how many days in the trash?")
    assert "60" in sure.reply.text and "not sure" not in sure.reply.text


def test_a_follow_up_that_no_document_answers_is_refused_without_the_section_just_quoted(indexes: Indexes):
    first = talk(indexes, "harbor", "How long can deleted boards be restored?")
    assert isinstance(first.reply, Answer) and first.reply.cited
    turn = talk(indexes, "harbor", "How long can deleted boards be restored?", "does it smell nice?")
    assert isinstance(turn.reply, Answer) and not turn.reply.answered and not turn.reply.cited
    assert last_heading(first.hits[first.reply.cited[0] - 1].passage.heading) not in turn.reply.choices


def test_if_any_piece_of_a_section_may_answer_all_are_shown():
    assert likeliest_pieces([5.0, 0.0, 0.0, 0.0]) == [0]
    assert sorted(likeliest_pieces([3.0, 3.0, 0.0, 0.0])) == [0, 1]
    assert sorted(likeliest_pieces([1.0, 0.9, 1.0, 0.9])) == [0, 1, 2, 3]


def test_a_follow_up_on_a_settled_matter_is_not_asked_about(indexes: Indexes):
    turn = talk(indexes, "minato", "ファイルの上限は何MBですか", "チームプランだと？")
    assert turn.reply.kind == "answer" and turn.reply.answered


def test_the_same_question_is_not_asked_twice():
    question = Clarify(text="どれですか。", choices=("年休", "代休"))
    other = Message(role="assistant", text="確認させてください。", asks=True, choices=("代休", "年休"))
    same = Message(role="assistant", text="どれですか。", asks=True)
    answer = Message(role="assistant", text="どれですか。")
    assert was_asked(question, (other,)) and was_asked(question, (same,)) and not was_asked(question, (answer,))
    assert not was_asked(Clarify(text="いつですか。"), (other,))


def test_a_bot_asked_again_searches_with_what_it_has(indexes: Indexes):
    first = talk(indexes, "hinata", "休みたいです")
    again = talk(indexes, "hinata", "休みたいです", "休みたいです")
    assert first.decision == "ask"
    assert again.decision == "search" or set(again.reply.choices) != set(first.reply.choices)  # type: ignore[union-attr]


def test_who_writes_in_another_language_is_told_that_of_the_documents(indexes: Indexes):
    english = talk(indexes, "minato", "Is there a swimming pool on the moon?")
    assert not english.reply.answered and "in Japanese" in english.reply.text
    japanese = talk(indexes, "harbor", "月にプールはありますか")
    assert not japanese.reply.answered and "英語" in japanese.reply.text


def test_each_question_of_a_follow_up_gets_the_subject_before(indexes: Indexes):
    turn = talk(
        indexes, "hinata", "在宅勤務って週に何回までできますか", "申請はいつまでにすればいいですか?あと手当は出ますか"
    )
    assert "前営業日の17時" in turn.reply.text and "200円" in turn.reply.text
    turn = talk(
        indexes,
        "harbor",
        "How do I turn on two-step verification?",
        "What if I lose my phone, and can I turn it off later?",
    )
    assert "You lost the phone with the authenticator app" in turn.reply.text and "Turn off" in turn.reply.text


def test_an_answer_is_not_given_twice(indexes: Indexes):
    question = "クレジットカードの支払いに失敗したらどうなりますか"
    once, twice = talk(indexes, "minato", question), talk(indexes, "minato", question, question)
    assert once.reply.text != twice.reply.text and "先ほど" in twice.reply.text
    unhelped = talk(indexes, "harbor", "How long can I restore a deleted board?", "that didn't help")
    assert "did not help" in unhelped.reply.text and unhelped.reply.choices


def test_none_of_the_choices_and_both_of_them(indexes: Indexes):
    bot, choices = load_bot("minato"), ("支払い方法ごとのプラン変更の場所", "プラン変更の差額の計算")
    asked = (
        Message(role="user", text="プランを変えたい"),
        Message(role="assistant", text="どちらですか。", asks=True, choices=choices),
    )
    both = take_turn(EmbeddedEngine(), bot, indexes.get(bot), asked, "どっちも").reply
    assert both.kind == "answer" and len(set(both.cited)) == 2
    none = take_turn(EmbeddedEngine(), bot, indexes.get(bot), asked, "どれでもない").reply
    assert none.kind == "clarify" and not none.choices


@pytest.mark.parametrize(
    ("bot", "first", "text"),
    [
        ("minato", "iPhoneのアプリがすぐ落ちます", "アンドロイドの場合は?"),
        ("harbor", "How do I cancel a subscription that I bought on my iPhone?", "and on Android?"),
    ],
)
def test_a_message_that_names_another_device_alone_asks_the_same_again(
    indexes: Indexes, bot: str, first: str, text: str
):
    turn = talk(indexes, bot, first, text)
    assert turn.standalone_question != text and "iPhone" not in turn.standalone_question


def test_a_topic_before_its_question_is_no_question_of_its_own(indexes: Indexes):
    reply = talk(indexes, "hinata", "在宅勤務について、手当は出ますか").reply
    assert "200円" in reply.text and reply.cited == (1,)
