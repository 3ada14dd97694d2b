"""Every word on the pages, in Japanese and English side by side (`words.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.base.translate import filled, translated_error, translated_stored_error
from core.base.types import Language

FILE = Path(__file__).with_name("words.toml")


def first_guess() -> Language:
    """The language of a first visit: the owner's setting, else the browser's, else Japanese."""
    try:
        wanted = settings().language
    except BadInput:  # told by the pages that need the settings
        wanted = ""
    if wanted:
        return "en" if wanted == "en" else "ja"
    return "en" if (st.context.locale or "").lower().startswith("en") else "ja"


def language() -> Language:
    """The language the person reads now."""
    return "en" if st.session_state.get("lang") == "en" else "ja"


def t(key: str, /, **details: object) -> str:
    """The words for `key` in the person's language, holes filled; an unknown key is an error (KeyError)."""
    text = words()[key][language()]
    return filled(text, details)


def error_text(error: BadInput) -> str:
    """What went wrong, in the person's language; the error's own words where the pages have none."""
    return translated_error(t, error)


def stored_error_text(told: str) -> str:
    """The sentence for an error as the store keeps it (`core.runs.chat.stored_error`), in the person's language."""
    return translated_stored_error(t, told)


@cache
def words() -> dict[str, dict[str, str]]:
    """{"section.key": {"ja": …, "en": …}} of the whole file."""
    return dict(_flat("", tomllib.loads(FILE.read_text("utf-8"))))


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    if "ja" in table and isinstance(table["ja"], str):
        return [(prefix, table)]
    return [pair for name, below in table.items() for pair in _flat(f"{prefix}.{name}" if prefix else name, below)]
