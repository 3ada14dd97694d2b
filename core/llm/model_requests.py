"""A prompt as a request to a model, and the HTTP body that carries it in an output mode."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from core.base.calls import OutputMode, ServerFeatures
from core.base.clean_text import clean
from core.base.errors import InvalidReply
from core.base.json_data import Json
from core.base.prompt import Prompt
from core.base.translate import Translate, reason_text, translator
from core.base.types import Language, Role
from core.llm.completions import Completion
from core.llm.roles import ModelRole
from core.llm.schemas import ReplyShape, fingerprint, reply_shapes, whole_schema

Messages = tuple[Json, ...]
SEEDS = 2**31 - 1  # number of seeds: some servers read a seed as 32 bits


class Format(Prompt[str]):
    """Reply with one JSON object: of `shape`, or a call of one of `functions` (name, what for, schema of arguments)."""

    file = "format"
    shape: str
    functions: tuple[tuple[str, str, str], ...] = ()


class RetryPrompt(Prompt[str]):
    """Tells the model that its last reply could not be used."""

    file = "retry"
    problem: str
    as_json: bool
    names: tuple[str, ...] = ()  # names of the functions to choose from
    keys: tuple[str, ...] = ()  # without functions: the keys of the object


@dataclass(frozen=True)
class ModelRequest:
    """A prompt that is ready to send."""

    purpose: str  # class of the prompt
    role: Role
    model: ModelRole
    messages: Messages
    reply: Any
    shapes: tuple[ReplyShape, ...]
    language: Language
    seed: int
    repeat: int
    key: str  # by which the cache finds the reply

    def output_mode(self, features: ServerFeatures, fallback_level: int = 0) -> OutputMode:
        """The best output mode of the server, or `fallback_level` places below; tools first for several shapes."""
        if not self.shapes:
            return "text"
        several = len(self.shapes) > 1
        order = sorted(features.output_modes, key=lambda mode: not (several and mode == "tools"))
        return order[min(fallback_level, len(order) - 1)]


class Attempt(NamedTuple):
    """A request as it is sent: in an output mode, as a body."""

    request: ModelRequest
    mode: OutputMode
    body: Json

    @property
    def text(self) -> str:
        """The body as it is logged."""
        return json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))

    def with_key_of(self, times_sent: int) -> Attempt:
        """The same under a key of its own, sent `times_sent` times before: each sending is another call."""
        key = _key(self.request.key, self.mode, self.text, times_sent)
        return self._replace(request=replace(self.request, key=key))


def model_request_of(prompt: Prompt[Any], model: ModelRole, repeat: int, role: Role | None = None) -> ModelRequest:
    """The request that a prompt makes to a model; repeat: asks for another reply; role: in place of the prompt's."""
    system, user = clean(list(prompt.messages()))
    messages: Messages = ({"role": "system", "content": system},) if system else ()
    messages += ({"role": "user", "content": user},)
    reply = prompt.reply_type()
    seed, purpose = (prompt.seed or repeat) % SEEDS, type(prompt).__name__
    of_model = (model.server.name, model.model, model.temperature, model.effort)
    return ModelRequest(
        purpose=purpose,
        role=role or prompt.role,
        model=model,
        messages=messages,
        reply=reply,
        shapes=reply_shapes(reply),
        language=prompt.language,
        seed=seed,
        repeat=repeat,
        key=_key(purpose, *of_model, messages, fingerprint(reply), seed, repeat),
    )


def request_body(
    request: ModelRequest, features: ServerFeatures, mode: OutputMode, messages: Messages, max_tokens: int
) -> Json:
    """The body of a request, without what the server rejects; `max_tokens`: of the longest reply."""
    model = request.model
    optional: Json = {
        "temperature": model.temperature,
        "reasoning_effort": model.effort or None,
        "seed": request.seed,
        features.limit_parameter: max_tokens,
        **(_shape(request, mode, "strict" not in features.rejected) if request.shapes else {}),
    }
    if request.shapes and mode in ("json", "text"):
        messages = _explained(request, messages)
    if "system" in features.rejected:
        messages = _without_system(messages)
    fields = {
        name: value for name, value in optional.items() if name and value is not None and name not in features.rejected
    }
    return {"model": model.model, "messages": list(messages), **fields}


def retry_messages(request: ModelRequest, reply: Completion, problem: InvalidReply) -> Messages:
    """The messages, followed by the unusable reply and what is wrong with it, in the prompt's language."""
    reason = translated_reply_problem(translator(request.language), problem)
    shapes = request.shapes
    retry = RetryPrompt(
        problem=reason if reason.endswith((".", "。")) else f"{reason}{'.' if request.language == 'en' else '。'}",
        as_json=bool(shapes),
        names=tuple(shape.name for shape in shapes) if len(shapes) > 1 else (),
        keys=tuple(shapes[0].kind.model_fields) if len(shapes) == 1 else (),
        language=request.language,
    )
    replied = {"role": "assistant", "content": reply.shown}
    return (*request.messages, replied, {"role": "user", "content": retry.render(request.language).strip()})


def translated_reply_problem(t: Translate, problem: InvalidReply) -> str:
    """What is wrong with a model's reply, in the language of `t`; the problem's own text without a translation."""
    if problem.faults:
        sentences = [_fault(t, key, details) for key, details in problem.faults]
        return t("reply_faults.joined", faults=t("reply_faults.between").join(sentences))
    return reason_text(t, problem.why, problem.details) or str(problem)


def _fault(t: Translate, key: str, details: Mapping[str, object]) -> str:
    try:
        return t(f"reply_faults.{key}", **details)
    except (KeyError, IndexError):
        return t("reply_faults.other", **details)


def _key(*known: Any) -> str:
    return hashlib.sha256(json.dumps(known, ensure_ascii=False).encode()).hexdigest()


def _shape(request: ModelRequest, mode: OutputMode, strict: bool) -> Json:
    """The part of the body that gives the server the form of the reply."""
    if mode == "json":
        return {"response_format": {"type": "json_object"}}
    if mode == "schema":
        name = request.shapes[0].name if len(request.shapes) == 1 else "choice"
        schema = {"name": name, "schema": whole_schema(request.reply), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return _tools(request.shapes, strict) if mode == "tools" else {}


def _tools(shapes: tuple[ReplyShape, ...], strict: bool) -> Json:
    only = shapes[0].name if len(shapes) == 1 else ""
    mark = {"strict": True} if strict else {}
    return {
        "tools": [
            {
                "type": "function",
                "function": {"name": shape.name, "description": shape.about, "parameters": shape.schema, **mark},
            }
            for shape in shapes
        ],
        "tool_choice": {"type": "function", "function": {"name": only}} if only else "required",
        "parallel_tool_calls": False,
    }


def _explained(request: ModelRequest, messages: Messages) -> Messages:
    """The messages with the form of the reply in words, at the end of the first one."""

    def text(schema: Json) -> str:
        return json.dumps(schema, ensure_ascii=False)

    several = len(request.shapes) > 1
    functions = tuple((shape.name, shape.about, text(shape.schema)) for shape in request.shapes) if several else ()
    form = Format(shape=text(whole_schema(request.reply)), functions=functions).render(request.language).strip()
    first = {**messages[0], "content": f"{messages[0]['content']}\n\n{form}"}
    return (first, *messages[1:])


def _without_system(messages: Messages) -> Messages:
    """The messages without the system's, which leads the first one of the user instead."""
    if messages[0]["role"] != "system" or len(messages) < 2:
        return messages
    first = {**messages[1], "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
    return (first, *messages[2:])
