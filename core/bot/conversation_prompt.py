"""The base of the bot's prompts: the conversation, the user, the date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from pydantic import Field

from core.base.prompt import Prompt
from core.base.types import Message
from core.text.citations import without_citations
from core.text.dates import date_text

R = TypeVar("R")


class ConversationPrompt(Prompt[R]):
    """A prompt over a conversation; its template includes `conversation.<language>.md`."""

    required = ("dialogue",)
    conversation: tuple[Message, ...]
    profile: str = ""  # what is known of the user, on one line
    earlier: str = ""  # a summary of the earlier conversations that the user shares
    today: date | None = None  # the date that guidelines and documents assume
    # The embedded engine's reply (core/bot/embedded), if that needs more of the turn than a model is shown
    without_model_reply: Callable[[], R] | None = Field(default=None, exclude=True, repr=False)

    def without_model(self) -> R:
        """The embedded engine's reply."""
        return self.without_model_reply() if self.without_model_reply else super().without_model()

    def template_fields(self) -> dict[str, Any]:
        """Adds `dialogue` (the messages, without citation marks: those number other passages) and the date in words."""
        return {
            **super().template_fields(),
            "dialogue": shown_messages(self.conversation),
            "today": date_text(self.today, self.language) if self.today else "",
        }


def shown_messages(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages for a template, as they were written; a choice is one line."""
    return tuple(
        message.model_copy(
            update={
                "text": (message.written or message.text)
                if message.role == "user"
                else without_citations(message.text),
                "choices": tuple(" ".join(choice.split()) for choice in message.choices),
            }
        )
        for message in messages
    )
