"""A message after others is about what the whole conversation says: details of a case, the section just shown, or something
new."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Answer, Conversation, Message, Topic, Turn
from core.bot.answer_ask_refuse import is_answered_later, later_response
from core.bot.messages.sections_in_conversation import offered_sections, quoted_sections, sections_in_conversation
from core.bot.turn import take_turn
from core.bot.turn_context import prepare_messages, turn_context
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.standalone_question import standalone_question


def turns(indexes: Indexes, name: str, *texts: str) -> list[Turn]:
    bot, messages, found = load_bot(name), (), list[Turn]()
    for text in texts:
        found.append(take_turn(EmbeddedEngine(), bot, indexes.get(bot), messages, text))
        messages += found[-1].as_messages()
    return found


def asked(first: str, reply: str) -> Conversation:
    """A first message, the bot's question back, and the reply to that."""
    question = Message(role="assistant", text="どの内容をお知りになりたいですか。", asks=True, choices=("A", "B"))
    return (Message(role="user", text=first), question, Message(role="user", text=reply))


@pytest.mark.parametrize(
    ("first", "reply", "question"),
    [
        ("退会したい", "月払いです。五月に入りました。", "退会したい件について、月払いです、五月に入りました"),
        ("何時までですか?", "土曜。ごはんです", "土曜、ごはん、何時までですか?"),
        ("how much is it if I'm late", "concession. two things", "how much is it if I'm late — concession, two things"),
        ("退会したい", "ありがとうございます。月払いです", "退会したい件について、月払いです"),
    ],
)
def test_everything_that_a_reply_to_a_question_tells_is_joined_to_what_was_asked(first: str, reply: str, question: str):
    assert standalone_question(asked(first, reply)) == question


def test_a_reply_that_asks_something_itself_is_not_made_one_sentence():
    said = standalone_question(asked("休暇について", "夏休みです。何日ありますか？"))
    assert "何日ありますか" in said


@pytest.mark.parametrize(
    ("bot", "first", "then", "fact"),
    [
        ("hinata", "出張に行くのでホテル代の上限を教えて", "名古屋です。来週の火曜から2泊", "10,000円"),
        ("harbor", "how big can a file be", "we're on business, it's a video", "1 GB"),
    ],
)
def test_a_detail_without_a_question_is_answered_with_what_was_asked(
    indexes: Indexes, bot: str, first: str, then: str, fact: str
):
    reply = turns(indexes, bot, first, then)[-1].reply
    assert isinstance(reply, Answer) and fact in reply.text


def test_the_sections_of_a_later_message_have_probabilities_best_first(indexes: Indexes):
    bot = load_bot("hinata")
    index = indexes.get(bot)
    before = turns(indexes, "hinata", "名刺の注文方法を教えてください")[0].as_messages()
    conversation = prepare_messages(index, (*before, Message(role="user", text="いつ届きますか")))
    found = sections_in_conversation(index, conversation)
    chances = [one.in_conversation or 0.0 for one in found]
    assert chances == sorted(chances, reverse=True) and 0 < chances[-1] <= chances[0] < 1
    assert "名刺" in f"{found[0].title}{found[0].heading}"


@pytest.mark.parametrize("text", ["全部違います", "わかりません", "ところで、有給は何日ですか"])
def test_rejections_and_new_subjects_are_looked_for_alone(indexes: Indexes, text: str):
    bot = load_bot("hinata")
    before = turns(indexes, "hinata", "休暇について教えてください")[0].as_messages()
    context = turn_context(bot, indexes.get(bot), (*before, Message(role="user", text=text)))
    assert not context.is_later_message


def test_a_first_message_has_no_probabilities_in_a_conversation(indexes: Indexes):
    bot = load_bot("hinata")
    context = turn_context(bot, indexes.get(bot), (Message(role="user", text="有給は何日ですか"),))
    assert not context.is_later_message and context.topics[0].in_conversation is None


def test_quoted_and_offered_sections_are_those_of_the_last_reply(indexes: Indexes):
    bot = load_bot("hinata")
    index = indexes.get(bot)
    turn = turns(indexes, "hinata", "名刺の注文方法を教えてください")[0]
    assert isinstance(turn.reply, Answer) and turn.reply.cited
    reply = turn.as_messages()[-1]
    cited = {(hit.document, hit.heading) for hit in (turn.hits[number - 1] for number in turn.reply.cited)}
    assert cited <= quoted_sections(index, reply)
    assert quoted_sections(index, Message(role="assistant", text="こんにちは")) == frozenset()
    heading = index.passages[0]
    offer = Message(role="assistant", text="?", asks=True, choices=(heading.heading.rsplit(" › ", 1)[-1],))
    assert (heading.document, heading.heading) in offered_sections(index, offer)


@pytest.mark.parametrize(
    ("chances", "response"),
    [
        ([0.5, 0.4], "answer"),
        ([0.2, 0.05], "answer"),  # far ahead of the others
        ([0.3, 0.25, 0.2], "ask"),
        ([0.2, 0.15, 0.02], "refuse"),
        ([0.01], "refuse"),
    ],
)
def test_what_is_done_follows_the_probabilities(chances: list[float], response: str):
    topics = [
        Topic(document="d", title="t", heading=str(place), score=1.0, in_conversation=chance, has_examples=True)
        for place, chance in enumerate(chances)
    ]
    assert later_response(topics) == response
    assert is_answered_later(chances) is (response == "answer")


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("can i talk to a real person please", "How do I reach a human?"),
        ("some bot answered, I want to speak to a human", "How do I reach a human?"),
    ],
)
def test_a_bot_without_contacts_says_where_it_is_written_how_to_reach_a_human(tmp_path: Path, text: str, section: str):
    bot = tmp_path / "knowledge" / "shop"
    (bot / "documents").mkdir(parents=True)
    (bot / "documents" / "faq.txt").write_text(
        "Shop: questions and answers\n\nQ: Where are my parcels?\nA: See the tracking page under your account.\n\n"
        "Q: How do I reach a human?\nA: Write to help@shop.example or call 01632 960 333 from 9 to 5.\n",
        "utf-8",
    )
    (bot / "bot.toml").write_text('name = "Shop"\nlanguage = "en"\n', "utf-8")
    loaded = load_bot("shop", tmp_path / "knowledge")
    turn = take_turn(EmbeddedEngine(), loaded, Indexes(tmp_path / "index").get(loaded), (), text)
    assert isinstance(turn.reply, Answer) and section in turn.reply.choices and not turn.reply.cited
