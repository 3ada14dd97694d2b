"""One message to a bot that exists already, and its turn."""

from __future__ import annotations

import secrets
import time
from typing import Any

from core.base.outside import ChatBot, HttpBot, PythonBot
from core.base.types import Answer, Bot, Clarify, Message, Reply, Turn
from core.llm.occasion import occasion
from core.run.outside.errors import OutsideError
from core.run.outside.http import fetch
from core.run.outside.python import call
from core.run.outside.request import Asked, chat_request, http_request
from core.run.outside.told import Told, mapped, told_of


def hear(bot: Bot, asked: Asked, patience: float | None = None) -> Any:
    """What the bot replies, as it came; `patience`: seconds for all retries where it is less than the settings'.

    Raises OutsideError, BadInput (a key that is not set or may not go there), or `core.llm.errors.Stopped`.
    """
    match bot.outside:
        case ChatBot() as to:
            return fetch(chat_request(bot, to, asked), patience)
        case HttpBot() as to:
            return fetch(http_request(to, asked), patience)
        case PythonBot() as to:
            return call(bot, to, asked)
        case None:
            raise ValueError(f"{bot.id} is a bot of Kiku's own")


def understood(bot: Bot, reply: Any) -> Told:
    """What a reply tells; raises OutsideError where it cannot be used."""
    if isinstance(bot.outside, ChatBot | HttpBot):
        return mapped(reply, bot.outside)
    if isinstance(reply, str):
        return told_of({"answer": reply})
    if isinstance(reply, dict):
        return told_of(reply)  # type: ignore[arg-type]
    kind = type(reply).__name__
    told = f"The function returned {kind}, but must return a text, or a dict with an “answer”."
    raise OutsideError(told, "outside_returned", kind=kind)


def outside_turn(bot: Bot, said: tuple[Message, ...], text: str, conversation: str = "") -> Turn:
    """One turn of a bot that exists already; what it does not tell is unknown. Raises what `hear` and `understood` do.

    conversation: its id for bots that keep state; without one that of the occasion.
    """
    begun = time.perf_counter()
    asked = Asked(text, said, conversation or occasion().conversation_id or new_conversation())
    told = understood(bot, hear(bot, asked))
    seconds = {"outside": round(time.perf_counter() - begun, 4)}
    return Turn(message=text, reply=_reply(told), hits=None, contexts=told.contexts, seconds=seconds)


def new_conversation() -> str:
    """An id for a conversation that has none."""
    return f"kiku-{secrets.token_hex(8)}"


def _reply(told: Told) -> Reply:
    if told.asked:
        return Clarify(text=told.answer, choices=told.choices)
    return Answer(text=told.answer, answered=told.answered, asks=None if told.asked is None else False)
