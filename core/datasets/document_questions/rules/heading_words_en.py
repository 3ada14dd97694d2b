"""What an English heading asks for, and its words within a sentence."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.datasets.document_questions.section import Section
from core.text.english_verbs import is_gerund

DETERMINERS = (
    "the",
    "a",
    "an",
    "no",
    "your",
    "my",
    "this",
    "several",
    "two",
    "somebody",
    "someone",
    "nobody",
    "everything",
    "all",
    "same",
    "another",
    "each",
)


class QuestionForms(NamedTuple):
    """What a heading promises: the kind of answer, and the ways to ask for it."""

    kind: str
    ways: tuple[str, ...]


def plain_topic(topic: str) -> str:
    """A heading without what stands in brackets and without a date."""
    return re.sub(r"(?<!\s)\s*\([^()]*\)", "", topic).strip().rstrip("?.")


def lower_first(text: str, section: Section) -> str:
    """A heading's words within a sentence: the first letter small, unless it begins a name."""
    word = re.match(r"[\w'’-]+", text)
    if not word or any(letter.isupper() for letter in word[0][1:]) or word[0] == "I":
        return text
    if word[0].lower() in DETERMINERS or is_gerund(word[0]):
        return f"{text[0].lower()}{text[1:]}"
    if re.match(r"[\w'’-]+ [A-Z]", text):
        return text
    within = re.search(rf"(?<=[a-z,] ){re.escape(word[0])}\b", section.text)
    return text if within else f"{text[0].lower()}{text[1:]}"


def agreeing(turned: str) -> str:
    """A turned clause, said by the person who asks: are you is am I."""
    return re.sub(r"^are you\b", "am I", re.sub(r"^may you\b", "can I", turned))
