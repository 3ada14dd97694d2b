"""Texts as comparable words: articles, abbreviations, spelled numbers, ordinals and Roman numerals in one spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

from core.base.toml import bundled_toml
from core.text.english import MONTHS, ORDINALS, SMALL_NUMBERS, TENS
from core.text.language import script, terms
from core.text.normalize import plain_letters, repair_encoding

_STORED = bundled_toml(__file__, "spelling.toml")


def _row(name: str) -> list[str]:
    return _STORED[name].split()


_NUMBERS = {"zero": 0, **SMALL_NUMBERS, **TENS}
_SCALE: dict[str, int] = _STORED["scale"]
SMALL_WORDS = frozenset(_row("small"))
_ARTICLES = frozenset(_row("articles"))
_SAME: dict[str, str] = {
    **{name[:3]: name for name in MONTHS if name != "may"},
    **{name: str(n) for n, name in enumerate(_row("romans"), 1) if len(name) > 1},
    **_STORED["same"],
}
_WORD = re.compile(r"\d{1,40}+(?:\.\d{1,40}+){0,20}(?:(?:st|nd|rd|th|s)\b)?|[a-z]+|[^\W\d_]+")


class ComparableText(NamedTuple):
    """A text as words for comparison."""

    text: str
    words: tuple[str, ...]  # in one spelling
    stems: tuple[str, ...]
    flat: str  # the words joined
    english: bool  # written in Latin letters, so that words end at spaces


@lru_cache(maxsize=4_096)
def comparable(text: str) -> ComparableText:
    """A text of any script as words and stems."""
    text = repair_encoding(text)
    if script(text) != "en":
        words = terms(text)
        flat = "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower()))
        return ComparableText(text, words, words, flat, False)
    words = tuple(_words(text))
    return ComparableText(text, words, stems(words), f" {' '.join(words)} ", True)


@lru_cache(maxsize=4_096)
def stems(words: tuple[str, ...]) -> tuple[str, ...]:
    """The stem of each word; 8th and 8 have one."""
    return tuple(word.removesuffix("th") if word[0].isdigit() else _stem(word) for word in words)


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    found = terms(word, "en") if not word[0].isdigit() else ()
    return found[0] if len(found) == 1 else word


def _words(text: str) -> list[str]:
    words: list[str] = _WORD.findall(plain_letters(text))
    found = [_SAME.get(word, word) for word in words if word not in _ARTICLES]
    return _numbers(found)


def _numbers(words: list[str]) -> list[str]:
    """The words with spelled numbers joined: twenty one is 21, 2 million 2000000, seventh 7th."""
    found: list[str] = []
    joinable = False
    for word in words:
        value, after_tens = _NUMBERS.get(word), joinable
        joinable = value is not None and value >= 20
        if word in _SCALE and found and (figure := _figure(found[-1])) is not None:
            found[-1] = _plain(figure * _SCALE[word])
        elif value is not None and after_tens and 0 < value < 10:
            found[-1] = str(int(found[-1]) + value)
        elif value is not None:
            found.append(str(value))
        elif word in ORDINALS and after_tens and ORDINALS[word] < 10:
            found[-1] = _th(int(found[-1]) + ORDINALS[word])
        elif word in ORDINALS:
            found.append(_th(ORDINALS[word]))
        else:
            found.append(_th(int(word[:-2])) if re.fullmatch(r"\d+(?:st|nd|rd|th)", word) else word)
    return found


def _figure(word: str) -> float | None:
    return float(word) if re.fullmatch(r"\d+(?:\.\d+)?", word) else None


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _th(value: int) -> str:
    return f"{value}th"


MAX_FIGURES = 100  # figures of a text that are compared
_PLAIN_FIGURE = re.compile(r"\d{1,40}+(?:\.\d{1,40}+)?")


@lru_cache(maxsize=4_096)
def figures(text: str) -> tuple[str, ...]:
    """The figures of a text in order, without years that belong to dates with a month."""
    read = comparable(text)
    if read.english:
        words = (word.rstrip(ascii_lowercase) for word in read.words if word[0].isdigit())
        found = filter(_PLAIN_FIGURE.fullmatch, words)
    else:
        found = _PLAIN_FIGURE.findall(read.flat)
    return tuple(dict.fromkeys(map(_tidy, found)))[:MAX_FIGURES]


def _tidy(figure: str) -> str:
    return (figure.rstrip("0").rstrip(".") if "." in figure else figure).lstrip("0") or "0"
