"""What is stored of a call to a model, and of what a server can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Literal, Protocol

from core.base.frozen_model import FrozenModel
from core.base.types import Role

OutputMode = Literal["schema", "tools", "json", "text"]
OUTPUT_MODES: tuple[OutputMode, ...] = ("schema", "tools", "json", "text")


class Call(FrozenModel):
    """One call to a model, as it was sent and as it came back.

    purpose: the prompt's class; server: the base URL without its secrets; key: what the cache finds it by; tokens: none
    if the server counted none; cost: none if the model has no price; seconds: with the waits between `retries`;
    error: why the reply could not be used ("" if it could); request, reply: JSON.
    """

    id: int = 0
    created_at: datetime
    run_id: str = ""
    conversation_id: str = ""
    purpose: str
    role: Role
    server: str
    model: str
    output_mode: OutputMode
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

    @property
    def known_cost(self) -> float | None:
        """The cost without the calls that have no price; none if all that cost something have none."""
        return None if self.unpriced and not self.cost else self.cost

    def plus(self, other: Spending) -> Spending:
        """The sum of two spendings."""
        return Spending(**{name: getattr(self, name) + getattr(other, name) for name in Spending.model_fields})

    def times(self, factor: float) -> Spending:
        """So many times as much, whole numbers rounded."""
        scaled = {name: getattr(self, name) * factor for name in Spending.model_fields}
        return Spending(
            **{name: value if name in ("cost", "seconds") else round(value) for name, value in scaled.items()}
        )


def sum_of(parts: Iterable[Spending]) -> Spending:
    """The sum of several spendings; zero for none."""
    return reduce(Spending.plus, parts, Spending())


class ServerFeatures(FrozenModel):
    """What one server can do with one model, as found by asking it.

    output_modes: the ways to a structured reply that work, best first; rejected: parts of a request that it does not
    take; limit_parameter: what it calls the length of the longest reply ("" if it takes none); notes: by output mode,
    why it does not work.
    """

    server: str
    model: str
    output_modes: tuple[OutputMode, ...]
    rejected: tuple[str, ...] = ()
    limit_parameter: str = "max_completion_tokens"
    notes: Mapping[str, str] = {}
    probed_at: datetime | None = None

    def without(self, part: str) -> ServerFeatures:
        """The same, with one more part of a request that is not sent."""
        return self.model_copy(update={"rejected": (*self.rejected, part)})

    def without_output_mode(self, mode: OutputMode, note: str) -> ServerFeatures:
        """The same, one output mode fewer; text always stays."""
        modes = tuple(output_mode for output_mode in self.output_modes if output_mode != mode) or ("text",)
        return self.model_copy(update={"output_modes": modes, "notes": {**self.notes, mode: note}})


class CallLog(Protocol):
    """Where calls and the features of servers are stored (`core.store.calls.CallRepository`)."""

    def add(self, call: Call) -> int:
        """Store a call; returns its id."""
        ...

    def usable(self, key: str) -> Call | None:
        """The newest call with this key whose reply could be used."""
        ...

    def server_features(self, server: str, model: str) -> ServerFeatures | None:
        """What is known of a server and model."""
        ...

    def save_server_features(self, features: ServerFeatures) -> None:
        """Store what a server can do with a model."""
        ...
