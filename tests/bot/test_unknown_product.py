"""A question about a product of which the documents say nothing."""

import pytest

from core.base.bot_folder import load_bot
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes


@pytest.mark.parametrize(
    ("bot", "text", "name"),
    [
        ("harbor", "How do I cancel my Netflix subscription?", "Netflix"),
        ("minato", "メルカリの退会方法は?", "メルカリ"),
    ],
)
def test_nothing_is_said_of_a_product_that_the_documents_do_not_know(indexes: Indexes, bot: str, text: str, name: str):
    loaded = load_bot(bot)
    turn = take_turn(EmbeddedEngine(), loaded, indexes.get(loaded), (), text)
    assert turn.reply.kind == "answer" and not turn.reply.answered and not turn.reply.cited
    assert name in turn.reply.text


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        ("harbor", "how do I import my boards from Trello?"),
        ("harbor", "How do I restore a deleted Borad?"),
        ("minato", "Evernoteから取り込みたい"),
    ],
)
def test_a_product_that_a_section_is_asked_about_is_searched_for(indexes: Indexes, bot: str, text: str):
    loaded = load_bot(bot)
    reply = take_turn(EmbeddedEngine(), loaded, indexes.get(loaded), (), text).reply
    assert "say nothing about" not in reply.text and "記載がありません" not in reply.text
