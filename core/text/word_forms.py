"""One spelling for words: accents, articles, possessives, abbreviations, spelt numbers, ordinals and Roman numerals levelled."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from core.text.language import script, terms

_STORED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("word_forms.toml").read_text("utf-8"))


def _row(name: str) -> list[str]:
    return _STORED[name].split()


_NUMBER = {name: n for n, name in enumerate(_row("numbers"))} | {name: 10 * n for n, name in enumerate(_row("tens"), 2)}
_ORDINAL = {name: n for n, name in enumerate(_row("ordinals"))} | {
    name[:-1] + "ieth": 10 * n for n, name in enumerate(_row("tens"), 2)
}
_SCALE: dict[str, int] = _STORED["scale"]
MONTHS = {name: n for n, name in enumerate(_row("months"), 1)}
SMALL = frozenset(_row("small"))
_ARTICLES = frozenset(_row("articles"))
_SAME: dict[str, str] = {
    **{name[:3]: name for name in MONTHS if name != "may"},
    **{name: str(n) for n, name in enumerate(_row("romans"), 1) if len(name) > 1},
    **_STORED["same"],
}
_PHRASES = (
    (re.compile(r"\bunited states(?: of america)?\b"), "us"),
    (re.compile(r"\bunited kingdom\b|\bgreat britain\b"), "uk"),
    (re.compile(r"\bnew york city\b"), "new york"),
    (re.compile(r"\bdegrees? celsius\b|°\s*c\b"), " celsius"),
    (re.compile(r"\bdegrees? fahrenheit\b|°\s*f\b"), " fahrenheit"),
    (re.compile(r"\bper ?cent\b|%"), " percent "),
    (re.compile(r"[$]\s*(\d[\d.,]*(?:\s*(?:million|billion|trillion))?)"), r"\1 dollars "),
    (re.compile(r"£\s*(\d[\d.,]*(?:\s*(?:million|billion|trillion))?)"), r"\1 pounds "),
    (re.compile(r"&"), " and "),
)
_WORD = re.compile(r"\d+(?:\.\d+)*(?:(?:st|nd|rd|th|s)\b)?|[a-z]+|[^\W\d_]+")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}(?:[a-z]\b)?|\b[a-z](?:\.[a-z])+\b\.?")
_LETTERS = re.compile(r"\b(?:[b-z] ){2,}[b-z]\b")
_SPACED = re.compile(r"\b(?:[a-z]\.\s){1,}[a-z]\.(?=\s[a-z]{2})")
_MENDED = {code.encode().decode("cp1252", "ignore"): code for code in "–—’‘“”…éèáíóúäöüçñ°£½ "}
_BROKEN = re.compile("|".join(re.escape(code) for code in _MENDED if len(code) > 1))


class Form(NamedTuple):
    """A text read for comparison: its words in one spelling, their stems, and the words run together.

    english: whether it is written in Latin letters, so that words end at spaces.
    """

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    flat: str
    english: bool


@lru_cache(maxsize=4_096)
def form(text: str) -> Form:
    """A text of any script as words and stems."""
    text = mended(text)
    if script(text) != "en":
        words = terms(text)
        flat = "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower()))
        return Form(text, words, words, flat, False)
    words = tuple(_words(text))
    return Form(text, words, stems(words), f" {' '.join(words)} ", True)


@lru_cache(maxsize=4_096)
def stems(words: tuple[str, ...]) -> tuple[str, ...]:
    """The stem of each word; 8th and 8 have one."""
    return tuple(word.removesuffix("th") if word[0].isdigit() else _stem(word) for word in words)


def mended(text: str) -> str:
    """A text whose letters were read in the wrong encoding (10â€“12), put right; any other text as it is."""
    if not _BROKEN.search(text):
        return text
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return _BROKEN.sub(lambda found: _MENDED.get(found[0], found[0]), text)


def level(text: str) -> str:
    """NFKC, lower case, without accents; thousands separators and dots in abbreviations taken out."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("–", "-").replace("—", "-")
    plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    plain = plain.replace("æ", "e").replace("œ", "e").replace("ø", "o").replace("ß", "ss").replace("ł", "l")
    plain = re.sub(r"\b([ao])e(?=[a-z]{2})|(?<=[bcdfghjklmnpqrstvwxyz])ae(?=[bcdfghjklmnpqrstvwxyz])", "e", plain)
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"(?<=\d)\.0+(?!\d|\.\d)", "", plain)
    plain = _LETTERS.sub(lambda found: found[0].replace(" ", ""), plain)
    plain = _SPACED.sub(lambda found: found[0].replace(". ", ""), plain)
    plain = _DOTTED.sub(lambda found: found[0].replace(".", ""), plain)
    for pattern, to in _PHRASES:
        plain = pattern.sub(to, plain)
    return re.sub(r"'s\b|(?<=s)'(?=\s|$)|'", "", plain)


@lru_cache(maxsize=4_096)
def _stem(word: str) -> str:
    found = terms(word, "en") if not word[0].isdigit() else ()
    return found[0] if len(found) == 1 else word


def _words(text: str) -> list[str]:
    words: list[str] = _WORD.findall(level(text))
    found = [_SAME.get(word, word) for word in words if word not in _ARTICLES]
    return _numbers(found)


def _numbers(words: list[str]) -> list[str]:
    """The words with spelt numbers joined: twenty one is 21, 2 million 2000000, seventh 7th."""
    found: list[str] = []
    joinable = False
    for word in words:
        value = _NUMBER.get(word)
        if word in _SCALE and found and _figure(found[-1]) is not None:
            found[-1] = _plain((_figure(found[-1]) or 0) * _SCALE[word])
            joinable = False
        elif value is not None and joinable and 0 < value < 10:
            found[-1] = str(int(found[-1]) + value)
            joinable = False
        elif value is not None:
            found.append(str(value))
            joinable = value >= 20
        elif word in _ORDINAL:
            if joinable and _ORDINAL[word] < 10:
                found[-1] = _th(int(found[-1]) + _ORDINAL[word])
            else:
                found.append(_th(_ORDINAL[word]))
            joinable = False
        else:
            found.append(_th(int(word[:-2])) if re.fullmatch(r"\d+(?:st|nd|rd|th)", word) else word)
            joinable = False
    return found


def _figure(word: str) -> float | None:
    return float(word) if re.fullmatch(r"\d+(?:\.\d+)?", word) else None


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _th(value: int) -> str:
    return f"{value}th"
