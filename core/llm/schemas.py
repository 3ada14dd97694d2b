"""The JSON schema of a reply: strict, so that every output mode can use it."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from typing import Any, Literal, NamedTuple, Union, cast, get_args

from pydantic import BaseModel, create_model

from core.base.json_data import Json

_NOT_STRICT = ("title", "default", "minLength", "maxLength", "minItems", "maxItems")
_REF = "#/$defs/"


class ReplyShape(NamedTuple):
    """One of the shapes that a reply may have."""

    name: str
    kind: type[BaseModel]  # the type that it is read as
    about: str  # docstring of the type
    schema: Json  # strict JSON schema


@cache
def reply_shapes(reply: Any) -> tuple[ReplyShape, ...]:
    """The shapes of a reply type: () for str, one for a pydantic model, several for a union of models."""
    kinds: tuple[Any, ...] = get_args(reply) or (reply,)
    return () if kinds == (str,) else tuple(_shape_of(kind) for kind in kinds)


@cache
def fingerprint(reply: Any) -> str:
    """A hash of everything that the model is shown of a reply type."""
    described = [(shape.name, shape.about, shape.schema) for shape in reply_shapes(reply)]
    return hashlib.sha256(json.dumps(described).encode()).hexdigest()


@cache
def whole_schema(reply: Any) -> Json:
    """The schema of one object for any shape of the reply: the shape itself, or a call of one of several.

    Such a call is {"call": {"name", "arguments"}}: strict servers want an object outside, and the valid arguments
    depend on the name.
    """
    shapes = reply_shapes(reply)
    if len(shapes) == 1:
        return shapes[0].schema
    calls = [_call(shape) for shape in shapes]
    return strict(create_model("Choice", call=(cast(Any, Union)[tuple(calls)], ...)))


def strict(kind: type[BaseModel]) -> Json:
    """The model's schema as strict servers take it: all fields required, no others, no titles and defaults.

    Definitions used once are inlined, others stay in `$defs`.
    """
    schema = cast(Json, _bare(kind.model_json_schema()))
    definitions = cast(Json, schema.pop("$defs", {}))
    return _placed(schema, definitions)


def _placed(schema: Json, definitions: Json) -> Json:
    """The schema with the definitions that it refers to: those used once in their place, the others under `$defs`."""
    text = json.dumps([schema, definitions])
    uses = {name: text.count(json.dumps(f"{_REF}{name}")) for name in definitions}
    once = {name: definition for name, definition in definitions.items() if uses[name] == 1}
    often = {name: _inlined(definition, once) for name, definition in definitions.items() if uses[name] > 1}
    placed = cast(Json, _inlined(schema, once))
    return {"$defs": often, **placed} if often else placed


def _inlined(schema: Any, definitions: Json) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    read = cast(Json, schema)
    name = str(read.get("$ref", "")).removeprefix(_REF)
    if name in definitions:
        return _inlined(definitions[name], definitions)
    return {key: _inlined(value, definitions) for key, value in read.items()}


def _call(shape: ReplyShape) -> type[BaseModel]:
    name = cast(Any, Literal)[shape.name]
    return create_model(f"{shape.kind.__name__}Call", name=(name, ...), arguments=(shape.kind, ...))


def _shape_of(kind: type[BaseModel]) -> ReplyShape:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    about = " ".join((kind.__doc__ or "").split())
    return ReplyShape(name, kind, about, strict(kind))


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
    return bare if fields else _closed(_listed(bare))


def _closed(schema: Json) -> Json:
    """The schema of an object with all its fields required, and no others."""
    if "properties" in schema:
        schema |= {"additionalProperties": False, "required": list(schema["properties"])}
    return schema


def _listed(schema: Json) -> Json:
    """The schema with its values listed: all servers know `enum`, some reject `const`, `minimum` and `maximum`."""
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if schema.get("type") == "integer" and {"minimum", "maximum"} <= schema.keys():
        schema["enum"] = list(range(schema.pop("minimum"), schema.pop("maximum") + 1))
    return schema
