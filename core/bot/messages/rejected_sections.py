"""The sections that a message rejects by name: replies have shown them, and they are surely not meant."""

from __future__ import annotations

from core.base.types import Conversation, Section
from core.bot.messages.shown_sections import quoted_sections, sections_of_choices
from core.retrieval.index import Index
from core.text.language import content_words
from core.text.reactions import excluded


def rejected_sections(index: Index, conversation: Conversation) -> frozenset[Section]:
    """The sections quoted or offered by earlier replies whose names have all words of what the last message surely does not
    mean ("I said not the waiting list", 学割の話はもういい); empty for any other message."""
    *earlier, last = conversation
    rejected = excluded(last.text) if earlier else None
    if rejected is None:
        return frozenset()
    words, replies = set(content_words(rejected.instead_of)), [one for one in earlier if one.role == "assistant"]
    shown = frozenset(
        section
        for one in replies
        for section in (*quoted_sections(index, one), *sections_of_choices(index, one.choices))
    )
    named = {one.section for one in index.passages if words <= set(content_words(f"{one.title} {one.heading}"))}
    return shown & named
