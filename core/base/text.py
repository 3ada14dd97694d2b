"""Text that any file can hold, cut to a length; passages under their headings."""

from __future__ import annotations

import re
from typing import Any, cast

_LONE = re.compile(r"[\ud800-\udfff]")


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


def headed(title: str, heading: str, text: str) -> str:
    """A passage as judges see it: its headings above it; what an external bot saw may have none of them."""
    head = " › ".join(name for name in (title, heading) if name)
    return f"{head}\n{text}" if head else text
