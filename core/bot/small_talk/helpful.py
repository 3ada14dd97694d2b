"""Who is not helped by a search for their words: who tells of a trouble and asks nothing, or wants to telephone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Message, Topic
from core.bot.clarify.confidence import is_confident
from core.bot.evidence import has_examples, section_probabilities
from core.bot.small_talk.telephone import QUERY as TELEPHONE
from core.bot.small_talk.telephone import asks_to_telephone, telephone_section
from core.retrieval.index import Index
from core.text.conversation import is_clarifying_question
from core.text.language import language_of
from core.text.sympathy import feeling

LOOK = 6  # sections that are looked at
MATTER = 0.3  # probability of the best section from which it is what an angry message is about
_ASKS = re.compile(
    r"[?？]|(?:です|ます|ません|でしょう|の|た|い)か(?:[。、!！」\s]|$)|教えて|知りたい|どう(?:すれば|したら|やって|なり)|方法|手順"
    r"|\b(?:how|what|when|where|which|why|can i|can we|could i|do i|is there|tell me)\b",
    re.IGNORECASE,
)


def with_telephone(index: Index, text: str, found: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """The sections found for a message; those about telephoning the desk if it asks for that and one says whether it can be done."""
    if not asks_to_telephone(text):
        return found
    language = language_of(index.passages[0].text if index.passages else "", "en")
    calls = index.topics(TELEPHONE[language], len(found) or LOOK)
    return found if telephone_section(calls) is None else calls


def tells_trouble(messages: Sequence[Message], topics: Sequence[Topic]) -> bool:
    """Whether the last message tells of a trouble and asks nothing, and no section found surely answers it."""
    text = messages[-1].text
    replies = len(messages) > 1 and is_clarifying_question(messages[-2])
    told = not replies and bool(feeling(text)) and not _ASKS.search(text)
    return told and bool(topics) and not is_confident(text, topics) and not _names_matter(text, topics)


def _names_matter(text: str, topics: Sequence[Topic]) -> bool:
    """Whether an angry message names a thing that a section is likely about: that is what helps."""
    return feeling(text) == "anger" and has_examples(topics) and section_probabilities(topics)[0] >= MATTER
