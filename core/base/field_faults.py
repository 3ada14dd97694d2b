"""Errors about an invalid field in a user's file: one sentence with the expected and the actual value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from core.base.clean_text import shorten
from core.base.errors import BadInput
from core.base.toml import TomlFault
from core.base.translate import reason_text, translator

MAX_SHOWN_CHARACTERS = 60  # characters of a value that an error shows
_KINDS = {
    "missing": "missing",
    "extra_forbidden": "extra",
    "string_type": "text",
    "string_too_short": "empty",
    "union_tag_invalid": "external_kind",
    "union_tag_not_found": "external_kind",
    "less_than_equal": "most",
    "greater_than_equal": "least",
    "greater_than": "above",
    "less_than": "below",
    "literal_error": "choice",
    "finite_number": "plain_number",
    "tuple_type": "list",
    "list_type": "list",
    "frozen_set_type": "list",
    "set_type": "list",
    "dict_type": "table",
    "model_type": "table",
    "model_attributes_type": "table",
}
_FAMILIES = {"int": "number", "float": "plain_number", "bool": "choice", "date": "date", "json": "json"}
_OWN = ("not_jmespath", "written_key", "not_header", "not_json", "not_callable", "not_address")  # of `external_bots`
_UNION = {"str": "text", "int": "number", "float": "number", "bool": "number"}  # how pydantic names its members
# No value is shown: there is none, it does not help, or it may be a key
_WITHOUT_VALUE = ("missing", "extra", "empty", "json", *_OWN)


def broken_file(
    name: str, fault: TomlFault, advice: str = "Correct it and try again.", key: str = "broken_file", **where: object
) -> BadInput:
    """The error for a user's file that cannot be used, with what to do.

    where: more details for the sentence of `key`
    """
    return BadInput(f"{name} cannot be read ({fault}). {advice}", key, file=name, **where, **fault.details)


def field_fault(
    error: ValidationError, prefix: str = "", whole: str = "", field: str = "", secret: bool = False
) -> TomlFault:
    """The first invalid field of a pydantic error, with its value.

    prefix: text before the sentence
    whole: name in place of the field's if the error is about the whole model
    field: name of the field, if users know it by another
    secret: whether the value must not be shown
    """
    first = error.errors(include_url=False)[0]
    place = list(_names(first["loc"]))
    why = _KINDS.get(first["type"], "")
    if len(place) > 1 and place[-1] in _UNION and len(error.errors()) > 1:
        place, why = place[:-1], "text_or_number"
    why = why or (first["type"] if first["type"] in _OWN else _FAMILIES.get(first["type"].partition("_")[0], ""))
    name = field or _joined(place) or whole
    details: dict[str, object] = {"field": name, **_expected(why, first)}
    if not why and first["type"] == "value_error":  # a sentence of our own
        text = first["msg"].removeprefix("Value error, ")
        return TomlFault(f"{prefix}{name}: {text}" if name else f"{prefix}{text}", "", **details)
    why = why or "field"
    if why not in _WITHOUT_VALUE and not secret and first["loc"][:1] != ("external",):
        details["value"] = shown_value(first["input"])
    return TomlFault(f"{prefix}{reason_text(translator('en'), why, details)}", why, **details)


def shown_value(value: object) -> str:
    """A value as its file has it, on one line and cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return shorten(text, MAX_SHOWN_CHARACTERS)


def _expected(why: str, first: Mapping[str, Any]) -> dict[str, object]:
    """The expected value, for the sentence about the field."""
    context: Mapping[str, Any] = first.get("ctx", {})
    if first["type"] == "literal_error":
        return {"known": ", ".join(filter(None, re.findall(r"'([^']*)'", context["expected"])))}
    if why == "choice":
        return {"known": "true, false"}
    bound = next((context[name] for name in ("le", "ge", "gt", "lt") if name in context), None)
    return {} if bound is None else {"bound": int(bound) if bound == int(bound) else bound}


def _names(place: Sequence[int | str]) -> Iterator[str]:
    """The path of a field in the file, lists counted from 1; without the kind of an external bot."""
    for number, part in enumerate(place):
        if number == 1 and place[0] == "external" and len(place) > 2:
            continue
        yield f"#{part + 1}" if isinstance(part, int) else part


def _joined(names: Sequence[str]) -> str:
    """samples #2; clarify.max_questions; contacts #1, name."""
    text = ""
    for name in names:
        between = " " if name.startswith("#") else ", " if "#" in text else "."
        text += f"{between}{name}" if text else name
    return text
