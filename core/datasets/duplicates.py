"""Questions that ask the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

from core.text.language import content_words
from core.text.normalize import normalize

ALIKE = 88.0  # similarity of letters (0 to 100) from which two questions are the same
SAME_WORDS = 0.85  # share of content words in common from which they are
_SIGNS = re.compile(r"[\W_]+")


class Questions:
    """Questions seen so far; finds the one that a new question repeats."""

    def __init__(self, questions: Iterable[str] = ()) -> None:
        self._seen: list[tuple[str, str, frozenset[str]]] = []
        for question in questions:
            self.add(question)

    def add(self, question: str) -> None:
        """Remember a question."""
        self._seen.append((question, _letters(question), _words(question)))

    def like(self, question: str) -> str | None:
        """The first question that asks the same, or none."""
        letters, words = _letters(question), _words(question)
        for seen, seen_letters, seen_words in self._seen:
            if letters == seen_letters:
                return seen
            if _figures(letters) != _figures(seen_letters):
                continue
            shared = len(words & seen_words) / max(1, len(words | seen_words))
            if shared >= SAME_WORDS and len(words) > 2:
                return seen
            if fuzz.ratio(letters, seen_letters) >= ALIKE and shared >= SAME_WORDS - 0.2:
                return seen
        return None


def _letters(question: str) -> str:
    return _SIGNS.sub("", normalize(question))


def _words(question: str) -> frozenset[str]:
    return frozenset(content_words(question))


def _figures(letters: str) -> list[str]:
    return re.findall(r"\d+", letters)
