"""A message's terms in the other language, so that it finds sections of documents that are not in its own."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from core.base.toml import bundled_toml
from core.base.types import Language
from core.text.normalize import LONGEST_MESSAGE, normalize

_ENDINGS = r"(?:s|es|d|ed|ing|ting|ling|led|ted)?"


class Lexicon(NamedTuple):
    """A pattern of all words of one language, the longest first, and for each word what it is in the other."""

    pattern: re.Pattern[str]
    meanings: dict[str, str]


@lru_cache(maxsize=1_024)
def translate_terms(language: Language, text: str) -> str:
    """The terms of a help desk in a message, in the other language, in order, each once; empty if it has none.

    A query of keywords: words that the lexicon does not have are left out.
    """
    lexicon = _lexicons()[language]
    plain = normalize(text[:LONGEST_MESSAGE]).replace("’", "'")
    found = (lexicon.meanings[match[1]] for match in lexicon.pattern.finditer(plain))
    return " ".join(dict.fromkeys(found))


def is_english_term(word: str) -> bool:
    """Whether an English word, in small letters, is a term of help desks."""
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
