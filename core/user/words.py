"""The word lists of `words.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def words(name: str) -> frozenset[str]:
    """The words of one list."""
    table: dict[str, str] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
    return frozenset(table[name].split())
