"""Small talk in words that tell no kind is heard by its meaning, and a question of the desk is not taken for it."""

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Message, Turn
from core.bot.message_kind.classifier import KINDS
from core.bot.message_kind.kind_by_meaning import kinds_by_meaning
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


def replied(indexes: Indexes, name: str, text: str, *before: Message) -> Turn:
    bot = load_bot(name)
    return take_turn(EmbeddedEngine(), bot, indexes.get(bot), before, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("harbor", "Guess who is back again"),
        ("harbor", "do you reckon pineapple belongs on pizza, be honest"),
        ("hinata", "おつかれさまでーす 今日めっちゃ暑くないですか?笑"),
        ("minato", "えっ、天才じゃない?"),
    ],
)
def test_small_talk_in_words_that_tell_no_kind_is_heard_by_its_meaning(indexes: Indexes, name: str, text: str):
    turn = replied(indexes, name, text)
    assert turn.reply.kind == "answer" and turn.reply.answered and not turn.reply.cited and not turn.hits


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("harbor", "nice app! is there a dark theme"),
        ("harbor", "thanks, but where do I send the form?"),
        ("minato", "すごいですね。ところで月いくらですか"),
    ],
)
def test_a_question_of_the_desk_is_none_by_its_meaning(name: str, text: str):
    chances = kinds_by_meaning(text)
    assert set(chances) == set(KINDS) and sum(chances.values()) == pytest.approx(1)
    assert chances["request"] > 0.5


def test_a_later_message_is_small_talk_by_its_meaning_only_if_that_is_nearly_certain(indexes: Indexes):
    first = replied(indexes, "harbor", "How fast do I get an answer from support?")
    later = replied(indexes, "harbor", "nah im talking about the business tier", *first.as_messages())
    assert not later.assessment.asks_nothing and "Business plan" in later.reply.text
