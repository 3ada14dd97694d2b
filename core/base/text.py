"""Text that any file can hold, and passages under their headings."""

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


def headed(title: str, heading: str, text: str) -> str:
    """A passage as judges see it: its headings above it; what an external bot saw may have none of them."""
    head = " › ".join(name for name in (title, heading) if name)
    return f"{head}\n{text}" if head else text
