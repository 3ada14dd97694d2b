"""Errors with a message for people."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from core.base.clean_text import shorten_words, truncate, without_control_characters


class BadInput(Exception):
    """Something a person gave cannot be used; the message says what came, what was expected, and what to do.

    `key` and `details` let a page say the same in its language (`errors.<key>` of its words, filled with `details`).
    Very long words in them, such as ids, are cut, and control characters left out.
    """

    def __init__(self, message: str, key: str = "", **details: object) -> None:
        super().__init__(shorten_words(without_control_characters(message)))
        self.key = key
        self.details = {
            name: shorten_words(value) if isinstance(value, str) else value
            for name, value in _printable(details).items()
        }


def _printable(details: dict[str, object]) -> dict[str, object]:
    return {
        name: without_control_characters(value) if isinstance(value, str) else value for name, value in details.items()
    }


def sentence(error: BaseException) -> str:
    """An error as one line: its message if it is meant for people, else its type and message."""
    line = " ".join(without_control_characters(str(error)).split())
    return line if hasattr(error, "key") else f"{type(error).__name__}: {line}".removesuffix(": ")[:500]


def stored_error(error: BaseException) -> str:
    """An error as it is stored: with a key as JSON {key, details, text}, which pages show in any language."""
    key = getattr(error, "key", "")
    if not key:
        return sentence(error)
    stored_details: dict[str, object] = getattr(error, "details", {})
    details = {name: value if isinstance(value, (int, float)) else str(value) for name, value in stored_details.items()}
    return json.dumps({"key": key, "details": details, "text": sentence(error)}, ensure_ascii=False)


def as_sentence(stored: str) -> str:
    """The English sentence of a stored error."""
    return _stored_field(stored, "text", stored)


def error_key(stored: str) -> str:
    """The key of a stored error; "" if it has none."""
    return _stored_field(stored, "key", "")


def _stored_field(stored: str, name: str, otherwise: str) -> str:
    try:
        return str(json.loads(stored)[name]) if stored.startswith('{"key"') else otherwise
    except (ValueError, KeyError):
        return otherwise


class TransientError(Exception):
    """A failure that may be gone at the next try.

    after: seconds that the server asked to wait; busy: it has too much to do; tries: give up after so many; absent:
    nobody could be connected to.
    """

    def __init__(
        self, message: str, after: float = 0.0, busy: bool = False, tries: float = math.inf, absent: bool = False
    ) -> None:
        super().__init__(message)
        self.after, self.busy, self.tries, self.absent = after, busy, tries, absent


class ModelError(Exception):
    """What a model or an external bot gives instead of a usable reply; the message is a sentence for a person.

    `key` and `details` let a page say the same in its own language, as with BadInput; control characters are left out.
    """

    def __init__(self, message: str, key: str, **details: object) -> None:
        super().__init__(without_control_characters(message))
        self.key = key
        self.details = _printable(details)


class InvalidReply(ModelError):
    """A reply that cannot be used as it is; the message says why, for the model to do better.

    why: its key among the words of `error_details`, if it has one, filled with `details`; faults: what is wrong with
    its fields, each a key among the words of `reply_faults` with what fills it.
    """

    def __init__(
        self, problem: str, why: str = "", faults: Sequence[tuple[str, dict[str, object]]] = (), **details: object
    ) -> None:
        super().__init__(problem, "unreadable_reply", problem=problem, why=why, **details)
        self.why, self.faults = why, tuple(faults)


class NoValidReply(ModelError):
    """The model replied, and nothing can be made of it; `raw` is the reply as it came."""

    key = "unusable"

    def __init__(self, problem: InvalidReply, raw: str) -> None:
        shown = truncate(raw, 1_000)
        super().__init__(f"{problem} Raw reply: {shown or '(empty)'}", self.key, **problem.details, raw=shown)
        self.raw = raw


class ModelRefusal(NoValidReply):
    """The model, or a filter before it, refused to reply; asking again would not change its mind."""

    key = "declined"


class ServerRefusal(ModelError):
    """The server will not do this, however often it is asked: a wrong key, an unknown model, too long a text."""


class ServerUnreachable(ModelError):
    """The server gave no proper reply until the time limit."""


class ConnectionFailed(ServerUnreachable):
    """No connection to the server could be made, so further calls to it would fail as well."""


class StreamBroken(ModelError):
    """A streamed reply broke off after a part of it was handed out."""


UNUSABLE_REPLY = ("unusable", "declined", "unreadable_reply")  # keys of errors of one reply, and of no more than that


def no_usable_reply(n: int) -> BadInput:
    """The error for a model that gave nothing usable although it was asked for `n` things."""
    message = (
        f"The model was asked for {n} things and gave no usable reply. "
        "Try another model; its replies are under Model calls."
    )
    return BadInput(message, "no_usable_reply", n=n)


class BudgetReached(ModelError):
    """The budget is used up; no further call to a model is made."""


class Stopped(ModelError):
    """Whoever wanted the reply does not want it any more."""

    def __init__(self, message: str = "The reply is not wanted any more.", key: str = "stopped") -> None:
        super().__init__(message, key)


class ExternalBotError(ModelError):
    """An external bot gave nothing that can be used."""
