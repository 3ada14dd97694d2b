"""The JSON schema of a reply: strict, so that every output mode can use it."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import Any, Literal, NamedTuple, Union, cast, get_args

import openai
from pydantic import BaseModel, create_model

Json = dict[str, Any]
_NOT_STRICT = ("title", "default", "minLength", "maxLength")


class Function(NamedTuple):
    """One shape that a reply may have: its name, the type it is read as, and its strict JSON schema."""

    name: str
    kind: type[BaseModel]
    about: str
    schema: Json


@cache
def functions_of(reply: Any) -> tuple[Function, ...]:
    """The shapes of a reply type: none for str, one for a pydantic model, several for a union of models."""
    kinds: tuple[Any, ...] = get_args(reply) or (reply,)
    return () if kinds == (str,) else tuple(_function(kind) for kind in kinds)


@cache
def fingerprint(reply: Any) -> str:
    """What tells one reply type from another, down to the last word that the model is shown of it."""
    told = [(function.name, function.about, function.schema) for function in functions_of(reply)]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@cache
def whole_schema(reply: Any) -> Json:
    """One object that holds any shape of the reply: the shape itself, or a call of one of several.

    Such a call is {"call": {"name", "arguments"}}: strict servers want an object outside, and which arguments are right
    depends on the name.
    """
    functions = functions_of(reply)
    if len(functions) == 1:
        return functions[0].schema
    calls = [_call(function) for function in functions]
    return strict(create_model("Choice", call=(cast(Any, Union)[tuple(calls)], ...)))


def strict(kind: type[BaseModel]) -> Json:
    """The model's schema as strict servers take it: all fields required, no others, no titles and defaults."""
    tool = cast(Json, openai.pydantic_function_tool(kind)["function"])
    return _bare(tool["parameters"])


def _call(function: Function) -> type[BaseModel]:
    name = cast(Any, Literal)[function.name]
    return create_model(f"{function.kind.__name__}Call", name=(name, ...), arguments=(function.kind, ...))


def _function(kind: type[BaseModel]) -> Function:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    about = " ".join((kind.__doc__ or "").split())
    return Function(name, kind, about, strict(kind))


def _bare(schema: Any, fields: bool = False) -> Any:
    """The schema without what strict servers do not take; `fields`: its keys are names of fields, which all stay."""
    if isinstance(schema, list):
        return [_bare(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    bare = {
        key: _bare(value, key in ("properties", "$defs") and not fields)
        for key, value in cast(Json, schema).items()
        if fields or key not in _NOT_STRICT
    }
    return bare if fields else _listed(bare)


def _listed(schema: Json) -> Json:
    """The schema with its values listed: every server knows `enum`, and some reject `const`, `minimum` and `maximum`."""
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if schema.get("type") == "integer" and {"minimum", "maximum"} <= schema.keys():
        schema["enum"] = list(range(schema.pop("minimum"), schema.pop("maximum") + 1))
    return schema
