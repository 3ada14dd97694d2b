"""Reference sentences looked up in passages: in any language, and with a tolerance for small differences of writing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from core.base.language import script, sentences

ALIKE = 92.0  # similarity (0 to 100) from which a passage holds a sentence
SHORTEST = 6  # letters from which a sentence may match with a tolerance; shorter ones must stand there as they are
_MARKS = re.compile(r"[\W_]+")
_HAN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff々\uff66-\uff9f]|[^\W_\u3041-\u30ff\u3400-\u9fff々\uff66-\uff9f]+")
_FIGURES = re.compile(r"\d+")


class Found(NamedTuple):
    """A reference looked up: the places (from 1) of passages with one of its sentences, and sentences in none."""

    text: str
    places: tuple[int, ...]
    matched: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether each of its sentences is in some passage."""
        return not self.lost and bool(self.matched)


@lru_cache(maxsize=4_096)
def letters(text: str) -> str:
    """What is compared: NFKC, lower case, letters and digits only (one space between words where words have spaces)."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return _MARKS.sub(" " if script(text) == "en" else "", plain).strip()


@lru_cache(maxsize=4_096)
def words(text: str) -> int:
    """How many words a text has; each character of Japanese and Chinese counts as one."""
    return len(_HAN.findall(unicodedata.normalize("NFKC", text)))


def pieces(reference: str) -> tuple[str, ...]:
    """The sentences of a reference that hold letters or digits."""
    return tuple(part.strip() for part in sentences(reference) if letters(part))


def holds(passage: str, sentence: str) -> bool:
    """Whether a passage holds a sentence, up to a few letters; its figures must all stand there as they are."""
    wanted, held = letters(sentence), letters(passage)
    if wanted in held:
        return True
    if len(wanted) < SHORTEST or len(held) < len(wanted) * ALIKE / 100:
        return False
    match = fuzz.partial_ratio_alignment(wanted, held, score_cutoff=ALIKE)
    if match is None:
        return False
    near = held[max(0, match.dest_start - 4) : match.dest_end + 4]
    return set(_FIGURES.findall(wanted)) <= set(_FIGURES.findall(near))


def look_up(reference: str, passages: Sequence[str]) -> Found:
    """Which passages hold which sentences of a reference."""
    where = {part: [n for n, text in enumerate(passages, 1) if holds(text, part)] for part in pieces(reference)}
    return Found(
        text=reference,
        places=tuple(sorted({place for found in where.values() for place in found})),
        matched=tuple(part for part, found in where.items() if found),
        lost=tuple(part for part, found in where.items() if not found),
    )
