"""One standalone question from a conversation."""

from __future__ import annotations

from core.base.prompt import Engine, Prompt
from core.base.types import Message
from core.text.conversation import standalone_question
from core.text.language import language_of


class Rewrite(Prompt[str]):
    """The last request of a conversation as one question that stands alone; nothing is added that was not said."""

    file = "rewrite"
    role = "clarify"
    conversation: tuple[Message, ...]

    def without_model(self) -> str:
        """The message joined to what it leans on (core.text.conversation)."""
        return standalone_question(self.conversation)


def rewrite(engine: Engine, conversation: tuple[Message, ...]) -> str:
    """The standalone question; a conversation of one message is not rewritten and costs no call."""
    said = [message for message in conversation if message.role == "user"]
    if len(said) == 1:
        return said[0].text.strip()
    language = language_of(said[-1].text, "ja")
    return engine.ask(Rewrite(conversation=conversation, language=language)).strip() or said[-1].text.strip()
