"""What a server objects to when it rejects a request: a part that it does not support, or a reply that is too long."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.base.calls import OutputMode, ServerFeatures
from core.base.errors import ServerRefusal
from core.base.json_data import Json
from core.llm.client import RequestRejected
from core.llm.model_requests import ModelRequest

MAX_TOKENS_NAMES = ("max_completion_tokens", "max_tokens")
# Parts that can be dropped, with their names in servers' errors; tried in this order if the error names none.
OPTIONAL_PARTS = {
    "parallel_tool_calls": r"parallel_tool_calls",
    "strict": r"strict",
    "tool_choice": r"tool_choice",
    "seed": r"seed",
    "reasoning_effort": r"reasoning_effort|reasoning\.effort",
    "stream_options": r"stream_options",
    "stream": r"stream|streaming",
    "temperature": r"temperature",
    "max_tokens": r"max_completion_tokens|max_tokens",
    "system": r"system (?:role|message|prompt|instruction)s?|role[^.]{0,20}\bsystem",
}
TOOL_PARTS = ("parallel_tool_calls", "strict", "tool_choice")
_MODES: dict[OutputMode, str] = {
    "schema": r"response_format|json_schema|schema|guided_json|grammar",
    "tools": r"tools?|function(?:s| calling| calls?)?",
    "json": r"response_format|json_object|json mode",
}
_TOO_LONG = re.compile(r"context.{0,12}(?:length|window|size)|too (?:long|large)|exceed")
_TOO_MUCH = re.compile(_TOO_LONG.pattern + r"|at most|maximum|less than|too (?:big|high|many)|range")
_OBJECTION_STATUSES = (400, 404, 422)  # of a server that objects to a part of the request
# Words near the name of an unsupported part; errors of other kinds may quote the user's text
_OBJECTION = (
    r"not? .{0,12}(?:support|allow|permit|available|enabled|implement|expect|valid|recogni)|unsupported|support"
    r"|unavailable|unknown|unrecogni[sz]ed|unexpected|invalid|extra|must (?:be|not)|requires?|deprecated|disallowed"
    r"|cannot find"
)
_MAX_DISTANCE = 60  # characters between such words and the name
_OF_USE = re.compile(r"polic(?:y|ies)|safety|moderat|violat|flagged|harmful|billing|payment|credit|quota")
_MIN_REPLY_TOKENS = 16  # shortest reply that is requested


def is_objection(rejected: RequestRejected) -> bool:
    """Whether the server objects to a part of the request, by its status."""
    return rejected.status in _OBJECTION_STATUSES


def is_about_use(rejected: RequestRejected) -> bool:
    """Whether the server objects to the content of the request, or asks for payment."""
    return _OF_USE.search(rejected.server_message.lower()) is not None


def first_optional(body: Json, parts: Iterable[str] = OPTIONAL_PARTS) -> str:
    """The first of the optional parts that the request has; "" if it has none."""
    return next((name for name in parts if _is_in(name, body)), "")


def without_rejected(
    features: ServerFeatures, mode: OutputMode, body: Json, rejected: RequestRejected
) -> ServerFeatures | None:
    """The features without the part that the server's error names; None if it names no part that was sent."""
    server_message = rejected.server_message.lower()
    if not is_objection(rejected) or _TOO_LONG.search(server_message) or is_about_use(rejected):
        return None
    name = _named_parameter(rejected.parameter.lower(), body, mode) or _named_in_objection(server_message, body, mode)
    if not name or (name == "max_tokens" and _TOO_MUCH.search(server_message)):
        return None
    return without_part(features, name, mode, str(rejected))


def with_lower_max_tokens(body: Json, rejected: RequestRejected) -> Json:
    """The request with half the reply's length, if that was too long for the server; raises `rejected` otherwise."""
    name = next((name for name in MAX_TOKENS_NAMES if name in body), "")
    server_message = rejected.server_message.lower()
    is_named = _places(OPTIONAL_PARTS["max_tokens"], f"{rejected.parameter.lower()} {server_message}")
    is_too_much = is_named and _TOO_MUCH.search(server_message)
    if not is_objection(rejected) or not name or not is_too_much or body[name] // 2 < _MIN_REPLY_TOKENS:
        raise rejected
    return {**body, name: body[name] // 2}


def _patterns(body: Json, mode: OutputMode) -> dict[str, str]:
    """The parts of a request that could be dropped, with their names in errors: optional parameters, and the output
    mode."""
    named = {name: pattern for name, pattern in OPTIONAL_PARTS.items() if _is_in(name, body)}
    return named | ({"output_mode": _MODES[mode]} if mode in _MODES else {})


def _places(pattern: str, words: str) -> list[int]:
    """The positions at which a text has a name as a whole word."""
    return [match.start() for match in re.finditer(rf"(?<![a-z_])(?:{pattern})(?![a-z_])", words)]


def _named_parameter(parameter: str, body: Json, mode: OutputMode) -> str:
    """The part of the request that a parameter such as "tools[0].function.strict" belongs to, by its innermost name."""
    places = {name: _places(pattern, parameter) for name, pattern in _patterns(body, mode).items()}
    last = {name: named[-1] for name, named in places.items() if named}
    return max(last, key=lambda name: (last[name], name != "output_mode")) if last else ""


def _named_in_objection(words: str, body: Json, mode: OutputMode) -> str:
    """The first part of the request that the error objects to."""
    objections = [match.span() for match in re.finditer(_OBJECTION, words)]

    def is_near(place: int) -> bool:
        return any(start - _MAX_DISTANCE <= place <= end + _MAX_DISTANCE for start, end in objections)

    places = {name: list(filter(is_near, _places(pattern, words))) for name, pattern in _patterns(body, mode).items()}
    first = {name: named[0] for name, named in places.items() if named}
    return min(first, key=lambda name: (first[name], name == "output_mode")) if first else ""


def _is_in(name: str, body: Json) -> bool:
    if name == "max_tokens":
        return any(parameter in body for parameter in MAX_TOKENS_NAMES)
    if name == "strict":
        return any("strict" in tool["function"] for tool in body.get("tools", ()))
    if name == "system":
        return bool(body["messages"][0]["role"] == "system")
    return name in body


def without_part(features: ServerFeatures, name: str, mode: OutputMode, note: str) -> ServerFeatures:
    """The features without an optional part of a request, or without the output mode."""
    if name == "output_mode":
        return features.without_output_mode(mode, note)
    if name == "max_tokens":
        is_first = features.limit_parameter == MAX_TOKENS_NAMES[0]
        return features.model_copy(update={"limit_parameter": MAX_TOKENS_NAMES[1] if is_first else ""})
    return features.without(name)


def server_refusal(request: ModelRequest, rejected: RequestRejected) -> ServerRefusal:
    """The error for a request that no change will make acceptable."""
    server, model = request.model.server.name, request.model.model
    message = f"{server} will not answer with {model} ({rejected}). Check the address and the model's name."
    return ServerRefusal(message, "request_refused", server=server, model=model, detail=str(rejected))
