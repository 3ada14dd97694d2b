"""How much of one text stands in another, word by word and letter by letter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import JaroWinkler

from core.judge.correctness.forms import SMALL, Form

COMPARED = 200  # characters of a reference that are slid along an answer


def content(text: Form) -> tuple[str, ...]:
    """The distinct stems of a text without small words; all where nothing else is left."""
    found = dict.fromkeys(s for word, s in zip(text.words, text.stems, strict=True) if word not in SMALL)
    return tuple(found) or tuple(dict.fromkeys(text.stems))


def content_words(text: Form) -> tuple[str, ...]:
    return tuple(word for word in text.words if word not in SMALL) or text.words


def fresh(text: Form, ask: Form) -> tuple[str, ...]:
    """The distinct stems that are not in the question."""
    known = frozenset(ask.stems)
    pairs = zip(text.words, text.stems, strict=True)
    return tuple(dict.fromkeys(stem for word, stem in pairs if stem not in known and word not in SMALL))


def longest_row(text: Form, ask: Form) -> tuple[str, ...]:
    """The longest row of words that are not the question's, in the first assertion."""
    known = frozenset(ask.stems)
    best: list[str] = []
    row: list[str] = []
    for word, stem in zip(text.words, text.stems, strict=True):
        if word in SMALL and row:
            continue
        row = [*row, stem] if stem not in known and word not in SMALL else []
        best = row if len(row) > len(best) else best
    return tuple(best)


def share(wanted: Sequence[str], have: frozenset[str]) -> float:
    return sum(1 for word in wanted if word in have) / len(wanted) if wanted else 0.0


def letters(wanted: Sequence[str], have: frozenset[str]) -> float:
    """Share of the letters of the wanted words that are in words held."""
    total = sum(map(len, wanted))
    return sum(len(word) for word in wanted if word in have) / total if total else 0.0


def prefixes(wanted: Sequence[str], have: Sequence[str]) -> float:
    """Share of the wanted words that begin as a word held does (four letters and half of the longer one)."""
    kept = tuple(word[:4] for word in have)
    met = [
        any(start == word[:4] and len(word) >= 4 and _common(word, other) * 2 > max(len(word), len(other)) for start, other in zip(kept, have, strict=True))
        or word in have
        for word in wanted
    ]  # fmt: skip
    return sum(met) / len(met) if met else 0.0


def _common(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def held_in(want: Form, whole: Form) -> bool:
    """Whether one text stands in the other word for word, or stem for stem."""
    if not want.words or not whole.words:
        return False
    if want.flat in whole.flat:
        return True
    return want.english and f" {' '.join(want.stems)} " in f" {' '.join(whole.stems)} "


def part_likeness(want: Form, whole: Form) -> float:
    if len(want.flat.strip()) < 4 or len(whole.flat) < len(want.flat):
        return fuzz.ratio(want.flat, whole.flat) / 100
    return fuzz.partial_ratio(want.flat[:COMPARED], whole.flat) / 100


@lru_cache(maxsize=4_096)
def nearest_word(word: str, words: tuple[str, ...]) -> float:
    """Likeness (0 to 1) of a word to the nearest one; figures are equal or not."""
    if word in words:
        return 1.0
    if word[0].isdigit() or not words:
        return 0.0
    return max(JaroWinkler.similarity(word, other) for other in words if other)


def initials(short: Form, long: Form) -> bool:
    """Whether a word of the one is made of the first letters of words of the other."""
    row = "".join(word[0] for word in long.words if word not in SMALL)
    full = "".join(word[0] for word in long.words)
    return any(
        2 <= len(word) <= 6 and word.isalpha() and word.isascii() and (word in row or word in full) and len(short.words) <= 3
        for word in short.words
    )  # fmt: skip
