"""Every word on the pages, in Japanese and English side by side (`words.toml`)."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Language

_OF_THE_SYSTEM = {  # what the operating system and the database say, which has no key
    "permission": r"(?i)permission denied|operation not permitted",
    "read_only": r"(?i)read-?only",
    "no_space": r"(?i)no space|quota|disk is full",
    "no_folder": r"(?i)not a directory|file exists|no such file|is a directory",
    "cannot_open": r"(?i)unable to open database|not a database|malformed",
    "locked": r"(?i)locked|timeout",
}
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
        return known[language()].format(**{**error.details, **_why(error.details)})
    except (KeyError, IndexError):
        return str(error)


def stored(told: str) -> str:
    """The sentence for an error as the store keeps it (`core.run.chat.told_later`), in the person's language."""
    try:
        kept = json.loads(told) if told.startswith('{"key"') else None
    except ValueError:
        kept = None
    return sentence(BadInput(kept["text"], kept["key"], **kept["details"])) if kept else told


def _why(details: dict[str, object]) -> dict[str, str]:
    """The error's `detail` in the person's language: by its `why`, or by what the system is known to say."""
    why, detail = details.get("why"), str(details.get("detail", ""))
    if not why:
        why = next((name for name, said in _OF_THE_SYSTEM.items() if re.search(said, detail)), "")
    words_of = words().get(f"why_wrong.{why}")
    return {"detail": words_of[language()].format(**details)} if words_of else {}


@cache
def words() -> dict[str, dict[str, str]]:
    """{"section.key": {"ja": …, "en": …}} of the whole file."""
    return dict(_flat("", tomllib.loads(FILE.read_text("utf-8"))))


def _flat(prefix: str, table: dict[str, Any]) -> list[tuple[str, dict[str, str]]]:
    if "ja" in table and isinstance(table["ja"], str):
        return [(prefix, table)]
    return [pair for name, below in table.items() for pair in _flat(f"{prefix}.{name}" if prefix else name, below)]
