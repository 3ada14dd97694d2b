"""Several questions in a message after others: each is answered, and what only reacts to the reply is no question."""

from __future__ import annotations

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message
from core.bot.messages.questions_in_conversation import questions_in_conversation, questions_to_answer
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections, prepare_messages
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("それって何日くらい待ちますか。あと高いですか", 2),
        ("does it cost extra, and how long does it take?", 2),
        ("見つかりました、怒ってすみません。ついでに、鍵は借りられますか", 0),
        ("え、修理ってそんなにかかるの?二か月って長すぎない?", 0),
        ("a whole week, seriously?? how long does the other one take", 0),
    ],
)
def test_what_only_reacts_to_the_reply_is_no_question(text: str, count: int):
    assert len(questions_to_answer(text)) == count


def test_each_of_several_questions_after_an_answer_gets_its_section(indexes: Indexes):
    bot, engine = load_bot("harbor"), EmbeddedEngine()
    index = indexes.get(bot)
    before = take_turn(engine, bot, index, (), "How to close a workspace on the web").as_messages()
    assert not before[-1].asks
    text = "what happens to the boards then? and is there a way to open it again later?"
    reply = take_turn(engine, bot, index, before, text).reply
    assert reply.kind == "answer" and "reopen" in reply.text.lower()
    conversation = prepare_messages(index, (*before, Message(role="user", text=text)))
    asked = questions_in_conversation(index, conversation, find_sections(index, conversation))
    assert len(asked) == 2 and "boards" in asked[0].text and "open it again" in asked[1].text
    for one in asked:
        assert list(one.probabilities) == sorted(one.probabilities, reverse=True)
        assert all(0 <= chance <= 1 for chance in one.probabilities)


def test_a_first_message_and_a_picked_choice_have_no_later_questions(indexes: Indexes):
    bot = load_bot("harbor")
    index = indexes.get(bot)
    text = "what happens to the boards? and is there a way back?"
    first = (Message(role="user", text=text),)
    assert questions_in_conversation(index, first, ()) == ()
    offered = Message(role="assistant", text="Which?", asks=True, choices=(text,))
    assert questions_in_conversation(index, (Message(role="user", text="hm"), offered, *first), ()) == ()
