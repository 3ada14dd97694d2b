"""Reads TOML: Kiku's own files, and those of users, whose errors name the line in any language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_TWICE = ("overwrite a value", "twice", "mutate immutable", "redefine")


class TomlFault(ValueError):
    """TOML, or a field of it, cannot be used; `details` have the reason (a key) and the place, for any language."""

    def __init__(self, detail: str, why: str, **details: object) -> None:
        super().__init__(detail)
        self.details: dict[str, object] = {"detail": detail, "why": why, **details}


def parse_toml(source: bytes) -> dict[str, Any]:
    """The tables of a TOML file (UTF-8, with or without a byte order mark); raises TomlFault."""
    try:
        return tomllib.loads(source.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise TomlFault(f"not UTF-8 text: byte {error.start}", "encoding") from error
    except tomllib.TOMLDecodeError as error:
        raise _fault_of(str(error)) from error
    except RecursionError as error:
        raise TomlFault("nested too deeply", "nested") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise TomlFault("a number has too many digits", "digits") from error


@cache
def bundled_toml(module: str, name: str) -> Mapping[str, Any]:
    """The tables of the TOML file `name` next to a module, whose `__file__` is given."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def parse_document(source: bytes) -> Any:
    """A TOML file with its comments, to be edited; raises TomlFault."""
    try:
        return tomlkit.parse(source.decode("utf-8-sig"))
    except (TOMLKitError, ValueError) as error:  # what tomllib takes and tomlkit does not
        raise TomlFault(str(error), "end") from error


def multiline(value: Any) -> Any:
    """A value as it is written: a text of several lines between triple quotes."""
    return tomlkit.string(value, multiline=True) if isinstance(value, str) and "\n" in value else value


def _fault_of(message: str) -> TomlFault:
    """The fault for a message of tomllib."""
    found = _LINE.search(message)
    if not found:
        return TomlFault(message, "end")
    twice = any(part in message for part in _TWICE)
    return TomlFault(message, "twice" if twice else "line", line=int(found[1]))
