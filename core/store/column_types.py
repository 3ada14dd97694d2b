"""Texts in the database; PostgreSQL cannot store NUL characters, so they are escaped there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect, String, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeDecorator

from core.base.clean_text import change_texts

ESCAPE = "\U0010fffd"  # of the private plane; if it is met in a text it is written twice over, so nothing is mistaken
NUL, ITSELF = f"{ESCAPE}0", f"{ESCAPE}1"


def escape_nul(text: str) -> str:
    """A text without NUL characters."""
    return text.replace(ESCAPE, ITSELF).replace("\0", NUL) if "\0" in text or ESCAPE in text else text


def unescape_nul(text: str) -> str:
    """The reverse of `escape_nul`."""
    return text.replace(NUL, "\0").replace(ITSELF, ESCAPE) if ESCAPE in text else text


def _of_texts(change: Callable[[str], str]) -> Callable[[str | None], str | None]:
    return lambda text: None if text is None else change(text)


class Words(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Makes of a text what the database can hold; None if that is the text itself."""
        return _of_texts(escape_nul) if dialect.name == "postgresql" else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Makes of what the database holds the text as it was."""
        return _of_texts(unescape_nul) if dialect.name == "postgresql" else None


class Name(Words):
    """A short text such as an id or the name of a judge; its length is a hint to people, not a limit."""

    impl = String
    cache_ok = True


@compiles(String, "postgresql")
def _unlimited(kind: String, compiler: Any, **options: Any) -> str:
    """SQLite checks no lengths; on PostgreSQL, too, a long name must not make a conversation fail."""
    return "TEXT"


def dump_json(value: object) -> str:
    """JSON for a column, as people read it."""
    return json.dumps(value, ensure_ascii=False)


def dump_escaped(value: object) -> str:
    """JSON for PostgreSQL, whose functions refuse an escaped NUL."""
    text = dump_json(value)
    return dump_json(change_texts(json.loads(text), escape_nul)) if "\\u0000" in text or ESCAPE in text else text


def load_escaped(stored: bytes | str) -> Any:
    """The reverse of `dump_escaped`."""
    text = stored if isinstance(stored, str) else stored.decode()
    value = json.loads(text)
    return change_texts(value, unescape_nul) if ESCAPE in text else value
