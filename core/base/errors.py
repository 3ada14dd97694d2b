"""The errors that are told to a person in one sentence."""

import json
from typing import Any


class BadInput(Exception):
    """Something a person gave cannot be used; the message says what came, what was expected, and what to do.

    `key` and `details` let a page say the same in its own language (`errors.<key>` of its words, filled with `details`).
    """

    def __init__(self, message: str, key: str = "", **details: object) -> None:
        super().__init__(message)
        self.key = key
        self.details = details


def sentence(error: BaseException) -> str:
    """An error as one line for a row: its sentence where it is meant for people, else its kind and message."""
    line = " ".join(str(error).split())
    return line if hasattr(error, "key") else f"{type(error).__name__}: {line}".removesuffix(": ")[:500]


def as_sentence(error: str) -> str:
    """The sentence of an error, also where it is kept with its parts as JSON."""
    try:
        kept: Any = json.loads(error) if error.startswith('{"key"') else None
    except ValueError:
        kept = None
    return str(kept["text"]) if kept else error
