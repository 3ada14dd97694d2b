"""Reads TOML that people wrote; errors name the line or field, for any language."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_TWICE = ("overwrite a value", "twice", "mutate immutable", "redefine")
_BOUNDS = {"less_than_equal": ("most", "le"), "greater_than_equal": ("least", "ge")}
_KINDS = {
    "missing": "missing",
    "extra_forbidden": "extra",
    "string_type": "text",
    "string_too_short": "empty",
    "int_type": "number",
    "float_type": "plain_number",
    "float_parsing": "plain_number",
    "union_tag_invalid": "external_kind",
    "union_tag_not_found": "external_kind",
}
_EXTERNAL = ("not_jmespath", "written_key", "not_header", "not_json", "not_callable", "not_address")


class Fault(ValueError):
    """TOML or a field of it cannot be used; `details` say why (a word) and where, for a sentence in any language."""

    def __init__(self, detail: str, why: str, **details: object) -> None:
        super().__init__(detail)
        self.details: dict[str, object] = {"detail": detail, "why": why, **details}


def parse_toml(source: bytes) -> dict[str, Any]:
    """The tables of a TOML file (UTF-8, with or without a byte order mark); raises Fault."""
    try:
        return tomllib.loads(source.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise fault_of(error) from error
    except RecursionError as error:
        raise Fault("nested too deeply", "nested") from error
    except ValueError as error:  # an integer of more digits than Python reads
        raise Fault("a number has too many digits", "digits") from error


def parse_document(source: bytes) -> Any:
    """A TOML file with its comments, to be edited; raises Fault."""
    try:
        return tomlkit.parse(source.decode("utf-8-sig"))
    except (TOMLKitError, ValueError) as error:  # what tomllib takes and tomlkit does not
        raise Fault(str(error), "end") from error


def fault_of(error: UnicodeDecodeError | tomllib.TOMLDecodeError) -> Fault:
    """What reading a TOML file stumbled over."""
    if isinstance(error, UnicodeDecodeError):
        return Fault(f"not UTF-8 text: byte {error.start}", "encoding")
    message = str(error)
    found = _LINE.search(message)
    if not found:
        return Fault(message, "end")
    twice = any(part in message for part in _TWICE)
    return Fault(message, "twice" if twice else "line", line=int(found[1]))


def field_fault(error: ValidationError, prefix: str = "", whole: str = "") -> Fault:
    """The first invalid field of a pydantic error.

    prefix: text before the field's name; whole: what stands for the name if the error is about the whole model.
    """
    first = error.errors(include_url=False)[0]
    kind, context = first["type"], first.get("ctx", {})
    field = ".".join(_places(first["loc"])) or whole
    detail = f"{prefix}{field}: {first['msg']}"
    if kind in _BOUNDS:
        why, name = _BOUNDS[kind]
        return Fault(detail, why, field=field, bound=context[name])
    if kind == "literal_error":
        return Fault(detail, "choice", field=field, known=", ".join(re.findall(r"'([^']*)'", context["expected"])))
    if kind.startswith("bool_"):
        return Fault(detail, "choice", field=field, known="true, false")
    if kind == "greater_than":
        return Fault(detail, "above", field=field, bound=context["gt"])
    other = "number" if kind.startswith("int_") else "field"
    return Fault(detail, kind if kind in _EXTERNAL else _KINDS.get(kind, other), field=field)


def _places(places: tuple[int | str, ...]) -> list[str]:
    """A place by the names that the file has: without the kind of an external bot, which the error puts into it."""
    named = [str(part) for part in places]
    return [named[0], *named[2:]] if named[:1] == ["external"] and named[1:2] and len(named) > 2 else named
