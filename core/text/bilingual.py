"""Translates a message's terms, so that it finds sections of documents in the other language."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from core.base.toml import bundled_toml
from core.base.types import Language
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS, normalize

_ENDINGS = r"(?:s|es|d|ed|ing|ting|ling|led|ted)?"


class Lexicon(NamedTuple):
    """A dictionary from one language to the other."""

    pattern: re.Pattern[str]  # all words of the one language, the longest first
    meanings: dict[str, str]  # the word of the other language for each


@lru_cache(maxsize=1_024)
def translate_terms(language: Language, text: str) -> str:
    """The help desk terms of a message in the other language, in order, each once; "" if it has none.

    The result is a query of keywords, without words that the lexicon lacks.
    """
    lexicon = _lexicons()[language]
    plain = normalize(text[:MAX_CLASSIFIED_CHARACTERS]).replace("’", "'")
    found = (lexicon.meanings[match[1]] for match in lexicon.pattern.finditer(plain))
    return " ".join(dict.fromkeys(found))


def is_english_term(word: str) -> bool:
    """Whether an English word, in lower case, is a help desk term."""
    return bool(_lexicons()["ja"].pattern.fullmatch(word))


@cache
def _lexicons() -> dict[Language, Lexicon]:
    """For each language to translate into, the words of the other one."""
    pairs: list[list[str]] = bundled_toml(__file__, "bilingual.toml")["words"]
    to_english = {one.lower(): en.split("|")[0] for ja, en in reversed(pairs) for one in ja.split("|")}
    to_japanese = {one: ja.split("|")[0] for ja, en in reversed(pairs) for one in en.split("|")}
    english = "|".join(re.escape(word) for word in sorted(to_japanese, key=len, reverse=True))
    japanese = "|".join(re.escape(word) for word in sorted(to_english, key=len, reverse=True))
    return {
        "ja": Lexicon(re.compile(rf"\b({english}){_ENDINGS}\b"), to_japanese),
        "en": Lexicon(re.compile(f"({japanese})"), to_english),
    }
