"""What can come back from a model server instead of a reply."""

from __future__ import annotations


class ModelError(Exception):
    """No usable reply; the message is a sentence for a person.

    `key` and `details` let a page say the same in its own language, as with `core.base.errors.BadInput`.
    """

    def __init__(self, message: str, key: str, **details: object) -> None:
        super().__init__(message)
        self.key = key
        self.details = details


class Unusable(ModelError):
    """The model replied, and nothing can be made of it; `raw` is the reply as it came."""

    key = "unusable"

    def __init__(self, problem: str, raw: str) -> None:
        shown = raw if len(raw) <= 1_000 else f"{raw[:1_000]}…"
        super().__init__(f"{problem} Raw reply: {shown or '(empty)'}", self.key, problem=problem, raw=shown)
        self.raw = raw


class Withheld(Unusable):
    """The model, or a filter before it, refused to reply; asking again would not change its mind."""

    key = "declined"


class Refused(ModelError):
    """The server will not do this, however often it is asked: a wrong key, an unknown model, too long a text."""


class Unreachable(ModelError):
    """The server gave no proper reply until the time limit."""


class Absent(Unreachable):
    """Nobody could be connected to: no other call to this server would fare better."""


class StreamCut(ModelError):
    """A streamed reply broke off after a part of it was handed out."""


class BudgetReached(ModelError):
    """The budget is used up; nothing more is asked of any model."""


class Stopped(ModelError):
    """Whoever wanted the reply does not want it any more."""
