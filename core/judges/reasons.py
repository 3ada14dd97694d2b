"""Sentences in Japanese and English that stand in a TOML file beside the code that says them."""

from __future__ import annotations

import tomllib
from functools import cached_property
from pathlib import Path

from core.base.types import Language


class Told:
    """The sentences of one file: `[key]` with `ja` and `en`, `{holes}` to be filled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self, key: str, language: Language, **holes: object) -> str:
        """A sentence, its holes filled (an unknown key or a missing hole is a KeyError)."""
        return self._words[key][language].format(**holes)

    def __contains__(self, key: str) -> bool:
        """Whether the file has such a sentence."""
        return key in self._words

    @cached_property
    def _words(self) -> dict[str, dict[Language, str]]:
        return tomllib.loads(self._file.read_text("utf-8"))
