"""The sentences of `say.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.base.types import Language

FILE = Path(__file__).with_name("reasons.toml")


def say(key: str, language: Language, **holes: object) -> str:
    """A sentence in a language, its holes filled (a missing hole is a KeyError)."""
    return _words()[key][language].format(**holes)


def joined(parts: list[str], language: Language) -> str:
    """Sentences in a row, as the language sets them."""
    return ("" if language == "ja" else " ").join(parts)


@cache
def _words() -> dict[str, dict[Language, str]]:
    return tomllib.loads(FILE.read_text("utf-8"))
