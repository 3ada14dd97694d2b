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
_NOT_STRICT = ("title", "default", "minLength", "maxLength", "minItems", "maxItems")
_REF = "#/$defs/"


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
    described = [(function.name, function.about, function.schema) for function in functions_of(reply)]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()


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
    """The model's schema as strict servers take it: all fields required, no others, no titles and defaults.

    A definition stands in it once: in its place if it is used once, else under `$defs`.
    """
    tool = cast(Json, openai.pydantic_function_tool(kind)["function"])
    schema = cast(Json, _bare(tool["parameters"]))
    definitions = cast(Json, schema.pop("$defs", {}))
    parts = {
        name: {key: _referred(value, definitions) for key, value in one.items()} for name, one in definitions.items()
    }
    return _placed(_referred(schema, definitions), parts)


def _referred(schema: Any, definitions: Json) -> Any:
    """The schema with a reference wherever it repeats a definition (openai copies one that has a description beside it)."""
    if isinstance(schema, list):
        return [_referred(item, definitions) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast(Json, schema)
    for name, one in definitions.items():
        if found.get("properties") and _without_words(found) == _without_words(one):
            reference: Json = {"$ref": f"{_REF}{name}"}
            same = found.get("description") == one.get("description")
            return reference if same else {"description": found.get("description", ""), "anyOf": [reference]}
    return {key: _referred(value, definitions) for key, value in found.items()}


def _without_words(schema: Json) -> Json:
    return {key: value for key, value in schema.items() if key != "description"}


def _placed(schema: Json, definitions: Json) -> Json:
    """The schema with the definitions that it refers to: those used once in their place, the others under `$defs`."""
    text = json.dumps([schema, definitions])
    uses = {name: text.count(json.dumps(f"{_REF}{name}")) for name in definitions}
    once = {name: one for name, one in definitions.items() if uses[name] == 1}
    often = {name: _inlined(one, once) for name, one in definitions.items() if uses[name] > 1}
    placed = cast(Json, _inlined(schema, once))
    return {"$defs": often, **placed} if often else placed


def _inlined(schema: Any, definitions: Json) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    found = cast(Json, schema)
    name = str(found.get("$ref", "")).removeprefix(_REF)
    if name in definitions:
        return _inlined(definitions[name], definitions)
    return {key: _inlined(value, definitions) for key, value in found.items()}


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
