"""How structured output is asked of a server: what it can do is found out once, and from what it rejects later on."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field, ValidationError

from core.base.calls import OUTPUT_MODES, CallLog, OutputMode, ServerFeatures
from core.base.errors import InvalidReply, ModelRefusal, ServerRefusal
from core.base.prompt import Prompt
from core.base.types import FrozenModel
from core.llm.client import RequestRejected
from core.llm.completions import Completion
from core.llm.model_requests import ModelRequest, request_body
from core.llm.reasoning import without_reasoning
from core.llm.replies import read_object
from core.llm.schemas import Json

Send = Callable[[ModelRequest, OutputMode, Json], Completion]
ProbeServer = Callable[[ServerFeatures], ServerFeatures]
TRIES = 3  # of an output mode whose reply has the wrong form, before it counts as not working
LIMITS = ("max_completion_tokens", "max_tokens")
# What can be left out, and how a server's error calls it; tried in this order if it names nothing.
OPTIONAL = {
    "parallel_tool_calls": r"parallel_tool_calls",
    "strict": r"strict",
    "tool_choice": r"tool_choice",
    "seed": r"seed",
    "reasoning_effort": r"reasoning_effort|reasoning\.effort",
    "stream_options": r"stream_options",
    "stream": r"stream|streaming",
    "temperature": r"temperature",
    "limit": r"max_completion_tokens|max_tokens",
    "system": r"system (?:role|message|prompt|instruction)s?|role[^.]{0,20}\bsystem",
}
_OF_TOOLS = ("parallel_tool_calls", "strict", "tool_choice")
_MODES: dict[OutputMode, str] = {
    "schema": r"response_format|json_schema|schema|guided_json|grammar",
    "tools": r"tools?|function(?:s| calling| calls?)?",
    "json": r"response_format|json_object|json mode",
}
_TOO_LONG = re.compile(r"context.{0,12}(?:length|window|size)|too (?:long|large)|exceed")
_TOO_MUCH = re.compile(_TOO_LONG.pattern + r"|at most|maximum|less than|too (?:big|high|many)|range")
_OBJECTION_STATUSES = (400, 404, 422)  # of a server that objects to a part of the request
# What stands near the name of something that a server does not know; what people wrote is quoted in other errors
_OBJECTION = (
    r"not? .{0,12}(?:support|allow|permit|available|enabled|implement|expect|valid|recogni)|unsupported|support|unavailable"
    r"|unknown|unrecogni[sz]ed|unexpected|invalid|extra|must (?:be|not)|requires?|deprecated|disallowed|cannot find"
)
_NEAR = 60  # characters between the two
_OF_USE = re.compile(r"polic(?:y|ies)|safety|moderat|violat|flagged|harmful|billing|payment|credit|quota")
_MIN_LIMIT = 16  # tokens of a reply, below which no shorter one is asked for


class Check(FrozenModel):
    """Two answers to a simple question."""

    answer: Literal["yes", "no"]
    number: int = Field(ge=1, le=5)


class Probe(Prompt[Check]):
    """A question to find out which output modes a server can hold a model to."""

    file = "probe"


class FeatureFinder:
    """What one server can do with one model; safe to share between threads."""

    def __init__(self, server: str, model: str, log: CallLog) -> None:
        self._server, self._model, self._log = server, model, log
        self._features: ServerFeatures | None = None
        self._lock = threading.Lock()

    def features(self, probe: ProbeServer) -> ServerFeatures:
        """What is known or stored, or else found out by `probe`, once, while others wait."""
        if self._features is None:
            with self._lock:
                if self._features is None:
                    stored = self._log.server_features(self._server, self._model)
                    self._features = stored or self._store(probe(self._all()))
        return self._features

    def probe_again(self, probe: ProbeServer) -> ServerFeatures:
        """Forget what is known and find out again."""
        with self._lock:
            self._features = self._store(probe(self._all()))
            return self._features

    def remember_rejection(self, used: ServerFeatures, mode: OutputMode, body: Json, rejected: RequestRejected) -> bool:
        """Store what a rejected request had that the server does not take; whether there is another one to try."""
        with self._lock:
            if self._features is not used:
                return True  # another thread has learned it meanwhile
            fewer = without_rejected(used, mode, body, rejected)
            if fewer is not None:
                self._features = self._store(fewer)
            return fewer is not None

    def _all(self) -> ServerFeatures:
        return ServerFeatures(
            server=self._server, model=self._model, output_modes=OUTPUT_MODES, probed_at=datetime.now(UTC)
        )

    def _store(self, features: ServerFeatures) -> ServerFeatures:
        self._log.save_server_features(features)
        return features


def without_rejected(
    features: ServerFeatures, mode: OutputMode, body: Json, rejected: RequestRejected
) -> ServerFeatures | None:
    """The features without what the server's error names; none if it names nothing that was sent."""
    server_message = rejected.server_message.lower()
    if rejected.status not in _OBJECTION_STATUSES or _TOO_LONG.search(server_message) or _OF_USE.search(server_message):
        return None
    name = _named_parameter(rejected.parameter.lower(), body, mode) or _named_in_objection(server_message, body, mode)
    if not name or (name == "limit" and _TOO_MUCH.search(server_message)):
        return None
    return _without(features, name, mode, str(rejected))


def with_lower_limit(body: Json, rejected: RequestRejected) -> Json:
    """The request with half the reply's length, if that was too long for the server; raises `rejected` otherwise."""
    server_message, name = rejected.server_message.lower(), next((name for name in LIMITS if name in body), "")
    is_meant = _places(OPTIONAL["limit"], f"{rejected.parameter} {server_message}".lower()) and _TOO_MUCH.search(
        server_message
    )
    if rejected.status not in _OBJECTION_STATUSES or not name or not is_meant or body[name] // 2 < _MIN_LIMIT:
        raise rejected
    return {**body, name: body[name] // 2}


def probe_server(features: ServerFeatures, request: ModelRequest, send: Send) -> ServerFeatures:
    """Try every output mode with a simple question; raises ServerRefusal if the server takes no request at all."""
    features = _try_plain(features, request, send)
    for mode in OUTPUT_MODES[:-1]:
        features = _try_mode(features, mode, request, send)
    return features


def _try_plain(features: ServerFeatures, request: ModelRequest, send: Send) -> ServerFeatures:
    """The optional parameters that a plain question may carry; if the error names none they go one by one."""
    while True:
        body = request_body(request, features, "text", request.messages, request.model.reply_tokens)
        try:
            send(request, "text", body)
            return features
        except RequestRejected as rejected:
            fewer = without_rejected(features, "text", body, rejected) if rejected.status != 404 else None
            is_vague = rejected.status in (400, 422) and not _OF_USE.search(rejected.server_message.lower())
            guess = next((name for name in OPTIONAL if _is_in(name, body)), "") if is_vague else ""
            if fewer is None and not guess:
                raise refused_error(request, rejected) from rejected
            features = fewer or _without(features, guess, "text", str(rejected))


def _try_mode(features: ServerFeatures, mode: OutputMode, request: ModelRequest, send: Send) -> ServerFeatures:
    """One output mode: it works if a reply has the form asked for without any repair."""
    note, tries = "", 0
    while tries < TRIES and mode in features.output_modes:
        body = request_body(request, features, mode, request.messages, request.model.reply_tokens)
        if "seed" in body:
            body["seed"] += tries  # the same one would give the same reply
        try:
            note = _form_problem(send(request, mode, body), mode, request)
            if not note:
                return features
            tries += 1
        except RequestRejected as rejected:
            if rejected.status not in _OBJECTION_STATUSES:
                raise refused_error(request, rejected) from rejected
            fewer = without_rejected(features, mode, body, rejected)
            guess = next((name for name in _OF_TOOLS if _is_in(name, body)), "")
            if fewer is None and not guess:
                return features.without_output_mode(mode, str(rejected))
            features = fewer or _without(features, guess, mode, str(rejected))
    return features.without_output_mode(mode, note) if mode in features.output_modes else features


def _form_problem(reply: Completion, mode: OutputMode, request: ModelRequest) -> str:
    """Why the reply has not the form that the output mode promises; "" if it has."""
    try:
        if mode != "tools":
            Check.model_validate_json(without_reasoning(reply.text).strip())
        elif not reply.message.get("tool_calls"):
            return "The reply calls no tool."
        else:
            read_object(reply, request.functions)
    except (ValidationError, InvalidReply, ModelRefusal):
        return "The reply has not the form asked for."
    return ""


def _patterns(body: Json, mode: OutputMode) -> dict[str, str]:
    """What a request carries and could do without, and how errors call it: optional parameters, and the output mode."""
    named = {name: pattern for name, pattern in OPTIONAL.items() if _is_in(name, body)}
    return named | ({"output_mode": _MODES[mode]} if mode in _MODES else {})


def _places(pattern: str, words: str) -> list[int]:
    """Where words have a name, as a whole word."""
    return [match.start() for match in re.finditer(rf"(?<![a-z_])(?:{pattern})(?![a-z_])", words)]


def _named_parameter(parameter: str, body: Json, mode: OutputMode) -> str:
    """What of the request a parameter is ("tools[0].function.strict"), by its innermost name."""
    places = {name: _places(pattern, parameter) for name, pattern in _patterns(body, mode).items()}
    last = {name: named[-1] for name, named in places.items() if named}
    return max(last, key=lambda name: (last[name], name != "output_mode")) if last else ""


def _named_in_objection(words: str, body: Json, mode: OutputMode) -> str:
    """The first thing of the request that the words object to."""
    objections = [match.span() for match in re.finditer(_OBJECTION, words)]

    def is_near(place: int) -> bool:
        return any(start - _NEAR <= place <= end + _NEAR for start, end in objections)

    places = {name: list(filter(is_near, _places(pattern, words))) for name, pattern in _patterns(body, mode).items()}
    first = {name: named[0] for name, named in places.items() if named}
    return min(first, key=lambda name: (first[name], name == "output_mode")) if first else ""


def _is_in(name: str, body: Json) -> bool:
    if name == "limit":
        return any(limit in body for limit in LIMITS)
    if name == "strict":
        return any("strict" in tool["function"] for tool in body.get("tools", ()))
    if name == "system":
        return bool(body["messages"][0]["role"] == "system")
    return name in body


def _without(features: ServerFeatures, name: str, mode: OutputMode, note: str) -> ServerFeatures:
    if name == "output_mode":
        return features.without_output_mode(mode, note)
    if name == "limit":
        is_first = features.limit_parameter == LIMITS[0]
        return features.model_copy(update={"limit_parameter": LIMITS[1] if is_first else ""})
    return features.without(name)


def refused_error(request: ModelRequest, rejected: RequestRejected) -> ServerRefusal:
    """The error for a request that no change will make acceptable."""
    server, model = request.model.server.name, request.model.model
    message = f"{server} will not answer with {model} ({rejected}). Check the address and the model's name."
    return ServerRefusal(message, "request_refused", server=server, model=model, detail=str(rejected))
