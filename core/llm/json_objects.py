"""Finding the JSON objects in a model's text, in time that grows with its length; the last one decides, or none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import json_repair

from core.base.json_data import Json

MAX_LENGTH, MAX_BRACKETS = 20_000, 200  # of an object that is repaired: repairing takes their square
_BRACES = re.compile(r'[{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_KEYS = re.compile(r"""[{}]|("(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*'|[A-Za-z_]\w*)\s*(:)?""", re.DOTALL)
_PROSE_MARKS = re.compile(r"[:\"']")  # braces without any of these are words of the prose


class DuplicateKey(ValueError):
    """An object names the same key twice, with different values."""


def objects_in(text: str) -> Iterator[Json | None]:
    """The outermost objects of a text in their order, as they stand or repaired; raises DuplicateKey.

    None for one that is broken beyond repair, or has no end.
    """
    decoder, place = json.JSONDecoder(strict=False, object_pairs_hook=_unique_keys, parse_constant=_reject_constant), 0
    while (place := text.find("{", place)) >= 0:
        try:
            data, place = decoder.raw_decode(text, place)
            yield cast(Json, data)
            continue
        except DuplicateKey:
            raise
        except (ValueError, RecursionError):
            end = _object_end(text, place)
        if end is None:  # an object without an end was cut: its missing part is not for us to make up
            yield None
            return
        broken = text[place:end]
        place = end
        if _PROSE_MARKS.search(broken):
            yield _repaired(broken)


def only_object(text: str) -> Json | None:
    """The object that a text is, as it stands or repaired; none if it is no object. Raises DuplicateKey."""
    objects = list(objects_in(text))
    return objects[-1] if len(objects) == 1 else None


def _object_end(text: str, place: int) -> int | None:
    """Where the object that begins at a place ends."""
    depth = 0
    for token in _BRACES.finditer(text, place):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return None


def _repaired(broken: str) -> Json | None:
    """The object without its small faults; none if its size or its braces leave open what was meant."""
    brackets = broken.count("{") + broken.count("[")
    if len(broken) > MAX_LENGTH or brackets > MAX_BRACKETS or broken.count("{") != broken.count("}"):
        return None
    _check_keys(broken)
    try:
        data: Any = json_repair.loads(broken, skip_json_loads=True)
    except Exception:  # whatever it stumbles over: then there is nothing repaired
        return None
    return cast(Json, data) if isinstance(data, dict) else None


def _check_keys(broken: str) -> None:
    """Raises DuplicateKey; the repairer would take the last of the values."""
    open_objects: list[set[str]] = []
    for token in _KEYS.finditer(broken):
        if token[0] == "{":
            open_objects.append(set())
        elif token[0] == "}":
            open_objects = open_objects[:-1]
        elif token[2] and open_objects:
            key = token[1].strip("\"'")
            if key in open_objects[-1]:
                raise DuplicateKey(key)
            open_objects[-1].add(key)


def _unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    data: Json = {}
    for key, value in pairs:
        if key in data and (data[key] != value or type(data[key]) is not type(value)):
            raise DuplicateKey(key)
        data[key] = value
    return data


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
