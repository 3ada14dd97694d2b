"""What a server can do with a model: found out once by asking it, and by what it rejects later on."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from pydantic import Field, ValidationError

from core.base.calls import RUNGS, Abilities, CallBook, Rung
from core.base.prompt import Prompt
from core.base.types import FrozenModel
from core.llm.complaint import Rejected
from core.llm.errors import Refused
from core.llm.raw import Raw
from core.llm.replies import Unread, read_object
from core.llm.request import Question, request_of
from core.llm.schemas import Json
from core.llm.thinking import without_thinking

Send = Callable[[Question, Rung, Json], Raw]
TRIES = 3  # of a rung whose reply has the wrong form, before it counts as not working
LIMITS = ("max_completion_tokens", "max_tokens")
# What can be left out, and how a server's error calls it; tried in this order where it names nothing.
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
_TOO_LONG = re.compile(r"context.{0,12}(?:length|window|size)|too (?:long|large)|exceed")
_TOO_MUCH = re.compile(_TOO_LONG.pattern + r"|at most|maximum|less than|too (?:big|high|many)|range")
TELLING = (400, 404, 422)  # statuses of a server that objects to a part of the request
# What stands near the name of something that a server does not know; what people wrote is quoted in other errors
_OBJECTION = (
    r"not? .{0,12}(?:support|allow|permit|available|enabled|implement|expect|valid|recogni)|unsupported|support|unavailable"
    r"|unknown|unrecogni[sz]ed|unexpected|invalid|extra|must (?:be|not)|requires?|deprecated|disallowed|cannot find"
)
_NEAR = 60  # characters between the two
_OF_USE = re.compile(r"polic(?:y|ies)|safety|moderat|violat|flagged|harmful|billing|payment|credit|quota")
_LEAST = 16  # tokens of a reply, below which no shorter one is asked for
_SHAPES: dict[Rung, str] = {
    "schema": r"response_format|json_schema|schema|guided_json|grammar",
    "tools": r"tools?|function(?:s| calling| calls?)?",
    "json": r"response_format|json_object|json mode",
}


class Check(FrozenModel):
    """Two answers to a simple question."""

    answer: Literal["yes", "no"]
    number: int = Field(ge=1, le=5)


class Probe(Prompt[Check]):
    """A question to find out which forms of reply a server can hold a model to."""

    file = "probe"


class Ladder:
    """What one server can do with one model; safe to share between threads."""

    def __init__(self, server: str, model: str, book: CallBook) -> None:
        self._server, self._model, self._book = server, model, book
        self._found: Abilities | None = None
        self._asking = threading.Lock()

    def abilities(self, probe: Callable[[Abilities], Abilities]) -> Abilities:
        """What is known, or remembered, or else found out by `probe`, once, while others wait."""
        if self._found is None:
            with self._asking:
                if self._found is None:
                    known = self._book.abilities(self._server, self._model)
                    self._found = known or self._remember(probe(self._unknown()))
        return self._found

    def probe_again(self, probe: Callable[[Abilities], Abilities]) -> Abilities:
        """Forget what is known and find out anew."""
        with self._asking:
            self._found = self._remember(probe(self._unknown()))
            return self._found

    def learn(self, used: Abilities, rung: Rung, body: Json, rejected: Rejected) -> bool:
        """Remember what a rejected request had that the server does not take; whether there is another one to try."""
        with self._asking:
            if self._found is not used:
                return True  # somebody else has learnt meanwhile
            found = learnt(used, rung, body, rejected)
            if found is not None:
                self._found = self._remember(found)
            return found is not None

    def _unknown(self) -> Abilities:
        return Abilities(server=self._server, model=self._model, rungs=RUNGS, probed_at=datetime.now(UTC))

    def _remember(self, found: Abilities) -> Abilities:
        self._book.save_abilities(found)
        return found


def learnt(found: Abilities, rung: Rung, body: Json, rejected: Rejected) -> Abilities | None:
    """The abilities without what the server's error names; none where it names nothing that was sent."""
    said = rejected.said.lower()
    if rejected.status not in TELLING or _TOO_LONG.search(said) or _OF_USE.search(said):
        return None
    name = _meant(rejected.parameter.lower(), body, rung) or _objected(said, body, rung)
    if not name or (name == "limit" and _TOO_MUCH.search(said)):
        return None
    return _less(found, name, rung, str(rejected))


def asking_less(body: Json, rejected: Rejected) -> Json:
    """The request with half the reply's length, where that was too long for the server; raises `rejected` otherwise."""
    said, name = rejected.said.lower(), next((name for name in LIMITS if name in body), "")
    told = f"{rejected.parameter} {said}".lower()
    is_meant = bool(_spot(OPTIONAL["limit"], told)) and _TOO_MUCH.search(said)
    if rejected.status not in TELLING or not name or not is_meant or body[name] // 2 < _LEAST:
        raise rejected
    return {**body, name: body[name] // 2}


def probed(found: Abilities, question: Question, send: Send) -> Abilities:
    """Try every rung with a simple question; raises Refused where the server takes no request at all."""
    found = _plain_request(found, question, send)
    for rung in RUNGS[:-1]:
        found = _try(found, rung, question, send)
    return found


def _plain_request(found: Abilities, question: Question, send: Send) -> Abilities:
    """The optional parameters that a plain question may carry; where the error names none they go one by one."""
    while True:
        body = request_of(question, found, "text", question.messages, question.model.reply_tokens)
        try:
            send(question, "text", body)
        except Rejected as rejected:
            less = learnt(found, "text", body, rejected) if rejected.status != 404 else None
            blind = next((name for name in OPTIONAL if _sent(name, body)), "") if _is_vague(rejected) else ""
            if less is None and not blind:
                raise refused(question, rejected) from rejected
            found = less or _less(found, blind, "text", str(rejected))
        else:
            return found


def _try(found: Abilities, rung: Rung, question: Question, send: Send) -> Abilities:
    """One rung: it works when a reply has the form asked for without any repair."""
    note, tries = "", 0
    while tries < TRIES and rung in found.rungs:
        body = request_of(question, found, rung, question.messages, question.model.reply_tokens)
        if "seed" in body:
            body["seed"] += tries  # the same one would give the same reply
        try:
            note = _formless(send(question, rung, body), rung, question)
            if not note:
                return found
            tries += 1
        except Rejected as rejected:
            if rejected.status not in TELLING:
                raise refused(question, rejected) from rejected
            less = learnt(found, rung, body, rejected)
            blind = next((name for name in ("parallel_tool_calls", "strict", "tool_choice") if _sent(name, body)), "")
            if less is None and not blind:
                return found.without_rung(rung, str(rejected))
            found = less or _less(found, blind, rung, str(rejected))
    return found.without_rung(rung, note) if rung in found.rungs else found


def _formless(raw: Raw, rung: Rung, question: Question) -> str:
    """Why the reply has not the form that the rung promises; "" when it has."""
    try:
        if rung != "tools":
            Check.model_validate_json(without_thinking(raw.text).strip())
        elif not raw.message.get("tool_calls"):
            return "The reply calls no tool."
        else:
            read_object(raw, question.functions)
    except (ValidationError, Unread):
        return "The reply has not the form asked for."
    return ""


def _patterns(body: Json, rung: Rung) -> dict[str, str]:
    """What a request carries and could do without, and how it is called: optional parameters, the rung's own ("rung")."""
    named = {name: pattern for name, pattern in OPTIONAL.items() if _sent(name, body)}
    return named | ({"rung": _SHAPES[rung]} if rung in _SHAPES else {})


def _spot(pattern: str, words: str) -> list[int]:
    """Where words have a name, as a whole word."""
    return [found.start() for found in re.finditer(rf"(?<![a-z_])(?:{pattern})(?![a-z_])", words)]


def _meant(parameter: str, body: Json, rung: Rung) -> str:
    """What of the request a parameter is ("tools[0].function.strict"), by its innermost name."""
    places = {name: _spot(pattern, parameter) for name, pattern in _patterns(body, rung).items()}
    found = {name: spots[-1] for name, spots in places.items() if spots}
    return max(found, key=lambda name: (found[name], name != "rung")) if found else ""


def _objected(words: str, body: Json, rung: Rung) -> str:
    """The first thing of the request that the words object to."""
    objections = [place.span() for place in re.finditer(_OBJECTION, words)]

    def near(spot: int) -> bool:
        return any(start - _NEAR <= spot <= end + _NEAR for start, end in objections)

    places = {name: list(filter(near, _spot(pattern, words))) for name, pattern in _patterns(body, rung).items()}
    found = {name: spots[0] for name, spots in places.items() if spots}
    return min(found, key=lambda name: (found[name], name == "rung")) if found else ""


def _is_vague(rejected: Rejected) -> bool:
    """Whether anything in the request may be what the server objects to."""
    return rejected.status in (400, 422) and not _OF_USE.search(rejected.said.lower())


def _sent(name: str, body: Json) -> bool:
    if name == "limit":
        return any(limit in body for limit in LIMITS)
    if name == "strict":
        return any("strict" in tool["function"] for tool in body.get("tools", ()))
    if name == "system":
        return bool(body["messages"][0]["role"] == "system")
    return name in body


def _less(found: Abilities, name: str, rung: Rung, note: str) -> Abilities:
    if name == "rung":
        return found.without_rung(rung, note)
    if name == "limit":
        return found.model_copy(update={"limit": LIMITS[1] if found.limit == LIMITS[0] else ""})
    return found.without(name)


def refused(question: Question, rejected: Rejected) -> Refused:
    """The error for a request that no change will make acceptable."""
    server, model = question.model.server.name, question.model.model
    told = f"{server} will not answer with {model} ({rejected}). Check the address and the model's name."
    return Refused(told, "request_refused", server=server, model=model, detail=str(rejected))
