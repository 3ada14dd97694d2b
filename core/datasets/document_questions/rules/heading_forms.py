"""Forms of headings with the ways to ask for what they promise, and the text of a section that tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.datasets.document_questions.section import Section, choice

WordsOf = Callable[[dict[str, str]], dict[str, str] | None]
_SLOT = re.compile(r"\{(\w+)\}")
_STEPS = re.compile(r"(?:^|\n)((?:\d+[.)．]\s.*(?:\n|$)){2,})")
_LEANS = re.compile(
    r"この|これ|それ|ただし|なお|また|(?:This|These|They|It|Then|However|But|Otherwise|If not|Such|Both|The same|There)\b"
)
_POINTS = re.compile(
    r"次の(?:表|とおり|ように)|以下の|の間、|によって(?:異な|違)|で異なります|\b(?:in|see) the table\b|\bfollowing\b|:$"
)


class HeadingForm(NamedTuple):
    """A form of heading; for example "How to (?P<act>.+)" is asked for by "How do I {act}?"."""

    pattern: str  # its named groups, and words derived from them, fill the slots of `ways`
    ways: tuple[str, ...]  # questions

    def question(self, heading: str, words_of: WordsOf) -> str:
        """One of the questions for a heading; "" if it has another form.

        words_of: words for the slots from the groups of the pattern; None if the groups do not fit.
        """
        found = re.fullmatch(self.pattern, heading)
        words = words_of({name: text for name, text in found.groupdict().items() if text}) if found else None
        ways = [way.format_map(words) for way in self.ways if all(map(words.get, _SLOT.findall(way)))] if words else []
        return choice(ways, heading) if ways else ""


def first_question(forms: Sequence[HeadingForm], heading: str, words_of: WordsOf) -> str:
    """The question by the first form that a heading has; "" if it has none. See `HeadingForm.question`."""
    return next(filter(None, (form.question(heading, words_of) for form in forms)), "")


def find_answer(section: Section, tells: Callable[[str], bool]) -> str:
    """The steps or the sentence with which a section begins to tell what to do; "" if no text is sure to.

    tells: whether a sentence says what to do.
    """
    if steps := _STEPS.search(section.text):
        return steps[1].strip()
    first = section.sentences()[:3]
    is_clear = bool(first) and not _LEANS.match(first[0]) and not any(map(_POINTS.search, first[:2]))
    return first[0] if is_clear and any(map(tells, first)) else ""
