"""Texts by key and language: those of errors, charts, exports and reports (`words.toml`).

The pages load their own texts in the same way.
"""

from __future__ import annotations

import json
import re
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from core.base.errors import BadInput
from core.base.types import Language

FILE = Path(__file__).with_name("words.toml")
Translate = Callable[..., str]
Words = Mapping[str, Mapping[str, str]]  # {"section.key": {"ja": …, "en": …}}
_OF_THE_SYSTEM = {  # what the operating system and the database say, which has no key
    "permission": r"(?i)permission denied|operation not permitted",
    "read_only": r"(?i)read-?only",
    "no_space": r"(?i)no space|quota|disk is full",
    "no_folder": r"(?i)not a directory|file exists|no such file|is a directory",
    "cannot_open": r"(?i)unable to open database|not a database|malformed",
    "locked": r"(?i)locked|timeout",
}
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
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
def read_words(*files: Path) -> Words:
    """The texts of some TOML files; raises ValueError if two of them have the same key."""
    words: dict[str, Mapping[str, str]] = {}
    for file in files:
        entries = dict(_flat("", tomllib.loads(file.read_text("utf-8"))))
        if twice := words.keys() & entries.keys():
            raise ValueError(f"{file.name} repeats {', '.join(sorted(twice))}.")
        words |= entries
    return words


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, below in table.items():
        key = f"{prefix}{name}"
        if isinstance(below.get("ja"), str):
            yield key, below
        else:
            yield from _flat(f"{key}.", below)


@cache
def translator(language: Language) -> Translate:
    """The function that returns the text of a key in one language, with placeholders filled; KeyError for an unknown
    key."""
    words = read_words(FILE)

    def t(key: str, /, **details: object) -> str:
        return fill_text(words[key][language], details)

    return t


class _Counting(string.Formatter):
    """Placeholders as in `str.format`, and {n:turn|turns}: a number with its noun in the right number."""

    def format_field(self, value: Any, format_spec: str) -> str:
        singular, several, many = format_spec.partition("|")
        if not several:
            return super().format_field(value, format_spec)
        return f"{value} {singular if str(value) == '1' else many}"


def fill_text(text: str, details: Mapping[str, object]) -> str:
    """The text with its placeholders filled; a number may bring its noun along, as in {n:turn|turns}."""
    return _Counting().vformat(text, (), details) if details else text


def text_or_default(t: Translate, key: str, otherwise: str) -> str:
    """The text of a key, or `otherwise` if there is none."""
    try:
        return t(key)
    except KeyError:
        return otherwise


def translated_error(t: Translate, error: BadInput) -> str:
    """An error's sentence in the language of `t`; its own text if its key has no translation."""
    try:
        details = {"error": str(error), **error.details, **_why(t, error.details, error.key)}
        return t(f"errors.{error.key}", **details)
    except (KeyError, IndexError, TypeError):
        return str(error)


def translated_stored_error(t: Translate, stored: str) -> str:
    """The sentence for an error stored by `core.base.errors.stored_error`, in the language of `t`.

    An English sentence without a key is quoted.
    """
    try:
        read: Any = json.loads(stored) if stored.startswith('{"key"') else None
        if read:
            return translated_error(t, BadInput(read["text"], read["key"], **read["details"]))
    except (ValueError, KeyError, TypeError):
        return stored
    return t("errors.untranslated", error=stored) if _is_english(stored) else stored


def _is_english(text: str) -> bool:
    """Whether a text has words, and none in Japanese."""
    return bool(re.search(r"[A-Za-z]{3}", text)) and not _JAPANESE.search(text)


def _why(t: Translate, details: dict[str, object], key: str) -> dict[str, str]:
    """The error's `detail` or `problem` in the language: by its `why`, else by a known message of the system."""
    why, detail = details.get("why"), str(details.get("detail", ""))
    if not why and key not in _OF_SERVERS:
        why = next((name for name, pattern in _OF_THE_SYSTEM.items() if re.search(pattern, detail)), "")
    text = reason_text(t, str(why), details)
    return {"detail": text, "problem": text} if text else {}


def reason_text(t: Translate, why: str, details: Mapping[str, object]) -> str:
    """A reason in words (`error_details`), with the given value if there is one; "" if it has no translation."""
    try:
        value = t("error_details.value", **details) if "value" in details else ""
        return t(f"error_details.{why}", **details) + value if why else ""
    except (KeyError, TypeError):
        return ""
