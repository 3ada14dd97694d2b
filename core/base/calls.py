"""What is kept of a call to a model, and of what a server can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Literal, Protocol

from core.base.types import FrozenModel, Role

Rung = Literal["schema", "tools", "json", "text"]
RUNGS: tuple[Rung, ...] = ("schema", "tools", "json", "text")


class Call(FrozenModel):
    """One call to a model, as it was sent and as it came back.

    purpose: the prompt's class; server: the base URL without its secrets; key: what the cache finds it by; tokens: none
    where the server told none; cost: none where the model has no price; seconds: with the waits between `retries`;
    error: why the reply could not be used ("" when it could); request, reply: JSON.
    """

    id: int = 0
    created_at: datetime
    run_id: str = ""
    conversation_id: str = ""
    purpose: str
    role: Role
    server: str
    model: str
    rung: Rung
    key: str
    repeat: int = 1
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    retries: int = 0
    error: str = ""
    request: str
    reply: str = ""


class Spending(FrozenModel):
    """Calls summed: `unpriced` of them have no price and are missing from `cost`; `failed` gave nothing usable."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.prompt_tokens + self.completion_tokens

    def plus(self, other: Spending) -> Spending:
        """Both together."""
        return Spending(**{name: getattr(self, name) + getattr(other, name) for name in Spending.model_fields})

    def times(self, factor: float) -> Spending:
        """So many times as much, whole numbers rounded."""
        scaled = {name: getattr(self, name) * factor for name in Spending.model_fields}
        return Spending(
            **{name: value if name in ("cost", "seconds") else round(value) for name, value in scaled.items()}
        )


def sum_of(parts: Iterable[Spending]) -> Spending:
    """All parts together."""
    return reduce(Spending.plus, parts, Spending())


class Abilities(FrozenModel):
    """What one server can do with one model, as found by asking it.

    rungs: the ways to a structured reply that work, best first; dropped: parameters that it rejects; limit: the name
    of the parameter for the longest reply ("" when it takes none); notes: by rung, why it does not work.
    """

    server: str
    model: str
    rungs: tuple[Rung, ...]
    dropped: tuple[str, ...] = ()
    limit: str = "max_completion_tokens"
    notes: Mapping[str, str] = {}
    probed_at: datetime | None = None

    def without(self, parameter: str) -> Abilities:
        """The same, with one more parameter that is not sent."""
        return self.model_copy(update={"dropped": (*self.dropped, parameter)})

    def without_rung(self, rung: Rung, note: str) -> Abilities:
        """The same, one way to a structured reply fewer; text always stays."""
        rungs = tuple(one for one in self.rungs if one != rung) or ("text",)
        return self.model_copy(update={"rungs": rungs, "notes": {**self.notes, rung: note}})


class CallBook(Protocol):
    """Where calls and abilities are kept; the store is one."""

    def add_call(self, call: Call) -> int:
        """Keep a call; gives its id."""
        ...

    def usable_call(self, key: str) -> Call | None:
        """The newest call with this key whose reply could be used."""
        ...

    def abilities(self, server: str, model: str) -> Abilities | None:
        """What is remembered of a server and model."""
        ...

    def save_abilities(self, found: Abilities) -> None:
        """Remember what a server can do with a model."""
        ...
