"""Reading a conversation: what is still open, what was asked back, what a reply picks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.language import content, normalise
from core.base.types import Message

_QUESTION_END = re.compile(r"(?:[?？]|(?:です|ます|でしょう|ません|ください|下さい)か[。．!！]?)[」』)）\s]*$")
_UNKNOWN = re.compile(
    r"わかりません|分かりません|わからない|分からない|存じません|不明です|特にありません|知りません"
    r"|\bi (?:do not|don['’]t) know\b|\bnot sure\b|\bno idea\b|\bcan['’]t say\b",
    re.IGNORECASE,
)
_ORDINALS = (
    re.compile(r"(?:^|[^\d])[1１](?:番|つ目|つめ|$)|一つ目|ひとつ目|最初|前者|\bfirst\b|\bformer\b"),
    re.compile(r"(?:^|[^\d])[2２](?:番|つ目|つめ|$)|二つ目|ふたつ目|後者|\bsecond\b|\blatter\b"),
    re.compile(r"(?:^|[^\d])[3３](?:番|つ目|つめ|$)|三つ目|みっつ目|\bthird\b"),
    re.compile(r"(?:^|[^\d])[4４](?:番|つ目|つめ|$)|四つ目|よっつ目|\bfourth\b"),
)


def is_question_back(message: Message) -> bool:
    """Whether an assistant's message asks the person something (marked, or by how it ends)."""
    return message.role == "assistant" and (message.asks or bool(_QUESTION_END.search(message.text.strip())))


def open_part(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages since the bot's last answer: the opening, the bot's questions back and the replies to them."""
    last = max((i for i, m in enumerate(messages) if m.role == "assistant" and not is_question_back(m)), default=-1)
    return tuple(messages[last + 1 :])


def asked_back(messages: Sequence[Message]) -> int:
    """How often the bot has asked back in the conversation."""
    return sum(1 for message in messages if is_question_back(message))


def knows_not(text: str) -> bool:
    """Whether a reply says that the person does not know."""
    return bool(_UNKNOWN.search(text)) and len(content(text)) <= 4


def pick(choices: Sequence[str], reply: str) -> str:
    """The offered choice that a reply names by its words or its number; "" when it names none."""
    plain = normalise(reply)
    for choice in choices:
        if normalise(choice) == plain:
            return choice
    if len(content(reply)) <= 3:
        for choice, ordinal in zip(choices, _ORDINALS, strict=False):
            if ordinal.search(plain):
                return choice
    return ""
