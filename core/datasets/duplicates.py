"""Questions that ask the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from rapidfuzz import fuzz

from core.text.language import content_words
from core.text.normalize import normalize

SAME_LETTERS_FROM = 88.0  # similarity of the letters of two questions that ask the same, 0 to 100
SAME_WORDS_FROM = 0.85  # shared content words of two questions that ask the same (Jaccard)
COPIES_HEADING_FROM = 92.0  # similarity of the letters, 0 to 100
MAX_SHORT_HEADING_LETTERS = 6  # a heading of at most this length may be in a question as it is
_SIGNS = re.compile(r"[\W_]+")


class Questions:
    """Questions seen so far; finds the one that a new question repeats."""

    def __init__(self, questions: Iterable[str] = ()) -> None:
        self._seen: list[tuple[str, str, frozenset[str]]] = []
        for question in questions:
            self.add(question)

    def add(self, question: str) -> None:
        """Remember a question."""
        self._seen.append((question, letters(question), _words(question)))

    def like(self, question: str) -> str | None:
        """The first question that asks the same, or None."""
        asked, words = letters(question), _words(question)
        for seen, seen_letters, seen_words in self._seen:
            if asked == seen_letters:
                return seen
            if _figures(asked) != _figures(seen_letters):
                continue
            shared = overlap(words, seen_words)
            if shared >= SAME_WORDS_FROM and len(words) > 2:
                return seen
            if fuzz.ratio(asked, seen_letters) >= SAME_LETTERS_FROM and shared >= SAME_WORDS_FROM - 0.2:
                return seen
        return None


def letters(text: str) -> str:
    """A text without signs and blanks, in one form of its letters."""
    return _SIGNS.sub("", normalize(text))


def overlap(words: AbstractSet[str], others: AbstractSet[str]) -> float:
    """The share of two sets that both have (Jaccard), from 0 to 1."""
    return len(words & others) / max(1, len(words | others))


def copies_heading(question: str, heading: str) -> bool:
    """Whether a question says little more than the heading of its section."""
    plain = normalize(heading)
    return (
        len(plain) > MAX_SHORT_HEADING_LETTERS
        and fuzz.ratio(normalize(question).rstrip("?？。"), plain) >= COPIES_HEADING_FROM
    )


def _words(question: str) -> frozenset[str]:
    return frozenset(content_words(question))


def _figures(letters: str) -> list[str]:
    return re.findall(r"\d+", letters)
