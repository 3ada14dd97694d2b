"""The texts of the pages, in Japanese and English side by side: `words.toml`, and those of `core/base/words.toml`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.base.translate import FILE as CORE_FILE
from core.base.translate import Words, fill_text, read_words, translated_error, translated_stored_error
from core.base.types import Language

FILE = Path(__file__).with_name("words.toml")


def first_guess() -> Language:
    """The language of a first visit: the owner's setting, else the browser's, else Japanese."""
    try:
        setting = settings().language
    except BadInput:  # reported by the pages that need the settings
        setting = ""
    if setting:
        return "en" if setting == "en" else "ja"
    return "en" if (st.context.locale or "").lower().startswith("en") else "ja"


def language() -> Language:
    return "en" if st.session_state.get("lang") == "en" else "ja"


def t(key: str, /, **details: object) -> str:
    """The words for `key` in the person's language, holes filled; an unknown key is an error (KeyError)."""
    text = words()[key][language()]
    return fill_text(text, details)


def error_text(error: BadInput) -> str:
    """What went wrong, in the person's language; the error's own text if it has no key."""
    return translated_error(t, error)


def stored_error_text(stored: str) -> str:
    """The sentence for an error of `core.base.errors.stored_error` in the page's language."""
    return translated_stored_error(t, stored)


def words() -> Words:
    """{"section.key": {"ja": …, "en": …}} of everything that a page can show."""
    return read_words(CORE_FILE, FILE)
