"""Summarises a user's earlier conversations for the prompt, if the user shares them: a few lines of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from core.base.clean_text import shorten
from core.base.types import Message
from core.text.conversation import user_texts

# Conversations in the summary.
MAX_CONVERSATIONS = 3
# Characters of one message.
MAX_CHARACTERS = 160
# Messages of the user in one conversation, the last ones.
MAX_MESSAGES = 4


def earlier_text(conversations: Iterable[tuple[date | None, Sequence[Message]]]) -> str:
    """The newest conversations as lines: the day, the user's last messages and the bot's last reply, all cut short.

    conversations: (day, messages), newest first; those without a message of the user are left out.
    """
    blocks = (_block(day, messages) for day, messages in conversations)
    return "\n\n".join([block for block in blocks if block][:MAX_CONVERSATIONS])


def _block(day: date | None, messages: Sequence[Message]) -> str:
    said = [text for text in user_texts(messages) if text.strip()]
    replies = [message.text for message in messages if message.role == "assistant" and message.text.strip()]
    lines = [f"- {shorten(text, MAX_CHARACTERS)}" for text in said[-MAX_MESSAGES:]]
    lines += [f"→ {shorten(text, MAX_CHARACTERS)}" for text in replies[-1:]]
    return "\n".join([*([day.isoformat()] if day else []), *lines]) if said else ""
