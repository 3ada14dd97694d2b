"""Whether a question really depends on what it leaves out: at least two sections or rows answer it differently."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.datasets.document_questions.section import Section
from core.datasets.document_questions.section_questions import WrittenQuestion
from core.text.language import content_words

SAME_MATTER = 0.75  # share of the headings' words in common, values left out, from which they are about the same
SAME_ANSWER = 0.7  # share of the texts' words in common from which they answer the same
SAME_CASE = 0.3  # weighted share of the matter's words from which another section is a further case of it
_SAME = re.compile(r"\bthe same as\b|\bas on (?:the|i|a)|\bthe (?:effect|steps|rules?) (?:is|are) the same\b|と同じ|同様", re.IGNORECASE)  # fmt: skip
_FRAME = frozenset({"how", "app", "apps", "in", "on"})


def choices_of(written: WrittenQuestion, section: Section, sections: Sequence[Section]) -> tuple[str, ...]:
    """The values that the open question can mean, the right one among them; () if nothing is known to differ.

    For a row, the rows of its table. For a heading, the values of the headings of the same matter whose texts differ;
    () as well if a heading without any value answers the question for everybody, or if no heading of the matter has some
    of the values and another section may be about these.
    """
    if written.reference.lstrip().startswith("|"):
        return written.values
    own = _named(section, written.values)
    if not own or _SAME.search(section.text):
        return ()
    matter = _matter(section, written.values)
    choices, differs = set(own), False
    for other in sections:
        if other == section or _alike(matter, _matter(other, written.values)) < SAME_MATTER:
            continue
        named = _named(other, written.values)
        if not named:
            return ()
        if _SAME.search(other.text):
            return ()
        answers = [_words(one.text) - _of_values(written.values) for one in (section, other)]
        differs = differs or (not set(named) & set(own) and _alike(*answers) < SAME_ANSWER)
        choices |= set(named)
    found = tuple(value for value in written.values if value in choices)
    if not differs or (len(found) < len(written.values) and _is_elsewhere(matter, found, sections)):
        return ()
    return found


def _is_elsewhere(matter: set[str], values: Sequence[str], sections: Sequence[Section]) -> bool:
    """Whether a section that names none of the values may be a further case of the same, which the choices leave out.

    Words of title and heading count, weighted by how rare they are among all of them.
    """
    named = [_words(f"{one.title} {one.topic}") for one in sections]
    rare = {word: math.log(len(named) / max(1, sum(word in words for words in named))) for word in matter}
    whole = math.fsum(rare.values())
    return any(
        math.fsum(rare[word] for word in matter & words) >= SAME_CASE * whole
        for one, words in zip(sections, named, strict=True)
        if not _named(one, values) and not any(value.lower() in one.title.lower() for value in values)
    )


def _named(section: Section, values: Sequence[str]) -> list[str]:
    return [
        value
        for value in values
        if re.search(rf"(?<![A-Za-z]){re.escape(value)}(?![A-Za-z])", section.topic, re.IGNORECASE)
    ]


def _matter(section: Section, values: Sequence[str]) -> set[str]:
    """The words of a heading without those of the values."""
    return _words(section.topic) - _of_values(values) - _FRAME


def _of_values(values: Sequence[str]) -> set[str]:
    return {word for value in values for word in content_words(value)}


def _words(text: str) -> set[str]:
    return set(content_words(text))


def _alike(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(1, len(a | b))
