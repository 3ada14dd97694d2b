"""Open questions: without the part that decides the answer, such as the plan, and whether the answer depends on it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.datasets.document_questions.section import (
    MIN_TELLING_WORDS,
    Section,
    WrittenQuestion,
    names_subject,
    telling_words,
)
from core.datasets.duplicates import overlap
from core.text.language import content_words, script

SAME_MATTER_FROM = 0.75  # share of common words of two headings without values, from which they are about the same
SAME_ANSWER_FROM = 0.7  # share of common words of two texts from which they answer the same
SAME_CASE_FROM = 0.3  # weighted share of the words of a heading from which another section is a further case of it
Attributes = tuple[tuple[str, tuple[str, ...]], ...]  # (name, values) of what is known of people
MIN_QUESTION_LETTERS = 8  # a shorter question says too little
_NOUNS = r"(?=(?:subscription|payment|plan|purchase|trial|price|app|account|refund|cancellation)s?\b)"
_SAME = re.compile(r"\bthe same as\b|\bas on (?:the|i|a)|\bthe (?:effect|steps|rules?) (?:is|are) the same\b|と同じ|同様", re.IGNORECASE)  # fmt: skip


def with_open_variant(question: WrittenQuestion, section: Section, attributes: Attributes) -> WrittenQuestion:
    """The question with what its answer depends on, if its heading and question name one value of an attribute.

    attributes: (name, values) of what is known of people.
    """
    if question.value:
        return question
    question = question.model_copy(update={"question": _for_one(question.question, attributes)})
    for name, values in attributes:
        named = [value for value in values if value.lower() in section.topic.lower()]
        opened = _without(question.question, named, section) if named else ""
        if MIN_QUESTION_LETTERS <= len(opened) < len(question.question) and len(values) > len(named):
            found = {"attribute": name, "value": named[0], "values": tuple(values), "open_question": opened}
            return question.model_copy(update=found)
    return question


def _for_one(question: str, attributes: Attributes) -> str:
    """The question with the first of several values, as people ask for one: on iOS and Android is on iOS."""
    for _, values in attributes:
        either = "|".join(re.escape(value) for value in values)
        question = re.sub(rf"\b({either}) (?:and|or) (?:{either})( app)?s?\b", r"\1\2", question)
    return question


def _without(question: str, values: Sequence[str], section: Section) -> str:
    """The question without values; "" if it says too little then, or still names one."""
    either = "|".join(re.escape(value) for value in values)
    if script(question) == "en":
        named = rf"(?:{either})(?: (?:and|or) (?:{either}))?"
        where = rf"(?: paid| bought| made)? (?:on|in|with|by|from|at) (?:the |an? )?{named}(?: apps?)?(?=[.?, ])"
        opened = re.sub(where, "", question)
        opened = re.sub(rf"\b{named} {_NOUNS}", "", re.sub(rf"\ban {named} {_NOUNS}", "a ", opened))
        enough = len(telling_words(opened)) >= MIN_TELLING_WORDS and "what happens" not in opened
        says_little = not enough and not names_subject(opened, section)
    else:
        opened = re.sub(rf"(?:{either})(?:ですが、|の場合、?|での|からの|で|の)", "", question)
        opened = re.sub(r"は、(?=何|いくら|いつ|どの)", "は", opened)
        is_part = re.search(r"^[、。はがをにでともの]|扱い|どうなりますか", opened)
        says_little = len(telling_words(opened)) < 2 or is_part
    return "" if says_little or re.search(either, opened) else opened


def choices_of(
    values: tuple[str, ...], reference: str, section: Section, sections: Sequence[Section]
) -> tuple[str, ...]:
    """Of the values, those that the open question on a section can mean; () if nothing is known to differ.

    For a row, the rows of its table. For a heading, the values of the headings of the same matter whose texts differ;
    () also if a heading without any value answers the question for everybody, or if no heading of the matter has some of
    the values and another section may be about these.
    """
    if reference.lstrip().startswith("|"):
        return values
    own = _named(section, values)
    if not own or _SAME.search(section.text):
        return ()
    matter = _matter(section, values)
    choices, differs = set(own), False
    for other in sections:
        if other == section or overlap(matter, _matter(other, values)) < SAME_MATTER_FROM:
            continue
        named = _named(other, values)
        if not named or _SAME.search(other.text):
            return ()
        answers = [_words(compared.text) - _of_values(values) for compared in (section, other)]
        differs = differs or (not set(named) & set(own) and overlap(*answers) < SAME_ANSWER_FROM)
        choices |= set(named)
    meant = tuple(value for value in values if value in choices)
    if not differs or (len(meant) < len(values) and _is_elsewhere(matter, meant, sections)):
        return ()
    return meant


def _is_elsewhere(matter: set[str], values: Sequence[str], sections: Sequence[Section]) -> bool:
    """Whether a section that names none of the values may be a further case of the same, which the choices leave out.

    Words of title and heading count, weighted by how rare they are among all of them.
    """
    named = [_words(f"{section.title} {section.topic}") for section in sections]
    rare = {word: math.log(len(named) / max(1, sum(word in words for words in named))) for word in matter}
    whole = math.fsum(rare.values())
    return any(
        math.fsum(rare[word] for word in matter & words) >= SAME_CASE_FROM * whole
        for section, words in zip(sections, named, strict=True)
        if not _named(section, values) and not any(value.lower() in section.title.lower() for value in values)
    )


def _named(section: Section, values: Sequence[str]) -> list[str]:
    pattern = r"(?<![A-Za-z]){}(?![A-Za-z])"
    return [value for value in values if re.search(pattern.format(re.escape(value)), section.topic, re.IGNORECASE)]


def _matter(section: Section, values: Sequence[str]) -> set[str]:
    """The words of a heading without those of the values."""
    return _words(section.topic) - _of_values(values)


def _of_values(values: Sequence[str]) -> set[str]:
    return {word for value in values for word in content_words(value)}


def _words(text: str) -> set[str]:
    return set(content_words(text))
