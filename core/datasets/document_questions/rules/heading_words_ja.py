"""What a Japanese heading asks for, and its matter as a noun phrase that a question can hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from core.datasets.document_questions.rules.question_words import Act, question_words
from core.text.inflection import words


class QuestionForms(NamedTuple):
    """What a heading promises: the kind of answer, and the ways to ask for it."""

    kind: str
    ways: tuple[str, ...]
    about: str = ""  # what the answer has to name


def plain_matter(text: str) -> str:
    """A matter as people name it; "" if it is a list, or no plain noun phrase."""
    if re.search(r"[・、]|など|による|に関する|ごと", text) or len(text) > 20 or not text:
        return ""
    tokens = words(text)
    if tokens[-1].part not in ("名詞", "接尾辞", "記号", "補助記号"):
        return ""
    if re.search(r"[^の]と[^の]", text) and any(word.surface == "と" and word.part == "助詞" for word in tokens):
        return ""
    return text


def asks(kind: str, *ways: str, about: str = "", matter: bool = True) -> Callable[[re.Match[str]], list[QuestionForms]]:
    """Makes questions with the named groups of a heading in the ways; with `matter` none if `np` is no plain matter."""

    def made(found: re.Match[str]) -> list[QuestionForms]:
        if matter and not plain_matter(found["np"]):
            return []
        parts = found.groupdict()
        return [QuestionForms(kind, tuple(way.format_map(parts) for way in ways), about.format_map(parts))]

    return made


def with_particle(np: str, verb: Act) -> str:
    """A matter with the particle that the verb needs; its own particle if it has one (サーバーへの → サーバーに)."""
    for end, particle in (("への", "に"), ("からの", "から"), ("での", "で"), ("との", "と")):
        if np.endswith(end):
            return f"{np.removesuffix(end)}{particle}"
    return f"{np}{verb.particle}"


def without_particle(np: str) -> str:
    """A matter without への, での or the like at its end."""
    return re.sub(r"(?:への?|からの?|での?|との)$", "", np)


def is_received(np: str) -> bool:
    """Whether a matter is something that people are given."""
    return np.endswith(tuple(question_words()["lists"]["received"]))
