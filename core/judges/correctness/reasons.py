"""The words of the judge: `reasons.toml` filled with quotes."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.base.types import Language
from core.judges.turn.reasons import quote

FILE = Path(__file__).with_name("reasons.toml")


def say(key: str, language: Language, **holes: str) -> str:
    """The sentence `group.name` in a language, its holes filled with short quotes (a missing hole is a KeyError)."""
    group, name = key.split(".")
    return _words()[group][name][language].format(**{hole: quote(text) for hole, text in holes.items()})


def unsaid(plea: str) -> str:
    """The key of what is said of an answer that asserts nothing, with or without words to the judge."""
    return "missing.nothing" if plea else "missing.silent"


@cache
def _words() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(FILE.read_text("utf-8"))
