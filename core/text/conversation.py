"""Reads a conversation: its language, what is still open, and whether the last answer helped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from core.base.types import Language, Message
from core.text.language import content_words, language_of
from core.text.message_questions import own_things
from core.text.offered_choices import picked_choices
from core.text.questions import is_question
from core.text.reactions import says_unhelped

_CHANGES = re.compile(
    r"ところで|そういえば|そう言えば|別の(?:質問|件|話)|別件|話は?変わ|ほかの質問|\b(?:different|another|new|other) (?:question|topic|thing)|\bby the way\b|^\s*btw\b",
    re.IGNORECASE,
)
_WORDS_ABOUT_ANSWERS = (
    "答え 回答 説明 返事 案内 方法 役 無理 同じ 意味 話 解決 再起動",
    "help answer reply same work tried read luck question useful helpful fix solve stuck thing",
)


def is_clarifying_question(message: Message) -> bool:
    """Whether a message of the bot is a clarifying question (marked as one, or by its ending)."""
    return message.role == "assistant" and (message.asks or is_question(message.text))


def language_spoken(messages: Sequence[Message], fallback: Language) -> Language:
    """The language of the user's last message, or, if it shows none ("Wi-Fi"), of the newest one that does; `fallback`
    if none does."""
    for message in reversed(messages):
        spoken = language_of(message.text, "ja") if message.role == "user" else None
        if spoken and spoken == language_of(message.text, "en"):
            return spoken
    return fallback


def user_texts(messages: Iterable[Message]) -> list[str]:
    """The texts of the user's messages, in order."""
    return [message.text for message in messages if message.role == "user"]


def open_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages since the bot's last answer: the opening, the bot's clarifying questions and the replies to them.

    An answer is still open, like a clarifying question, if the next message picks one of its choices.
    """
    last = max((i for i, m in enumerate(messages) if m.role == "assistant" and not _is_open(messages, i)), default=-1)
    return tuple(messages[last + 1 :])


def _is_open(messages: Sequence[Message], place: int) -> bool:
    """Whether the message is a clarifying question of the bot, or an answer of whose choices the next message picks
    one.

    Not if the next message picks nothing and says that it is about something else.
    """
    message, after = messages[place], messages[place + 1 : place + 2]
    if after and message.choices and picked_choices(message.choices, after[0].text):
        return True
    return is_clarifying_question(message) and not (after and begins_new_subject(after[0]))


def begins_new_subject(message: Message) -> bool:
    """Whether a message says, or is marked, that it is about something else."""
    return message.changes_subject or bool(_CHANGES.search(message.text))


def map_user_messages(messages: Sequence[Message], rewrite: Callable[[str], str]) -> tuple[Message, ...]:
    """The messages, each of the user's with the text that `rewrite` returns for it; the original is in `written`."""
    mapped: list[Message] = []
    for message in messages:
        text = rewrite(message.text) if message.role == "user" else message.text
        changed = {"text": text, "written": message.written or message.text}
        mapped.append(message.model_copy(update=changed) if text != message.text else message)
    return tuple(mapped)


def count_clarifying_questions(messages: Sequence[Message]) -> int:
    """The number of clarifying questions that the bot has asked in the conversation."""
    return sum(m.role == "assistant" and _is_open(messages, place) for place, m in enumerate(messages))


def is_unhelped(messages: Sequence[Message]) -> bool:
    """Whether the last message says that the answer before it did not help, and names nothing new."""
    if len(messages) < 2 or is_clarifying_question(messages[-2]) or not says_unhelped(messages[-1].text):
        return False
    known = {word for message in messages[:-1] for word in content_words(message.text)}
    return own_things(messages[-1].text) - _words(*_WORDS_ABOUT_ANSWERS) <= known


@cache
def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in content_words(text))
