"""A question to a model, and the request that puts it on a rung of the ladder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from core.base.calls import Abilities, Rung
from core.base.prompt import Prompt
from core.base.types import Language, Role
from core.llm.format import AskAgain, Format
from core.llm.raw import Raw
from core.llm.roles import ModelRole
from core.llm.schemas import Function, Json, fingerprint, functions_of, whole_schema

Messages = tuple[Json, ...]
SEEDS = 2**31 - 1  # servers read a seed as 32 bits, or 64


@dataclass(frozen=True)
class Question:
    """A prompt made ready to send: for whom, to which model, in which words; `key` is what the cache finds it by."""

    purpose: str
    role: Role
    model: ModelRole
    messages: Messages
    reply: Any
    functions: tuple[Function, ...]
    language: Language
    seed: int
    repeat: int
    key: str

    def rung(self, found: Abilities, lower: int = 0) -> Rung:
        """The best way to the reply that the server offers, or so many lower; functions are best called as tools."""
        if not self.functions:
            return "text"
        several = len(self.functions) > 1
        order = sorted(found.rungs, key=lambda rung: not (several and rung == "tools"))
        return order[min(lower, len(order) - 1)]

    def as_sent(self, rung: Rung, request: str, before: int) -> Question:
        """The question with a key for this very request, sent so many times before: each is a question of its own."""
        return replace(self, key=_key(self.key, rung, request, before))


def question_of(prompt: Prompt[Any], model: ModelRole, repeat: int, role: Role | None = None) -> Question:
    """The question that a prompt is to a model."""
    system, user = prompt.messages()
    messages: Messages = ({"role": "system", "content": system},) if system else ()
    messages += ({"role": "user", "content": user},)
    reply = prompt.reply_type()
    functions = functions_of(reply)
    seed = (prompt.seed or repeat) % SEEDS
    purpose = type(prompt).__name__
    known = (
        *(purpose, model.server.name, model.model, model.temperature, model.effort),
        *(messages, fingerprint(reply), seed, repeat),
    )
    asked = (purpose, role or prompt.role, model, messages, reply, functions, prompt.language, seed, repeat)
    return Question(*asked, key=_key(*known))


def request_of(question: Question, found: Abilities, rung: Rung, messages: Messages, limit: int) -> Json:
    """The body of a request, without what the server rejects; `limit`: tokens of the longest reply."""
    model = question.model
    optional: Json = {
        "temperature": model.temperature,
        "reasoning_effort": model.effort or None,
        "seed": question.seed,
        found.limit: limit,
        **(_shape(question, rung, "strict" not in found.dropped) if question.functions else {}),
    }
    if question.functions and rung in ("json", "text"):
        messages = _explained(question, messages)
    if "system" in found.dropped:
        messages = _one_voice(messages)
    kept = {name: value for name, value in optional.items() if name and value is not None and name not in found.dropped}
    return {"model": model.model, "messages": list(messages), **kept}


def written(body: Json) -> str:
    """A request as it is sent and kept."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def ask_again(question: Question, raw: Raw, problem: str) -> Messages:
    """The messages with the unusable reply and what is wrong with it."""
    again = AskAgain(problem=problem, as_json=bool(question.functions), language=question.language)
    replied = {"role": "assistant", "content": raw.said}
    return (*question.messages, replied, {"role": "user", "content": again.render(question.language).strip()})


def _key(*known: Any) -> str:
    return hashlib.sha256(json.dumps(known, ensure_ascii=False).encode()).hexdigest()


def _shape(question: Question, rung: Rung, strict: bool) -> Json:
    """What tells the server the form of the reply."""
    if rung == "json":
        return {"response_format": {"type": "json_object"}}
    if rung == "schema":
        name = question.functions[0].name if len(question.functions) == 1 else "choice"
        schema = {"name": name, "schema": whole_schema(question.reply), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    return _tools(question.functions, strict) if rung == "tools" else {}


def _tools(functions: tuple[Function, ...], strict: bool) -> Json:
    only = functions[0].name if len(functions) == 1 else ""
    mark = {"strict": True} if strict else {}
    return {
        "tools": [
            {
                "type": "function",
                "function": {"name": one.name, "description": one.about, "parameters": one.schema, **mark},
            }
            for one in functions
        ],
        "tool_choice": {"type": "function", "function": {"name": only}} if only else "required",
        "parallel_tool_calls": False,
    }


def _explained(question: Question, messages: Messages) -> Messages:
    """The messages with the form of the reply in words, at the end of the first one."""

    def text(schema: Json) -> str:
        return json.dumps(schema, ensure_ascii=False)

    several = len(question.functions) > 1
    functions = tuple((one.name, one.about, text(one.schema)) for one in question.functions) if several else ()
    form = Format(shape=text(whole_schema(question.reply)), functions=functions).render(question.language).strip()
    first = {**messages[0], "content": f"{messages[0]['content']}\n\n{form}"}
    return (first, *messages[1:])


def _one_voice(messages: Messages) -> Messages:
    """The messages without the system's, which leads the first one of the user instead."""
    if messages[0]["role"] != "system" or len(messages) < 2:
        return messages
    first = {**messages[1], "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
    return (first, *messages[2:])
