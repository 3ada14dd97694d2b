"""Finds out which output modes and parameters a server supports: by a probe, then from its error messages."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field, ValidationError

from core.base.calls import OUTPUT_MODES, CallLog, OutputMode, ServerFeatures
from core.base.errors import InvalidReply, ModelRefusal
from core.base.frozen_model import FrozenModel
from core.base.prompt import Prompt
from core.llm.client import RequestRejected
from core.llm.completions import Completion
from core.llm.model_requests import Attempt, ModelRequest, request_body
from core.llm.reasoning import without_reasoning
from core.llm.rejections import (
    TOOL_PARTS,
    first_optional,
    is_about_use,
    is_objection,
    server_refusal,
    without_part,
    without_rejected,
)
from core.llm.replies import read_object

Send = Callable[[Attempt], Completion]
ProbeServer = Callable[[ServerFeatures], ServerFeatures]
TRIES = 3  # of an output mode whose reply has the wrong form, before it counts as not working


class Check(FrozenModel):
    """Two answers to a simple question."""

    answer: Literal["yes", "no"]
    number: int = Field(ge=1, le=5)


class Probe(Prompt[Check]):
    """A question to find out in which output modes a server keeps a model to a schema."""

    file = "probe"


class FeatureFinder:
    """The features of one server for one model; safe to share between threads."""

    def __init__(self, server: str, model: str, log: CallLog) -> None:
        self._server, self._model, self._log = server, model, log
        self._features: ServerFeatures | None = None
        self._lock = threading.Lock()

    def features(self, probe: ProbeServer) -> ServerFeatures:
        """The known or stored features, else those found by `probe`, once, while others wait."""
        if self._features is None:
            with self._lock:
                if self._features is None:
                    stored = self._log.server_features(self._server, self._model)
                    self._features = stored or self._store(probe(self._all()))
        return self._features

    def probe_again(self, probe: ProbeServer) -> ServerFeatures:
        """Forget the features and probe again."""
        with self._lock:
            self._features = self._store(probe(self._all()))
            return self._features

    def remember_rejection(self, used: ServerFeatures, attempt: Attempt, rejected: RequestRejected) -> bool:
        """Store what a rejected request had that the server does not take; whether there is another one to try."""
        with self._lock:
            if self._features is not used:
                return True  # another thread has learned it meanwhile
            fewer = without_rejected(used, attempt.mode, attempt.body, rejected)
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


def probe_server(features: ServerFeatures, request: ModelRequest, send: Send) -> ServerFeatures:
    """Try every output mode with a simple question; raises ServerRefusal if the server takes no request at all."""
    features = _try_plain(features, request, send)
    for mode in OUTPUT_MODES[:-1]:
        features = _try_mode(features, mode, request, send)
    return features


def _try_plain(features: ServerFeatures, request: ModelRequest, send: Send) -> ServerFeatures:
    """The optional parameters that a plain question may have; if the error names none they are dropped one by one."""
    while True:
        body = request_body(request, features, "text", request.messages, request.model.max_tokens)
        try:
            send(Attempt(request, "text", body))
            return features
        except RequestRejected as rejected:
            fewer = without_rejected(features, "text", body, rejected) if rejected.status != 404 else None
            guess = first_optional(body) if rejected.status in (400, 422) and not is_about_use(rejected) else ""
            if fewer is None and not guess:
                raise server_refusal(request, rejected) from rejected
            features = fewer or without_part(features, guess, "text", str(rejected))


def _try_mode(features: ServerFeatures, mode: OutputMode, request: ModelRequest, send: Send) -> ServerFeatures:
    """One output mode: it works if a reply has the form asked for without any repair."""
    note, tries = "", 0
    while tries < TRIES and mode in features.output_modes:
        body = request_body(request, features, mode, request.messages, request.model.max_tokens)
        if "seed" in body:
            body["seed"] += tries  # the same one would give the same reply
        try:
            note = _form_problem(send(Attempt(request, mode, body)), mode, request)
            if not note:
                return features
            tries += 1
        except RequestRejected as rejected:
            if not is_objection(rejected):
                raise server_refusal(request, rejected) from rejected
            fewer = without_rejected(features, mode, body, rejected)
            guess = first_optional(body, TOOL_PARTS)
            if fewer is None and not guess:
                return features.without_output_mode(mode, str(rejected))
            features = fewer or without_part(features, guess, mode, str(rejected))
    return features.without_output_mode(mode, note) if mode in features.output_modes else features


def _form_problem(reply: Completion, mode: OutputMode, request: ModelRequest) -> str:
    """Why the reply has not the form that the output mode promises; "" if it has."""
    try:
        if mode != "tools":
            Check.model_validate_json(without_reasoning(reply.text).strip())
        elif not reply.message.get("tool_calls"):
            return "The reply calls no tool."
        else:
            read_object(reply, request.shapes)
    except (ValidationError, InvalidReply, ModelRefusal):
        return "The reply has not the form asked for."
    return ""
