"""Reads a model's reply: only an object of the shape asked for counts, never a word inside its reasoning."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, cast, get_args, get_origin

import json_repair
from pydantic import BaseModel, ValidationError

from core.base.clean_text import clean
from core.base.errors import InvalidReply, ModelRefusal
from core.base.json_data import Json, as_object, objects_of
from core.base.reply_fields import says_nothing
from core.llm.completions import UNPARSED, Completion
from core.llm.reasoning import without_reasoning
from core.llm.repairs import repair_fields
from core.llm.schemas import ReplyShape

MAX_REPAIRED_CHARACTERS, MAX_REPAIRED_BRACKETS = 20_000, 200  # of a repaired object: the time grows with their square
_WRAPPERS = ("call", "arguments", "parameters", "input", "properties")
MAX_OBJECTS = 200  # in a text
MAX_REPORTED_FAULTS = 20  # of a reply that are reported
_MAX_WRAPPERS = 5  # around an object
_BRACES = re.compile(r'[{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_KEYS = re.compile(r"""[{}]|("(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*'|[A-Za-z_]\w*)\s*(:)?""", re.DOTALL)
_PROSE_MARKS = re.compile(r"[:\"']")  # braces without any of these are words of the prose


class DuplicateKey(ValueError):
    """An object names the same key twice, with different values."""


def objects_in(text: str) -> Iterator[Json | None]:
    """The outermost objects of a text in order, repaired if needed; raises DuplicateKey.

    None for an object that is broken beyond repair, or has no end.
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
        if end is None:  # an object without an end was cut, and its missing part cannot be guessed
            yield None
            return
        broken = text[place:end]
        place = end
        if _PROSE_MARKS.search(broken):
            yield _repaired(broken)


def only_object(text: str) -> Json | None:
    """The object that a text consists of, repaired if needed; None if it is no object. Raises DuplicateKey."""
    objects = list(objects_in(text))
    return objects[-1] if len(objects) == 1 else None


def _object_end(text: str, place: int) -> int | None:
    """The position at which the object at `place` ends."""
    depth = 0
    for token in _BRACES.finditer(text, place):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    return None


def _repaired(broken: str) -> Json | None:
    """The object without small faults; None if its size or its braces leave its meaning open."""
    braces = broken.count("{")
    is_large = len(broken) > MAX_REPAIRED_CHARACTERS or braces + broken.count("[") > MAX_REPAIRED_BRACKETS
    if is_large or braces != broken.count("}"):
        return None
    _check_keys(broken)
    try:
        data: Any = json_repair.loads(broken, skip_json_loads=True)
    except Exception:  # the repairer may fail in any way: then nothing is repaired
        return None
    return cast(Json, data) if isinstance(data, dict) else None


def _check_keys(broken: str) -> None:
    """Raises DuplicateKey for a repeated key, of which the repairer would take the last value."""
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


class TruncatedReply(InvalidReply):
    """The reply was cut at the limit of tokens."""


class UnparsedByServer(InvalidReply):
    """The server itself could not parse its model's output; another output mode may do better."""


def read_text(reply: Completion) -> str:
    """The text of a reply without its reasoning; raises TruncatedReply, ModelRefusal or InvalidReply (empty)."""
    _check(reply)
    text = without_reasoning(reply.text).strip()
    if not text:
        raise InvalidReply("The reply is empty.", "reply_empty")
    return text


def read_object(reply: Completion, shapes: tuple[ReplyShape, ...]) -> BaseModel:
    """The reply as one of the shapes asked for; raises TruncatedReply, ModelRefusal or InvalidReply (with why).

    Of several tool calls the first that has the shape counts. In a text the last object decides: if it cannot be
    read, or another one with the shape says something else, nothing is guessed.
    """
    _check(reply)
    try:
        return _of_message(reply, shapes)
    except InvalidReply:
        raise
    except Exception as error:  # a reply may break the reader in any way, and its call was paid for
        raise InvalidReply(f"The reply cannot be read ({type(error).__name__}).", "reply_broken") from error


def _check(reply: Completion) -> None:
    refusal = reply.message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        text = f"The model refused: {refusal.strip()}"
        raise ModelRefusal(InvalidReply(text, "reply_refused", refusal=refusal.strip()), reply.raw)
    if reply.finish_reason == "content_filter":
        text = "A content filter of the server withheld the reply."
        raise ModelRefusal(InvalidReply(text, "reply_filtered"), reply.raw)
    if reply.finish_reason == UNPARSED:
        raise UnparsedByServer(f"The server could not read the model's reply ({reply.message.get('error')}).")
    if reply.finish_reason == "length":
        raise TruncatedReply("The reply was cut at the limit of tokens.", "reply_cut")


def _of_message(reply: Completion, shapes: tuple[ReplyShape, ...]) -> BaseModel:
    """The reply in the tool calls, else in the text; raises InvalidReply."""
    calls = list(_calls(reply))
    if not calls:
        return _of_text(without_reasoning(reply.text), shapes)
    problems: list[InvalidReply] = []
    for call in calls:
        try:
            return _of_call(call, shapes)
        except InvalidReply as error:
            problems.append(error)
    raise problems[0]


def _calls(reply: Completion) -> Iterator[Json]:
    """The tool calls of a reply, in order: each with a name, arguments or both."""
    calls: Any = reply.message.get("tool_calls") or []
    listed = cast(list[Any], calls) if isinstance(calls, list) else [calls]
    for call in objects_of([*listed, {"function": reply.message.get("function_call")}]):
        named = as_object(call.get("function", call))
        if named.get("name") or named.get("arguments"):
            yield named


def _of_call(call: Json, shapes: tuple[ReplyShape, ...]) -> BaseModel:
    """The reply in a tool call; raises InvalidReply."""
    name, arguments = str(call.get("name") or ""), call.get("arguments")
    if not arguments or _is_nothing(arguments):  # "[]" and "{}" are nothing, too
        return _shaped({}, shapes, name)
    if isinstance(arguments, dict):
        return _shaped(cast(Json, arguments), shapes, name)
    return _of_text(str(arguments), shapes, name)


def _of_text(text: str, shapes: tuple[ReplyShape, ...], name: str = "") -> BaseModel:
    """The reply in the objects of a text; raises InvalidReply."""
    try:
        objects = list(islice(objects_in(text), MAX_OBJECTS + 1))
    except DuplicateKey as error:
        text = f'The key "{error}" stands twice in an object, with different values.'
        raise InvalidReply(text, "reply_key_twice", name=str(error)) from error
    if not objects and len(shapes) > 1:
        raise _calls_none(shapes)
    if not objects and not text.strip():
        raise InvalidReply("The reply is empty.", "reply_empty")
    if not objects:
        raise InvalidReply("There is no JSON object in the reply.", "reply_no_object")
    if len(objects) > MAX_OBJECTS:
        raise InvalidReply("There are too many JSON objects in the reply.", "reply_many_objects")
    if objects[-1] is None:
        raise InvalidReply("The last JSON object in the reply is broken.", "reply_broken")
    last = _shaped(objects[-1], shapes, name)
    if any(_says_otherwise(other, last, shapes, name) for other in objects[:-1]):
        text = "There are several JSON objects in the reply that say different things. Reply with one only."
        raise InvalidReply(text, "reply_several_objects")
    return last


def _says_otherwise(data: Json | None, last: BaseModel, shapes: tuple[ReplyShape, ...], name: str) -> bool:
    try:
        return data is not None and _shaped(data, shapes, name) != last
    except InvalidReply:
        return False


def _shaped(data: Json, shapes: tuple[ReplyShape, ...], name: str = "") -> BaseModel:
    """An object as the shape that it is meant as (the one that it names, if there is a choice); raises InvalidReply."""
    for _ in range(_MAX_WRAPPERS):
        shape = shapes[0] if len(shapes) == 1 else _named(shapes, name or _name_in(data))
        if shape:
            return _validated(shape.kind, _arguments(data, shape))
        data = _inside(data, *_WRAPPERS) or {}
    raise _calls_none(shapes)


def _calls_none(shapes: tuple[ReplyShape, ...]) -> InvalidReply:
    names = ", ".join(shape.name for shape in shapes)
    return InvalidReply(f"The reply calls none of {names}.", "reply_calls_none", names=names)


def _named(shapes: tuple[ReplyShape, ...], called: str) -> ReplyShape | None:
    """The shape of a name, however a model spells it: functions.search_now, search-now, SearchNow."""
    return next((shape for shape in shapes if _letters(shape.name) == _letters(called)), None)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", re.split(r"[.:/]", name)[-1]).lower()


def _name_in(data: Json) -> str:
    inner: Any = data.get("function")
    called = as_object(cast(object, inner)).get("name") if isinstance(inner, dict) else inner
    return str(data.get("name") or called or "")


def _arguments(data: Json, shape: ReplyShape) -> Json:
    """The object itself, or what it wraps: {"name": …, "arguments": {…}}, {"result": {…}} and the like."""
    for _ in range(_MAX_WRAPPERS):
        if data.keys() & shape.kind.model_fields.keys():
            break
        inside = _inside(data, *_WRAPPERS, shape.name, shape.kind.__name__, "function")
        if inside is None:
            break
        data = inside
    return data


def _inside(data: Json, *keys: str) -> Json | None:
    """The object under the first of the keys that has one, or under the only key there is."""
    for key in (*keys, *(data if len(data) == 1 else ())):
        inside: Any = data.get(key)
        if isinstance(inside, str) and inside.lstrip().startswith("{"):
            inside = only_object(inside)
        if isinstance(inside, dict):
            return cast(Json, inside)
    return None


def _validated(kind: type[BaseModel], data: Json) -> BaseModel:
    """The object as its type; unknown fields are dropped, and so are empty values of fields that have a default."""
    data = repair_fields(kind, clean(data))
    try:
        read = kind.model_validate(data)
    except ValidationError as error:
        loose = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden" or _is_nothing(e["input"])]
        if not loose:
            raise _shape_problem(kind, error) from error
        try:
            read = kind.model_validate(_without(data, loose))
        except ValidationError as second:
            raise _shape_problem(kind, second, frozenset(map(_place, loose))) from second
    _check_numbers(data, read.model_dump())
    return read


def _check_numbers(raw: Any, read: Any, place: str = "the object") -> None:
    """Raises InvalidReply if true or false was read as a number, or a number is NaN or infinite."""
    if isinstance(read, dict) and isinstance(raw, dict):
        for key, value in cast(Json, read).items():
            _check_numbers(cast(Json, raw).get(key), value, key)
    elif isinstance(read, (list, tuple)) and isinstance(raw, list):
        for item, value in zip(cast(list[Any], raw), cast(list[Any], read), strict=False):
            _check_numbers(item, value, place)
    is_flag = isinstance(raw, bool) and not isinstance(read, bool)
    if is_flag or (isinstance(read, float) and not math.isfinite(read)):
        text = f"{place}: Input should be a number{', not true or false' if is_flag else ''}."
        raise InvalidReply(text, faults=[("int_type", {"place": place, "message": text})])


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and says_nothing(value))


def _without(data: Json, places: list[tuple[int | str, ...]]) -> Json:
    copy: Any = json.loads(json.dumps(data))
    for place in places:
        inside: Any = copy
        with suppress(LookupError, TypeError):  # a place in one kind of several is named after the kind
            for step in place[:-1]:
                inside = inside[step]
        if isinstance(inside, dict):
            cast(Json, inside).pop(str(place[-1]), None)
    return copy


def _shape_problem(kind: type[BaseModel], error: ValidationError, empty: frozenset[str] = frozenset()) -> InvalidReply:
    """The faults, field by field.

    empty: paths of fields whose value was null or empty
    """
    faults: list[tuple[str, dict[str, object]]] = []
    for fault in error.errors(include_url=False)[:MAX_REPORTED_FAULTS]:
        place, key, message = _place(fault["loc"]), fault["type"], fault["msg"]
        expected = kind.model_fields[place].annotation if place in kind.model_fields else None
        if key == "missing" and place in empty:
            key, message = ("null_list" if get_origin(expected) is tuple else "null"), "Input should not be null"
        if key == "literal_error" and type(None) in get_args(expected):
            key = "literal_or_null"
        faults.append((key, {**fault.get("ctx", {}), "place": place or "the object", "message": message}))
    return InvalidReply("; ".join(f"{fault['place']}: {fault['message']}" for _, fault in faults) + ".", faults=faults)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))
