"""Reads an external bot's reply from JSON or the result of a function; what it does not report is unknown."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

import jmespath
from jmespath.exceptions import JMESPathError

from core.base.call_context import current_context
from core.base.clean_text import clean, truncate
from core.base.errors import ExternalBotError
from core.base.external_bots import FIELDS, ChatBot, HttpBot, PythonBot
from core.base.frozen_model import FrozenModel
from core.base.types import Answer, Bot, Clarify, Message, Passage, Reply, Turn
from core.bot.external.http import fetch
from core.bot.external.python import call
from core.bot.external.request import OutgoingMessage, chat_request, http_request

# Characters of an answer.
MAX_ANSWER_CHARACTERS = 50_000
# Passages of a reply.
MAX_CONTEXTS = 200
# Characters of all passages of a reply.
MAX_CONTEXTS_CHARACTERS = 1_000_000
# Choices of a reply.
MAX_EXTERNAL_CHOICES = 20
# Characters of a value that an error shows.
SHOWN_CHARACTERS = 80
# Fields of a reply that an error names.
SHOWN_FIELDS = 12
TEXT_FIELDS = ("text", "content", "page_content", "passage", "snippet", "chunk", "body")
_TITLES = ("title", "name", "heading", "section")
_DOCUMENTS = ("document", "source", "file", "filename", "url", "uri", "id")


class ExternalReply(FrozenModel):
    """What a reply reports; None is unknown."""

    answer: str
    contexts: tuple[Passage, ...] | None = None  # the passages that the bot saw
    choices: tuple[str, ...] = ()
    asked: bool | None = None  # whether this is a clarifying question
    answered: bool | None = None  # whether the bot had an answer


def _mapped(reply: Any, by: ChatBot | HttpBot) -> ExternalReply:
    """The reply, looked up by the paths of the mapping; raises ExternalBotError for what cannot be used."""
    return _checked({name: _looked_up(reply, name, path) for name in FIELDS if (path := getattr(by, name))}, reply)


def _checked(fields: Mapping[str, Any], reply: Any) -> ExternalReply:
    """The fields with their types and sizes checked; raises ExternalBotError. `reply`: what they were looked up in."""
    return ExternalReply(
        answer=_answer(fields.get("answer"), reply),
        contexts=_contexts(fields.get("contexts")),
        choices=_choices(fields.get("choices")),
        asked=_flag("asked", fields.get("asked")),
        answered=_flag("answered", fields.get("answered")),
    )


def _looked_up(reply: Any, name: str, path: str) -> Any:
    try:
        return jmespath.search(path, reply)
    except (JMESPathError, RecursionError, ValueError) as error:
        detail = " ".join(str(error).split())[:200]
        message = f"The path {path} for “{name}” does not match the reply ({detail}). Correct the path."
        raise ExternalBotError(message, "external_path", field=name, path=path, said=detail) from error


def _answer(value: Any, reply: Any) -> str:
    if value is None:
        there = _outline(reply)
        message = f"The reply has no answer at the configured path. It has: {there}. Correct the path."
        raise ExternalBotError(message, "external_no_answer", there=there)
    if not isinstance(value, str):
        raise _wrong_type("answer", value, "text")
    text = _storable(value)
    if not text.strip():
        raise ExternalBotError("The bot replied with an empty answer.", "external_empty")
    if len(text) > MAX_ANSWER_CHARACTERS:
        message = f"The answer has {len(text):,} characters; the limit is {MAX_ANSWER_CHARACTERS:,}. Make the bot answer shorter."
        raise ExternalBotError(message, "external_long", length=f"{len(text):,}", most=f"{MAX_ANSWER_CHARACTERS:,}")
    return text


def _flag(name: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise _wrong_type(name, value, "flag")


def _choices(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in cast("Sequence[Any]", value)):
        raise _wrong_type("choices", value, "texts")
    return tuple(_storable(one) for one in cast("Sequence[str]", value) if one.strip())[:MAX_EXTERNAL_CHOICES]


def _contexts(value: Any) -> tuple[Passage, ...] | None:
    if value is None:
        return None
    if not isinstance(value, str | list | tuple):
        raise _wrong_type("contexts", value, "contexts")
    listed = [value] if isinstance(value, str) else cast("Sequence[Any]", value)
    found = tuple(_context(number, one) for number, one in enumerate(listed, 1))
    size = sum(len(one.text) for one in found)
    if len(found) > MAX_CONTEXTS or size > MAX_CONTEXTS_CHARACTERS:
        message = f"The reply has {len(found):,} passages with {size:,} characters; the limits are {MAX_CONTEXTS} and {MAX_CONTEXTS_CHARACTERS:,}."
        raise ExternalBotError(
            message,
            "external_contexts",
            n=f"{len(found):,}",
            size=f"{size:,}",
            most=MAX_CONTEXTS,
            largest=f"{MAX_CONTEXTS_CHARACTERS:,}",
        )
    return found


def _context(number: int, value: Any) -> Passage:
    """One context: a text, or an object that has one under a usual name."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {"text": value}
    text = _first(fields, TEXT_FIELDS)
    if not isinstance(text, str):
        raise _wrong_type("contexts", value, "contexts")
    title, document = (str(_first(fields, names) or "") for names in (_TITLES, _DOCUMENTS))
    return Passage(
        id=str(number), document=_storable(document), title=_storable(title), heading="", text=_storable(text)
    )


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _wrong_type(name: str, value: Any, wanted: str) -> ExternalBotError:
    kinds = {
        "text": "text",
        "flag": "true or false",
        "texts": "a list of texts",
        "contexts": "a list of texts, or of objects with a text",
    }
    shown = _shown(value)
    message = f"“{name}” is {shown}, but must be {kinds[wanted]}. Correct the path, or what the bot returns."
    return ExternalBotError(message, f"external_not_{wanted}", field=name, value=shown)


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return clean(truncate(text, SHOWN_CHARACTERS))


def _outline(reply: Any) -> str:
    """A short form of a reply: the names of its fields, or itself."""
    if isinstance(reply, dict):
        return _shown(list(cast("dict[str, Any]", reply))[:SHOWN_FIELDS])
    return _shown(reply)


def _storable(text: str) -> str:
    """The text as any database can hold it."""
    return clean(text).replace("\x00", "\ufffd")


def fetch_reply(bot: Bot, outgoing: OutgoingMessage, patience: float | None = None) -> Any:
    """The bot's reply, unread; `patience`: seconds for all retries if it is less than the settings'.

    Raises ExternalBotError, BadInput (a key that is not set or may not go there), or `core.base.errors.Stopped`.
    """
    match bot.external:
        case ChatBot() as external:
            return fetch(chat_request(bot, external, outgoing), patience)
        case HttpBot() as external:
            return fetch(http_request(external, outgoing), patience)
        case PythonBot() as external:
            return call(bot, external, outgoing)
        case None:
            raise ValueError(f"{bot.id} is a bot of Kiku's own")


def read_reply(bot: Bot, reply: Any) -> ExternalReply:
    """The reply by the bot's mapping; raises ExternalBotError if it cannot be used."""
    if isinstance(bot.external, ChatBot | HttpBot):
        return _mapped(reply, bot.external)
    if isinstance(reply, str):
        return _checked({"answer": reply}, reply)
    if isinstance(reply, dict):
        return _checked(cast("dict[str, Any]", reply), cast("dict[str, Any]", reply))
    kind = type(reply).__name__
    message = f"The function returned {kind} but must return text, or a dict with an “answer”."
    raise ExternalBotError(message, "external_returned", kind=kind)


def external_turn(bot: Bot, history: tuple[Message, ...], text: str) -> Turn:
    """One turn of an external bot; what it does not report is unknown. Raises what `fetch_reply` and `read_reply` do.

    A bot that keeps state gets the conversation's id of the call context, or a new one.
    """
    begun = time.perf_counter()
    outgoing = OutgoingMessage(text, history, current_context().conversation_id or new_conversation())
    found = read_reply(bot, fetch_reply(bot, outgoing))
    seconds = {"external": round(time.perf_counter() - begun, 4)}
    return Turn(message=text, reply=_reply(found), hits=None, contexts=found.contexts, seconds=seconds)


def new_conversation() -> str:
    """An id for a conversation that has none."""
    return f"kiku-{secrets.token_hex(8)}"


def _reply(found: ExternalReply) -> Reply:
    if found.asked:
        return Clarify(text=found.answer, choices=found.choices)
    return Answer(text=found.answer, answered=found.answered, asks=None if found.asked is None else False)
