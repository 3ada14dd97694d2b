"""Whether an answer would repeat an earlier one, what a reply has quoted, or whether the last one did not help."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Message
from core.text.citations import without_citations
from core.text.conversation import is_unhelped, user_texts
from core.text.language import sentences
from core.text.normalize import normalize
from core.text.offered_choices import rejects_choices

# Characters of a sentence from which it identifies a section.
MIN_KNOWN_CHARACTERS = 8


def was_said(conversation: Sequence[Message], answer: str) -> bool:
    """Whether an earlier reply says the same word for word."""
    return plain_text(answer) in {plain_text(message.text) for message in conversation if message.role == "assistant"}


def is_no_help(conversation: Sequence[Message]) -> bool:
    """Whether the last message says that the reply before it did not help, or that no choice is meant."""
    return is_unhelped(conversation) or rejects_choices(conversation)


def asks_again(conversation: Sequence[Message]) -> bool:
    """Whether the last message was sent before."""
    *earlier, last = conversation
    return plain_text(last.text) in map(plain_text, user_texts(earlier))


def quotable_pieces(text: str) -> list[str]:
    """The sentences, rows and lines of a section, as `plain_text`, that are long enough to tell it from others: a reply
    whose plain text has one of them quotes the section."""
    pieces = (plain_text(one) for line in text.splitlines() for one in sentences(line))
    return [piece for piece in pieces if len(piece) >= MIN_KNOWN_CHARACTERS]


def plain_text(text: str) -> str:
    """A text without citations and white space, to compare replies by."""
    return "".join(normalize(without_citations(text)).split())
