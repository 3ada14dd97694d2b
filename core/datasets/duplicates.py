"""Questions that ask the same."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from rapidfuzz import fuzz

from core.text.language import content_words
from core.text.normalize import normalize

ALIKE = 88.0  # similarity of letters (0 to 100) from which two questions are the same
SAME_WORDS = 0.85  # share of content words in common from which they are
COPIED = 92.0  # similarity (0 to 100) from which a question copies a heading
SHORT_HEADING = 6  # letters up to which a heading may be in a question as it is
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
        """The first question that asks the same, or none."""
        asked, words = letters(question), _words(question)
        for seen, seen_letters, seen_words in self._seen:
            if asked == seen_letters:
                return seen
            if _figures(asked) != _figures(seen_letters):
                continue
            shared = overlap(words, seen_words)
            if shared >= SAME_WORDS and len(words) > 2:
                return seen
            if fuzz.ratio(asked, seen_letters) >= ALIKE and shared >= SAME_WORDS - 0.2:
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
    return len(plain) > SHORT_HEADING and fuzz.ratio(normalize(question).rstrip("?？。"), plain) >= COPIED


def _words(question: str) -> frozenset[str]:
    return frozenset(content_words(question))


def _figures(letters: str) -> list[str]:
    return re.findall(r"\d+", letters)
