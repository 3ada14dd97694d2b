"""The words of the pages, for what is written outside of them: files to take away, in the language that was asked for."""

from __future__ import annotations

import json
import re
import string
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from core.base.errors import BadInput
from core.base.kept import is_english, known_again
from core.base.settings import ROOT
from core.base.types import Language

FILE = ROOT / "pages" / "i18n" / "words.toml"
Translate = Callable[..., str]
_OF_THE_SYSTEM = {  # what the operating system and the database say, which has no key
    "permission": r"(?i)permission denied|operation not permitted",
    "read_only": r"(?i)read-?only",
    "no_space": r"(?i)no space|quota|disk is full",
    "no_folder": r"(?i)not a directory|file exists|no such file|is a directory",
    "cannot_open": r"(?i)unable to open database|not a database|malformed",
    "locked": r"(?i)locked|timeout",
}
_OF_SERVERS = (
    "unreachable",
    "wrong_key",
    "no_credit",
    "request_refused",
    "stream_cut",
    "sheets_forbidden",
    "sheets_failed",
    "sheets_share",
)


@cache
def translator(language: Language) -> Translate:
    """What gives the words for a key in one language, holes filled; an unknown key is an error (KeyError)."""
    table = tomllib.loads(FILE.read_text("utf-8"))

    def t(key: str, /, **details: object) -> str:
        found: Any = table
        for part in key.split("."):
            found = found[part]
        text = str(found[language])
        return filled(text, details)

    return t


class _Counting(string.Formatter):
    """Holes as in `str.format`, and {n:turn|turns}: a number with its noun, of one or of many."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, several, many = format_spec.partition("|")
        if not several:
            return super().format_field(value, format_spec)
        return f"{value} {one if str(value) == '1' else many}"


def filled(text: str, details: Mapping[str, object]) -> str:
    """The text with its holes filled; a number may bring its noun along, as in {n:turn|turns}."""
    return _Counting().vformat(text, (), details) if details else text


def known(t: Translate, key: str, otherwise: str) -> str:
    """The words for a key, or something else where there are none."""
    try:
        return t(key)
    except (KeyError, TypeError):
        return otherwise


def translated_error(t: Translate, error: BadInput) -> str:
    """What went wrong, in the language of `say`; the error's own words where there are none for it."""
    try:
        return t(
            f"errors.{error.key}",
            **{
                "error": str(error),
                **error.details,
                **_why(t, error.details, error.key),
                **_problem(t, error.details),
            },
        )
    except (KeyError, IndexError, TypeError):
        return str(error)


def translated_stored_error(t: Translate, told: str) -> str:
    """The sentence for an error as the store keeps it (a sentence, or key, details and text as JSON) in a language.

    A sentence without a key that nobody knows again is quoted in a frame of the language.
    """
    try:
        kept: Any = json.loads(told) if told.startswith('{"key"') else None
        return translated_error(t, BadInput(kept["text"], kept["key"], **kept["details"])) if kept else _older(t, told)
    except (ValueError, KeyError, TypeError):
        return told


def _older(t: Translate, told: str) -> str:
    found = known_again(told)
    if found is None:
        return t("stored_errors.quoted", said=told) if is_english(told) else told
    section, _, key = found.key.partition(".")
    return (
        translated_error(t, BadInput(told, key, **found.details))
        if section == "errors"
        else t(found.key, **found.details)
    )


def _problem(t: Translate, details: dict[str, object]) -> dict[str, str]:
    """What was wrong with a model's reply, in the language."""
    found = known_again(str(details.get("problem", "")))
    return (
        {"problem": t(found.key, **found.details).rstrip("。.")}
        if found and found.key.startswith("stored_errors.")
        else {}
    )


def _why(t: Translate, details: dict[str, object], key: str) -> dict[str, str]:
    """The error's `detail` in the language: by its `why`, or by what the system is known to say."""
    why, detail = details.get("why"), str(details.get("detail", ""))
    if not why and key not in _OF_SERVERS:
        why = next((name for name, said in _OF_THE_SYSTEM.items() if re.search(said, detail)), "")
    return {"detail": said} if (said := _known_why(t, str(why), details)) else {}


def _known_why(t: Translate, why: str, details: dict[str, object]) -> str:
    try:
        return t(f"error_details.{why}", **details) if why else ""
    except (KeyError, TypeError):
        return ""
