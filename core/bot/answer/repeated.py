"""Answers that were given already, or that did not help, and the sections that no reply has shown."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Message, Topic
from core.bot.answer.refusal import MAX_OFFERED
from core.bot.section_choices import section_choices
from core.bot.section_probability import ranked_sections
from core.documents.headings import last_heading
from core.text.citations import without_citations
from core.text.conversation import is_unhelped
from core.text.language import sentences
from core.text.normalize import normalize
from core.text.offered_choices import rejects_choices

# Probability from which a section is offered, unless it is of the document of the likeliest one.
OFFER_INSTEAD_FROM = 0.03
# Characters of a sentence by which a section is known again.
MIN_KNOWN_CHARACTERS = 8


def was_said(conversation: Sequence[Message], answer: str) -> bool:
    """Whether an earlier reply says the same word for word."""
    return _plain(answer) in {_plain(message.text) for message in conversation if message.role == "assistant"}


def is_no_help(conversation: Sequence[Message]) -> bool:
    """Whether the last message says that the reply before it did not help, or that no choice is meant."""
    return is_unhelped(conversation) or rejects_choices(conversation)


def asks_again(conversation: Sequence[Message]) -> bool:
    """Whether the last message was sent before."""
    *earlier, last = conversation
    return any(message.role == "user" and _plain(message.text) == _plain(last.text) for message in earlier)


def other_sections(conversation: Sequence[Message], topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of sections that may be meant and that no reply has shown."""
    said = "\n".join(_plain(message.text) for message in conversation if message.role == "assistant")
    ranked = ranked_sections(topics)
    likely = [
        topic
        for probability, topic in ranked
        if (probability >= OFFER_INSTEAD_FROM or topic.document == ranked[0][1].document) and not _is_shown(topic, said)
    ]
    return section_choices(likely, topics)[:MAX_OFFERED]


def _is_shown(topic: Topic, said: str) -> bool:
    """Whether a sentence of a section was quoted, or its heading offered."""
    pieces = [last_heading(topic.heading), *(one for line in topic.text.splitlines() for one in sentences(line))]
    return any(piece in said for piece in map(_plain, pieces) if len(piece) >= MIN_KNOWN_CHARACTERS)


def _plain(text: str) -> str:
    return "".join(normalize(without_citations(text)).split())
