"""Makes texts fit for files, messages and terminals: replaces characters that these cannot contain, and cuts
lengths."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

_LONE = re.compile(r"[\ud800-\udfff]")
# All control characters but tab and line feed, and those that turn the direction of writing
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONG_WORD = re.compile(r"[^\s、。，．,;]{301,}")
CUT_WORD_CHARACTERS = 120  # characters that remain of a word that is cut
# Characters of a sentence; those of its end that remain if it is cut
MAX_SENTENCE_CHARACTERS, SENTENCE_END_CHARACTERS = 2_000, 300


def clean(value: Any) -> Any:
    """The value with lone surrogates (which no file can contain) replaced."""
    return change_texts(value, partial(_LONE.sub, "\ufffd"))


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Data of JSON with all its texts and keys changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [change_texts(item, change) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {change_texts(key, change): change_texts(item, change) for key, item in items}
    return value


def without_control_characters(text: str) -> str:
    """The text without characters that a terminal would execute, such as the start of an escape sequence."""
    return _CONTROL.sub("", text)


def truncate(text: str, limit: int) -> str:
    """The text with its lines, at most `limit` characters long; an ellipsis replaces the rest."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def shorten(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters long (`truncate`)."""
    return truncate(" ".join(text.split()), limit)


def shorten_words(text: str) -> str:
    """A sentence with long words (ids, paths) cut in their middle; a very long one is cut itself."""
    text = _LONG_WORD.sub(
        lambda found: f"{found[0][: CUT_WORD_CHARACTERS // 2]}…{found[0][-CUT_WORD_CHARACTERS // 2 :]}", text
    )
    if len(text) <= MAX_SENTENCE_CHARACTERS:
        return text
    return f"{text[: MAX_SENTENCE_CHARACTERS - SENTENCE_END_CHARACTERS]} … {text[-SENTENCE_END_CHARACTERS:]}"
