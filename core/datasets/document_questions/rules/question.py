"""A question that rules make from a heading or a table, and the forms of headings with the ways to ask for them."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.datasets.document_questions.section import Section, WrittenQuestion


class RuleQuestion(WrittenQuestion):
    """A question that rules write."""

    asks: str  # kind of answer: how, time, figure, …; "value" for a cell of a table


_SLOT = re.compile(r"\{(\w+)\}")


class HeadingShape(NamedTuple):
    """A form of heading with the ways to ask for what it promises. See `shape` for an example."""

    pattern: str  # its named groups, and words derived from them, fill the slots of `ways` and `about`
    kind: str  # of the answer that it promises
    ways: tuple[str, ...]  # questions
    about: str = ""  # what the answer has to name; "" for nothing

    def fill(self, heading: str, words_of: Callable[[dict[str, str]], dict[str, str] | None]) -> HeadingShape | None:
        """The shape with its slots filled for a heading; None if the heading has another form, or no way gets its words.

        words_of: words for the slots from the groups of the pattern; None if the groups do not fit.
        """
        found = re.fullmatch(self.pattern, heading)
        words = words_of({name: text for name, text in found.groupdict().items() if text}) if found else None
        if words is None:
            return None
        ways = tuple(way.format_map(words) for way in self.ways if all(map(words.get, _SLOT.findall(way))))
        return self._replace(ways=ways, about=self.about.format_map(words)) if ways else None


def shape(pattern: str, kind: str, *ways: str, about: str = "") -> HeadingShape:
    """A form of heading; for example "Supported (?P<things>.+)" is asked for by "Which {things} do you support?"."""
    return HeadingShape(pattern, kind, ways, about)


def questions_by_sentence(section: Section, ask: Callable[[str], str]) -> list[RuleQuestion]:
    """The questions that the section's sentences answer, in order of the text; at most one for each sentence.

    ask: the question for a sentence, or "".
    """
    asked = [(sentence, ask(sentence)) for sentence in section.statements()] if not section.is_old else []
    pairs = ((question, sentence) for sentence, question in asked if question)
    return [RuleQuestion(question=question, reference=sentence, asks="sentence") for question, sentence in pairs]


def choice(options: Sequence[str], key: str) -> str:
    """One of several ways to say something, always the same for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
