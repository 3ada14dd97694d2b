"""Whether two texts are in different scripts, so that no words of theirs can be compared."""

from __future__ import annotations

from core.text.language import script
from core.text.normalize import normalize

MIN_LETTERS = 12  # a shorter text does not show its language
LONGEST = 2_000  # characters of either text that are read


def share_no_script(
    text: str, other: str, min_letters: int = MIN_LETTERS, other_min_letters: int = MIN_LETTERS
) -> bool:
    """Whether one text is Japanese or Chinese and the other is not, and the other does not hold the first word for word.

    False if one of them has too few letters to tell.
    """
    text, other = text[:LONGEST], other[:LONGEST]
    if _letters(text) < min_letters or _letters(other) < other_min_letters:
        return False
    return (script(text) == "en") != (script(other) == "en") and normalize(text) not in normalize(other)


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text)
