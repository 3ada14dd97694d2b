"""A new question typed instead of a reply to a clarifying question is a new question; a reply stays a reply."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message
from core.bot.messages.subject_change import mark_subject_changes
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.text.conversation import count_clarifying_questions
from core.text.standalone_question import standalone_question


def changes(indexes: Indexes, name: str, opening: str, text: str) -> bool:
    bot = load_bot(name)
    index = indexes.get(bot)
    before = take_turn(EmbeddedEngine(), bot, index, (), opening)
    assert before.reply.kind == "clarify"
    return mark_subject_changes(index, (*before.as_messages(), Message(role="user", text=text)))[-1].changes_subject


@pytest.mark.parametrize(
    ("name", "opening", "text"),
    [
        ("hinata", "ボーナスについて教えて", "名刺の注文はどこに頼めばいいですか"),
        ("hinata", "休暇について教えてください", "会議室を予約するにはどうすればいいですか"),
        ("harbor", "what does it cost", "How do I export a board to CSV?"),
        ("harbor", "refund", "who can see my boards in a portal?"),
    ],
)
def test_a_documented_question_about_something_else_is_no_reply(indexes: Indexes, name: str, opening: str, text: str):
    assert changes(indexes, name, opening, text)


@pytest.mark.parametrize(
    ("name", "opening", "text"),
    [
        ("hinata", "休暇について教えてください", "2番目"),
        ("hinata", "休暇について教えてください", "契約社員です"),
        ("hinata", "休暇について教えてください", "子供が熱を出したときに使えるやつです"),
        ("hinata", "休暇について教えてください", "家族の介護で休みたいんですけど"),
        ("hinata", "ボーナスについて教えて", "いつ振り込まれますか"),
        ("hinata", "休暇について教えてください", "よくわかりません"),
        ("harbor", "cancel", "I bought it on my iPhone"),
        ("harbor", "cancel", "the second one"),
        ("harbor", "refund", "for seats we never used, is that possible?"),
    ],
)
def test_a_reply_stays_a_reply(indexes: Indexes, name: str, opening: str, text: str):
    assert not changes(indexes, name, opening, text)


def test_a_new_subject_stands_alone_and_leaves_the_clarifying_question_behind():
    asked = Message(role="assistant", text="Which one?", asks=True, choices=("Lockers", "Doors"))
    new = Message(role="user", text="When does the canteen open?", changes_subject=True)
    messages = (Message(role="user", text="keys"), asked, new)
    assert standalone_question(messages) == "When does the canteen open?"
    assert count_clarifying_questions(messages) == 0
    reply = (*messages[:2], new.model_copy(update={"changes_subject": False}))
    assert "keys" in standalone_question(reply) and count_clarifying_questions(reply) == 1


def test_a_new_subject_is_answered_from_its_own_section(indexes: Indexes):
    bot = load_bot("hinata")
    index = indexes.get(bot)
    before = take_turn(EmbeddedEngine(), bot, index, (), "ボーナスについて教えて").as_messages()
    turn = take_turn(EmbeddedEngine(), bot, index, before, "作業服が破れたら交換してもらえますか")
    assert turn.query == "作業服が破れたら交換してもらえますか"
    assert turn.hits and "制服" in turn.hits[0].passage.heading
