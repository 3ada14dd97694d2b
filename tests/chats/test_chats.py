"""Chats go on by themselves, and a reply that fails is a row."""

from __future__ import annotations

import pytest

from core.base.errors import BadInput
from core.base.types import Bot
from core.bot.answer.answer import Answering
from core.chats.chats import Chats
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.store.rows import messages_of
from core.store.store import Store
from tests.support.small_bot import Gated, Stumbling


def test_a_reply_comes_in_pieces_and_is_stored(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    chats = Chats(store, small_indexes, EmbeddedEngine())
    chat = store.chats.create(bot.id)
    reply = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    assert "".join(reply.pieces()) == reply.turn(20).reply.text == "".join(reply.pieces())
    (row,) = store.chats.turns(chat)
    assert row.turn is not None and row.reply_text == reply.turn().reply.text and chats.reply(chat) is None


def test_a_reply_is_found_again_while_it_is_made(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    chats = Chats(store, small_indexes, engine)
    chat = store.chats.create(bot.id)
    first = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    assert engine.asked.wait(20)
    assert chats.reply(chat) is first and not first.done
    assert chats.send(chat, bot, "交通費の精算の期限はいつですか") is first
    with pytest.raises(BadInput) as error:
        chats.send(chat, bot, "年次有給休暇は何日つきますか")  # from another tab: neither lost nor mixed in
    assert error.value.key == "chat_busy" and len(store.chats.turns(chat)) == 1
    assert store.chats.turns(chat)[0].turn is None
    with pytest.raises(TimeoutError):
        first.turn(0.01)
    engine.gate.set()
    assert first.turn(20).reply.text and len(store.chats.turns(chat)) == 1


def test_what_was_said_before_is_part_of_the_next_turn(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    chats = Chats(store, small_indexes, EmbeddedEngine())
    chat = store.chats.create(bot.id)
    asked = chats.send(chat, bot, "休暇について教えてください").turn(20)
    assert asked.route.decision == "ask"
    answered = chats.send(chat, bot, "子の看護休暇の日数です").turn(20)
    assert answered.route.decision == "search" and "看護" in answered.query
    assert [message.role for message in messages_of(store.chats.turns(chat))] == ["user", "assistant"] * 2


def test_a_reply_that_fails_is_a_row_and_the_chat_goes_on(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    chats = Chats(
        store, small_indexes, Stumbling(lambda prompt: isinstance(prompt, Answering) and "交通費" in prompt.question)
    )
    chat = store.chats.create(bot.id)
    failed = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    with pytest.raises(RuntimeError):
        failed.turn(20)
    assert list(failed.pieces()) == []
    assert store.chats.turns(chat)[0].error == "RuntimeError: the model fell over"
    assert chats.send(chat, bot, "年次有給休暇は入社からどれくらいで何日つきますか").turn(20).reply.text
    assert [row.number for row in store.chats.turns(chat)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "key"), [("", "empty_message"), (" \n　", "empty_message"), ("あ" * 20_000, "long_message")]
)
def test_a_message_that_cannot_be_read_is_reported_and_not_stored(
    store: Store, small_indexes: Indexes, bot: Bot, text: str, key: str
) -> None:
    chat = store.chats.create(bot.id)
    with pytest.raises(BadInput) as error:
        Chats(store, small_indexes, EmbeddedEngine()).send(chat, bot, text)
    assert error.value.key == key and store.chats.turns(chat) == []


@pytest.mark.parametrize("text", ["😀😀😀", "<b>$x^2$</b> **[a](javascript:alert(1))**", "\x00\u200b!?"])
def test_a_strange_message_is_a_turn_like_any_other(store: Store, small_indexes: Indexes, bot: Bot, text: str) -> None:
    chat = store.chats.create(bot.id)
    turn = Chats(store, small_indexes, EmbeddedEngine()).send(chat, bot, text).turn(20)
    assert turn.reply.text and store.chats.turns(chat)[0].user_text == text
