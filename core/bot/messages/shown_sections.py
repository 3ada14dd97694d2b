"""The sections that replies have shown: those that they quote, and those among their choices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.base.cached_by_object import cached_by_object
from core.base.types import Message, Section, SectionHit
from core.bot.choices.section_names import names_of_section
from core.documents.heading_names import last_heading
from core.retrieval.index import Index
from core.text.citations import without_citations
from core.text.language import content_words, sentences
from core.text.normalize import normalize
from core.text.standalone_question import without_excluded

# Characters of a sentence from which it identifies a section.
MIN_KNOWN_CHARACTERS = 8
# Content words of a section's name by which a message means it, whatever was said before: "price?" asks it of that.
MIN_NAME_WORDS = 2
CACHED_REPLIES = 256


def quoted_sections(index: Index, reply: Message) -> frozenset[Section]:
    """The sections of which a reply quotes a sentence, a row or a line."""
    if "[" not in reply.text:  # no citation
        return frozenset()
    return _quoted_sections(index, reply.text)


@cached_by_object(CACHED_REPLIES)
def _quoted_sections(index: Index, text: str) -> frozenset[Section]:
    said = plain_text(text)
    return frozenset(section for section, pieces in _pieces(index) if any(piece in said for piece in pieces))


@cached_by_object(1)
def _pieces(index: Index) -> list[tuple[Section, list[str]]]:
    """The sentences of each passage's section, by which a quote is recognised."""
    return [(one.section, _quotable_pieces(one.text)) for one in index.passages]


def sections_of_choices(index: Index, choices: Sequence[str]) -> frozenset[Section]:
    """The sections among the choices of a reply."""
    return frozenset(section for choice in choices for section in _sections_by_name(index).get(choice, ()))


def names_section_alone(index: Index, text: str) -> bool:
    """Whether a message is the name of one section, of two words or more, and nothing else but what it says is not meant."""
    name = without_excluded(text.strip()).strip(" 　。.、,!！?？")
    return len(content_words(name)) >= MIN_NAME_WORDS and len(sections_of_choices(index, (name,))) == 1


@cached_by_object(1)
def _sections_by_name(index: Index) -> dict[str, set[Section]]:
    """The sections that each name as a choice stands for."""
    found: defaultdict[str, set[Section]] = defaultdict(set)
    for one in index.passages:
        for name in names_of_section(one.title, one.heading):
            found[name].add(one.section)
    return dict(found)


def is_shown(hit: SectionHit, said: str) -> bool:
    """Whether a sentence of a section was quoted, or its heading offered."""
    heading = plain_text(last_heading(hit.heading))
    pieces = [heading] if len(heading) >= MIN_KNOWN_CHARACTERS else []
    return any(piece in said for piece in (*pieces, *_quotable_pieces(hit.text)))


def _quotable_pieces(text: str) -> list[str]:
    """The sentences, rows and lines of a section, as `plain_text`, that are long enough to tell it from others: a reply
    whose plain text has one of them quotes the section."""
    pieces = (plain_text(one) for line in text.splitlines() for one in sentences(line))
    return [piece for piece in pieces if len(piece) >= MIN_KNOWN_CHARACTERS]


def plain_text(text: str) -> str:
    """A text without citations and white space, to compare replies by."""
    return "".join(normalize(without_citations(text)).split())
