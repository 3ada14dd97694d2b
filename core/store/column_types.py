"""Texts in the database; PostgreSQL cannot store NUL characters, so they are escaped there."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import JSON, Dialect, String, Text, type_coerce
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


class Words(TypeDecorator[str]):
    """Text of any length."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as the database can hold it."""
        return escape_nul(value) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it was."""
        return unescape_nul(value) if value is not None and dialect.name == "postgresql" else value


class Name(Words):
    """A short text such as an id or the name of a judge; its length is a hint to people, not a limit."""

    impl = String
    cache_ok = True


def bare(column: Any, dialect: str) -> Any:
    """A column as SQLite holds it, JSON as its text: only PostgreSQL's texts need work, which costs time per cell."""
    plain = dialect == "postgresql" or not isinstance(column.type, (Words, JSON))
    return column if plain else type_coerce(column, Text)


@compiles(String, "postgresql")
def _unlimited(kind: String, compiler: Any, **options: Any) -> str:
    """SQLite checks no lengths; on PostgreSQL, too, a long name must not make a conversation fail."""
    return "TEXT"


def dump_json(value: object) -> str:
    """JSON for a column, as people read it."""
    return json.dumps(value, ensure_ascii=False)


def json_text(cell: object) -> str:
    """A JSON cell as its text, whether the driver has read it (PostgreSQL) or not."""
    return cell if isinstance(cell, str) else dump_json(cell)


def dump_escaped(value: object) -> str:
    """JSON for PostgreSQL, whose functions refuse an escaped NUL."""
    text = dump_json(value)
    return dump_json(change_texts(json.loads(text), escape_nul)) if "\\u0000" in text or ESCAPE in text else text


def load_escaped(stored: bytes | str) -> Any:
    """The reverse of `dump_escaped`."""
    text = stored if isinstance(stored, str) else stored.decode()
    value = json.loads(text)
    return change_texts(value, unescape_nul) if ESCAPE in text else value
