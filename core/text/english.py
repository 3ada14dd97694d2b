"""English words: names of numbers, months and weekdays, and forms of verbs (lemminflect's dictionary)."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import Any

from core.base.toml import bundled_toml

_ROWS = {name: row.split() for name, row in bundled_toml(__file__, "spelling.toml").items() if isinstance(row, str)}
SMALL_NUMBERS = {name: number for number, name in enumerate(_ROWS["numbers"], 1)}
TENS = {name: 10 * number for number, name in enumerate(_ROWS["tens"], 2)}
ORDINALS = dict(zip(_ROWS["ordinals"], range(20), strict=True)) | {f"{ten[:-1]}ieth": n for ten, n in TENS.items()}
MONTHS = {name: number for number, name in enumerate(_ROWS["months"], 1)}
WEEKDAYS = tuple(name.capitalize() for name in _ROWS["weekdays"])
MONTH_NAMES, WEEKDAY_NAMES = "|".join(MONTHS).title(), "|".join(WEEKDAYS)  # for patterns
AUXILIARIES = ("is", "are", "was", "were", "can", "could", "may", "must", "will", "should", "does", "do", "did")
_ENDS_SINGULAR = re.compile(r"(?:ss|us|is)$")
_LINKS = re.compile(r"\b(?:of|for|in|on|at|with|from|to|by|about|after|before|during|under|without|made|paid|bought)\b")


@lru_cache(maxsize=4_096)
def base_form(verb: str) -> str:
    """The base form of a verb: takes, taken, taking → take; "" if the dictionary has none."""
    lemminflect: Any = import_module("lemminflect")
    found = lemminflect.getLemma(verb.lower(), "VERB", lemmatize_oov=False)
    return str(found[0]) if found else ""


def is_gerund(word: str) -> bool:
    """Whether a word is the -ing form of a verb."""
    return word.lower().endswith("ing") and base_form(word) not in ("", word.lower())


def is_plural(noun_phrase: str) -> bool:
    """Whether "are" follows a noun phrase: its last word before "of", "for" and the like ends with s, or two are
    joined."""
    head = _LINKS.split(noun_phrase)[0].strip() or noun_phrase
    if re.search(r"\band\b", head):
        return True
    word = (head.split() or [head])[-1]
    is_regular = word.endswith("s") and not _ENDS_SINGULAR.search(word)
    return is_regular or word.lower() in ("people", "data", "i", "you")


def third_person(base: str) -> str:
    """The third person of a verb: takes, carries, passes."""
    if irregular := {"have": "has", "do": "does", "go": "goes"}.get(base):
        return irregular
    if re.search(r"(?:s|x|z|ch|sh)$", base):
        return f"{base}es"
    return f"{base[:-1]}ies" if re.search(r"[^aeiou]y$", base) else f"{base}s"
