"""The sections that a reply has shown: those that it quotes, and those among its choices."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from core.base.types import Message, Section
from core.bot.answer.repeated import plain_text, quotable_pieces
from core.bot.choices.section_names import names_of_section
from core.retrieval.index import Index

# What each name as a choice stands for, and the sentences of each section, by which a quote is recognised; computed once for
# each index and dropped with it.
_NAMES: WeakKeyDictionary[Index, dict[str, set[Section]]] = WeakKeyDictionary()
_PIECES: WeakKeyDictionary[Index, list[tuple[Section, list[str]]]] = WeakKeyDictionary()


def quoted_sections(index: Index, reply: Message) -> frozenset[Section]:
    """The sections of which a reply quotes a sentence, a row or a line."""
    if "[" not in reply.text:  # no citation
        return frozenset()
    said = plain_text(reply.text)
    if index not in _PIECES:
        _PIECES[index] = [(one.section, quotable_pieces(one.text)) for one in index.passages]
    return frozenset(section for section, pieces in _PIECES[index] if any(piece in said for piece in pieces))


def sections_of_choices(index: Index, choices: Sequence[str]) -> frozenset[Section]:
    """The sections among the choices of a reply."""
    if not choices:
        return frozenset()
    if index not in _NAMES:
        _NAMES[index] = {}
        for one in index.passages:
            for name in names_of_section(one.title, one.heading):
                _NAMES[index].setdefault(name, set()).add(one.section)
    return frozenset(section for choice in choices for section in _NAMES[index].get(choice, ()))
