"""Making sense of a model's reply: only what has the shape asked for counts, never a word inside its reasoning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import json_repair
from pydantic import BaseModel, ValidationError

from core.llm.schemas import Function, Json

_TAG = r"(?:think|thinking|reasoning|thought)>"
_TAGS = ("<think>", "<thinking>", "<reasoning>", "<thought>")
_THINKING = re.compile(rf"\s*<{_TAG}.*?(?:</{_TAG}|\Z)", re.DOTALL | re.IGNORECASE)
_BEGUN_BEFORE = re.compile(rf"\A(?!\s*[{{`]).*?</{_TAG}", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n(.*?)```", re.DOTALL)
_WRAPPERS = ("call", "arguments", "parameters", "input", "properties")
_NOTHING = (None, "", "null", "None", "none")
UNPARSED = "unparsed"  # why a reply ended that is no more than the server's error
_LONE = re.compile(r"[\ud800-\udfff]")
MOST = 200  # places of a text where an object is looked for


@dataclass(frozen=True)
class Raw:
    """A reply as the server sent it: the message, why it ended, and the tokens (none where it told none)."""

    message: Json
    finish: str = "stop"
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def text(self) -> str:
        """The content as one text; "" where there is none."""
        content = self.message.get("content")
        if isinstance(content, list):
            parts = [cast(Json, part) for part in cast(list[Any], content) if isinstance(part, dict)]
            return "".join(str(part.get("text") or "") for part in parts)
        return content if isinstance(content, str) else ""

    def dump(self) -> str:
        """The reply for the ledger, JSON."""
        return json.dumps({"message": self.message, "finish_reason": self.finish}, ensure_ascii=False)


def load_raw(dumped: str) -> Raw:
    """What `Raw.dump` kept."""
    kept = json.loads(dumped)
    return Raw(message=kept["message"], finish=kept["finish_reason"])


class Unread(Exception):
    """The reply cannot be used as it is; the message says why, for the model to do better."""


class Cut(Unread):
    """The reply broke off at the limit of tokens."""


class Unparsed(Unread):
    """The server itself could not read what the model wrote in the form asked for; another form may fare better."""


class Declined(Unread):
    """The model, or a filter before it, refused to reply."""


def read_text(raw: Raw) -> str:
    """The text of a reply without its reasoning; raises Cut, Declined or Unread (empty)."""
    _check(raw)
    text = without_thinking(raw.text).strip()
    if not text:
        raise Unread("The reply is empty.")
    return text


def read_object(raw: Raw, functions: tuple[Function, ...]) -> BaseModel:
    """The reply as one of the shapes asked for; raises Cut, Declined or Unread (with what is wrong with it).

    Of several tool calls the first that has the shape counts; of several objects in a text the last one.
    """
    _check(raw)
    problems: list[str] = []
    for name, data in _candidates(raw):
        for function in _asked(functions, name, data):
            try:
                return _validated(function.kind, _arguments(data, function))
            except ValidationError as error:
                problems.append(_told(error))
    raise Unread(problems[0] if problems else "There is no JSON object in the reply.")


def whole(value: Any) -> Any:
    """The value with half characters (lone surrogates, which no file can hold) replaced."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in cast(dict[Any, Any], value).items()}
    return value


def without_thinking(text: str) -> str:
    """The text after its reasoning: <think>…</think> at the beginning, whose start or end may be missing.

    The same marks further on are left alone: there they are quoted.
    """
    thought = _THINKING.match(text) or _BEGUN_BEFORE.match(text)
    return without_thinking(text[thought.end() :]) if thought else text


def is_thinking(begun: str) -> bool:
    """Whether a text that is still coming may be nothing but reasoning so far."""
    text = begun.lstrip().lower()
    return any(tag.startswith(text[: len(tag)]) and f"</{tag[1:]}" not in text for tag in _TAGS)


def _check(raw: Raw) -> None:
    refusal = raw.message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        raise Declined(f"The model refused: {refusal.strip()}")
    if raw.finish == "content_filter":
        raise Declined("A content filter of the server withheld the reply.")
    if raw.finish == UNPARSED:
        raise Unparsed(f"The server could not read the model's reply ({raw.message.get('error')}).")
    if raw.finish == "length":
        raise Cut("The reply was cut at the limit of tokens.")


def _candidates(raw: Raw) -> Iterator[tuple[str, Json]]:
    """(name of the function or "", object) wherever one can be: tool calls in order, then the text from its end."""
    calls: Any = raw.message.get("tool_calls") or []
    legacy: Any = raw.message.get("function_call")
    listed: list[Any] = cast(list[Any], calls) if isinstance(calls, list) else [calls]
    for call in [*listed, {"function": legacy}]:
        function: Any = cast(Json, call).get("function") if isinstance(cast(Any, call), dict) else None
        if isinstance(function, dict):
            told = cast(Json, function)
            for data in _objects(told.get("arguments")):
                yield str(told.get("name") or ""), data
    for data in _objects(without_thinking(raw.text)):
        yield "", data


def _objects(given: Any) -> Iterator[Json]:
    """The objects in a value: itself, or those in a text, the last first, as they stand and then repaired."""
    if isinstance(given, dict):
        yield cast(Json, given)
    if not isinstance(given, str):
        return
    yield from reversed(list(_plain(given)))
    for text in [*reversed(_FENCE.findall(given)), given]:
        start, end = text.find("{"), text.rfind("}")
        if 0 <= start < end:  # an object without an end was cut: its missing part is not for us to make up
            yield from _dicts(json_repair.loads(text[start : end + 1]))


def _plain(text: str) -> Iterator[Json]:
    """The outermost objects of a text that are JSON as they stand."""
    decoder, place = json.JSONDecoder(strict=False), 0
    for _ in range(MOST):
        place = text.find("{", place)
        if place < 0:
            return
        try:
            data, place = decoder.raw_decode(text, place)
            yield from _dicts(data)
        except (ValueError, RecursionError):
            place += 1


def _dicts(data: Any) -> Iterator[Json]:
    if isinstance(data, dict):
        yield cast(Json, data)
    elif isinstance(data, list):
        yield from (cast(Json, item) for item in reversed(cast(list[Any], data)) if isinstance(item, dict))


def _asked(functions: tuple[Function, ...], name: str, data: Json) -> Iterable[Function]:
    """The shapes that an object may be meant as: the one that it names, where there is a choice."""
    if len(functions) == 1:
        return functions
    if isinstance(data.get("call"), dict):
        data = cast(Json, data["call"])
    inner = data.get("function")
    called = name or data.get("name") or (cast(Json, inner).get("name") if isinstance(inner, dict) else inner)
    return [function for function in functions if function.name == called]


def _arguments(data: Json, function: Function) -> Json:
    """The object itself, or what it wraps: {"name": …, "arguments": {…}} and the like."""
    fields = function.kind.model_fields
    if data.keys() & fields.keys():
        return data
    for key in (*_WRAPPERS, function.name, function.kind.__name__, "function"):
        inside: Any = data.get(key)
        if isinstance(inside, str) and inside.lstrip().startswith("{"):
            inside = json_repair.loads(inside)
        if isinstance(inside, dict):
            return _arguments(cast(Json, inside), function)
    return data


def _validated(kind: type[BaseModel], data: Json) -> BaseModel:
    """The object as its type; fields that nobody asked for, and "nothing" where a default will do, are left out."""
    data = whole(data)
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        loose = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden" or _is_nothing(e["input"])]
        if not loose:
            raise
        return kind.model_validate(_without(data, loose))


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in _NOTHING)


def _without(data: Json, places: list[tuple[int | str, ...]]) -> Json:
    copy: Any = json.loads(json.dumps(data))
    for place in places:
        inside: Any = copy
        for step in place[:-1]:
            inside = inside[step]
        if isinstance(inside, dict):
            cast(Json, inside).pop(str(place[-1]), None)
    return copy


def _told(error: ValidationError) -> str:
    """What is wrong, field by field, in one line."""
    wrong = error.errors(include_url=False)[:5]
    return "; ".join(f"{'.'.join(str(part) for part in e['loc']) or 'the object'}: {e['msg']}" for e in wrong) + "."
