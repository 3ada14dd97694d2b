"""The words of the pages, for what is written outside of them: files to take away, in the language that was asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from typing import Any

from core.base.settings import ROOT
from core.base.types import Language

FILE = ROOT / "pages" / "shared" / "words.toml"
Say = Callable[..., str]


@cache
def say_in(language: Language) -> Say:
    """What gives the words for a key in one language, holes filled; an unknown key is an error (KeyError)."""
    table = tomllib.loads(FILE.read_text("utf-8"))

    def say(key: str, **details: object) -> str:
        found: Any = table
        for part in key.split("."):
            found = found[part]
        text = str(found[language])
        return text.format(**details) if details else text

    return say


def known(say: Say, key: str, otherwise: str) -> str:
    """The words for a key, or something else where there are none."""
    try:
        return say(key)
    except (KeyError, TypeError):
        return otherwise
