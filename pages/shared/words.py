"""Every word on the pages, in Japanese and English side by side (`words.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Language

FILE = Path(__file__).with_name("words.toml")


def first_guess() -> Language:
    """The language of a first visit: the owner's setting, else the browser's, else Japanese."""
    if settings().language:
        return "en" if settings().language == "en" else "ja"
    return "en" if (st.context.locale or "").lower().startswith("en") else "ja"


def language() -> Language:
    """The language the person reads now."""
    return "en" if st.session_state.get("lang") == "en" else "ja"


def say(key: str, **details: object) -> str:
    """The words for `key` in the person's language, holes filled; an unknown key is an error (KeyError)."""
    text = words()[key][language()]
    return text.format(**details) if details else text


def sentence(error: BadInput) -> str:
    """What went wrong, in the person's language; the error's own words where the pages have none."""
    known = words().get(f"errors.{error.key}")
    if known is None:
        return str(error)
    try:
        return known[language()].format(**error.details)
    except (KeyError, IndexError):
        return str(error)


@cache
def words() -> dict[str, dict[str, str]]:
    """{"section.key": {"ja": …, "en": …}} of the whole file."""
    return dict(_flat("", tomllib.loads(FILE.read_text("utf-8"))))


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    if "ja" in table and isinstance(table["ja"], str):
        return [(prefix, table)]
    return [pair for name, below in table.items() for pair in _flat(f"{prefix}.{name}" if prefix else name, below)]
