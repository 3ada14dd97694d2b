"""Errors with a message for users."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from core.base.clean_text import shorten_words, truncate, without_control_characters


class BadInput(Exception):
    """A user's input that cannot be used; the message says what was given, what was expected, and what to do.

    `key` and `details` let a page say the same in its language (`errors.<key>` of its words, filled with `details`).
    Very long words in them, such as ids, are cut, and control characters removed.
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
    """An error as one line: its message if that is meant for users, else its type and message."""
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
    """A failure that may not occur at the next try.

    after: seconds that the server asked to wait
    busy: whether the server is overloaded
    tries: number of tries after which to give up
    absent: whether no connection could be made
    """

    def __init__(
        self, message: str, after: float = 0.0, busy: bool = False, tries: float = math.inf, absent: bool = False
    ) -> None:
        super().__init__(message)
        self.after, self.busy, self.tries, self.absent = after, busy, tries, absent


class ModelError(Exception):
    """A model or an external bot returned no usable reply; the message is a sentence for users.

    `key` and `details` let a page say the same in its own language, as with BadInput; control characters are removed.
    """

    def __init__(self, message: str, key: str, **details: object) -> None:
        super().__init__(without_control_characters(message))
        self.key = key
        self.details = _printable(details)


class InvalidReply(ModelError):
    """A reply that cannot be used as it is; the message says why, so that the model can correct it.

    why: key of the reason in the texts `error_details`, filled with `details` ("" without one)
    faults: (key in the texts `reply_faults`, its details) of each field that is wrong
    """

    def __init__(
        self, problem: str, why: str = "", faults: Sequence[tuple[str, dict[str, object]]] = (), **details: object
    ) -> None:
        super().__init__(problem, "unreadable_reply", problem=problem, why=why, **details)
        self.why, self.faults = why, tuple(faults)


class NoValidReply(ModelError):
    """No reply of the model could be used; `raw` is the last one as it came."""

    key = "unusable"

    def __init__(self, problem: InvalidReply, raw: str) -> None:
        shown = truncate(raw, 1_000)
        super().__init__(f"{problem} Raw reply: {shown or '(empty)'}", self.key, **problem.details, raw=shown)
        self.raw = raw


class ModelRefusal(NoValidReply):
    """The model, or a filter before it, refused to reply; asking again would not help."""

    key = "declined"


class ServerRefusal(ModelError):
    """The server rejects the request for good: a wrong key, an unknown model, too long a text."""


class ServerUnreachable(ModelError):
    """The server sent no proper reply within the time limit."""


class ConnectionFailed(ServerUnreachable):
    """No connection to the server could be made, so further calls to it would fail as well."""


class StreamBroken(ModelError):
    """A streamed reply ended early, after a part of it was passed on."""


UNUSABLE_REPLY = ("unusable", "declined", "unreadable_reply")  # keys of errors that concern one reply only


def no_usable_reply(n: int) -> BadInput:
    """The error for a model whose replies to `n` requests were all unusable."""
    message = (
        f"The model was asked for {n} things and gave no usable reply. "
        "Try another model; its replies are under Model calls."
    )
    return BadInput(message, "no_usable_reply", n=n)


class BudgetReached(ModelError):
    """The budget is used up; no further call to a model is made."""


class Stopped(ModelError):
    """The caller no longer wants the reply."""

    def __init__(self, message: str = "The reply is not wanted any more.", key: str = "stopped") -> None:
        super().__init__(message, key)


class ExternalBotError(ModelError):
    """An external bot returned nothing that can be used."""
