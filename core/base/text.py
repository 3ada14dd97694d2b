"""Text that any file can hold, cut to a length; passages under their headings."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, cast

_LONE = re.compile(r"[\ud800-\udfff]")
_LONG_WORD = re.compile(r"[^\s、。，．,;]{301,}")
WORD_SHOWN = 120  # characters of a word that is cut
LONGEST_SENTENCE, SENTENCE_END = 2_000, 300  # characters of a sentence; those of its end that stay if it is cut


def clean(value: Any) -> Any:
    """The value with half characters (lone surrogates, which no file can hold) replaced."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [clean(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in cast("dict[Any, Any]", value).items()}
    return value


def truncate(text: str, limit: int) -> str:
    """The text with its lines, at most `limit` characters long; what is cut off shows as an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def shorten(text: str, limit: int) -> str:
    """The text on one line, at most `limit` characters long (`truncate`)."""
    return truncate(" ".join(text.split()), limit)


def in_quotes(text: str, language: str) -> str:
    """The text between quotation marks of a language; those inside it become the other kind."""
    if language == "ja":
        return f"「{text.replace('「', '『').replace('」', '』')}」"
    return f'"{text.replace(chr(34), chr(39))}"'


def quote_list(items: Sequence[str], language: str) -> str:
    """Items between quotation marks, in one phrase."""
    if language == "ja":
        return "、".join(in_quotes(item, language) for item in items)
    quoted = [in_quotes(item, language) for item in items]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def is_quoted(name: str, text: str) -> bool:
    """Whether a text has a name between quotation marks of either language."""
    return any(in_quotes(name, language) in text for language in ("ja", "en"))


def with_heading(title: str, heading: str, text: str) -> str:
    """A passage as judges see it: its headings above it; what an external bot saw may have none of them."""
    head = " › ".join(name for name in (title, heading) if name)
    return f"{head}\n{text}" if head else text


def unused_name(name: str, used: Collection[str], mark: str) -> str:
    """The name if it is not used, else with the first number from 2 that is free; mark: how it is written, such as "-{}"."""
    unused, number = name, 1
    while unused in used:
        number += 1
        unused = name + mark.format(number)
    return unused


def json_fault(error: ValueError | RecursionError) -> str:
    """What is wrong with a text that `json` could not read."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"


def shorten_words(text: str) -> str:
    """A sentence in which long words (ids, paths) are cut in their middle, and which is so itself if it is very long."""
    text = _LONG_WORD.sub(lambda found: f"{found[0][: WORD_SHOWN // 2]}…{found[0][-WORD_SHOWN // 2 :]}", text)
    return (
        text if len(text) <= LONGEST_SENTENCE else f"{text[: LONGEST_SENTENCE - SENTENCE_END]} … {text[-SENTENCE_END:]}"
    )
