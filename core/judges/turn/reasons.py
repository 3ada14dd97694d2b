"""The words of the judge: `reasons.toml` filled with quotes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.base.types import Language
from core.text.language import script

FILE = Path(__file__).with_name("reasons.toml")
LONGEST = {"ja": 34, "en": 80}


def say(key: str, language: Language, **holes: object) -> str:
    """The sentence `group.name` in a language, its holes filled (a missing hole is a KeyError)."""
    group, name = key.split(".")
    return _words()[group][name][language].format(**holes)


def quote(text: str) -> str:
    """A text short enough to stand in quotes: on one line, without quotes of its own, cut with an ellipsis."""
    plain = (
        " ".join(text.split()).translate(str.maketrans({"「": "", "」": "", "“": "", "”": "", "*": ""})).rstrip("。.")
    )
    longest = LONGEST["en" if script(plain) == "en" else "ja"]
    return plain if len(plain) <= longest else plain[: longest - 1].rstrip() + "…"


def where(place: int, language: Language) -> str:
    """Passage number `place`, or the reference for 0."""
    return say("where.passage", language, place=place) if place else say("where.reference", language)


@cache
def _words() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(FILE.read_text("utf-8"))
