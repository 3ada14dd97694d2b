"""Records of calls to models, and of what a server supports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Literal, Protocol, get_args

from core.base.frozen_model import FrozenModel
from core.base.types import Role

OutputMode = Literal["schema", "tools", "json", "text"]
OUTPUT_MODES: tuple[OutputMode, ...] = get_args(OutputMode)


class Call(FrozenModel):
    """One call to a model: the request, the reply and what it cost."""

    id: int = 0
    created_at: datetime
    run_id: str = ""
    conversation_id: str = ""
    purpose: str  # class of the prompt
    role: Role
    server: str  # base URL without secrets
    model: str
    output_mode: OutputMode
    key: str  # by which the cache finds the call
    repeat: int = 1
    prompt_tokens: int | None = None  # None if the server does not count them; the same for the next two
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None  # None if the model has no price
    seconds: float = 0.0  # with the waits between `retries`
    retries: int = 0
    error: str = ""  # why the reply could not be used ("" if it could)
    request: str  # JSON
    reply: str = ""  # JSON


class Spending(FrozenModel):
    """The sums of several calls."""

    calls: int = 0
    failed: int = 0  # calls without a usable reply
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0  # calls without a price, missing from `cost`
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def known_cost(self) -> float | None:
        """The cost without the calls that have no price; None if no call with a cost has one."""
        return None if self.unpriced and not self.cost else self.cost

    def plus(self, other: Spending) -> Spending:
        """The sum of two spendings."""
        return Spending(**{name: getattr(self, name) + getattr(other, name) for name in Spending.model_fields})

    def times(self, factor: float) -> Spending:
        """The spending times a factor, whole numbers rounded."""
        scaled = {name: getattr(self, name) * factor for name in Spending.model_fields}
        return Spending(
            **{name: value if name in ("cost", "seconds") else round(value) for name, value in scaled.items()}
        )


def sum_of(parts: Iterable[Spending]) -> Spending:
    """The sum of several spendings; zero for none."""
    return reduce(Spending.plus, parts, Spending())


class ServerFeatures(FrozenModel):
    """What one server supports for one model, as found by asking it."""

    server: str
    model: str
    output_modes: tuple[OutputMode, ...]  # those that work, best first
    rejected: tuple[str, ...] = ()  # parts of a request that the server does not accept
    # the server's name for the longest reply's length ("": it accepts none)
    limit_parameter: str = "max_completion_tokens"
    notes: Mapping[str, str] = {}  # by output mode, why it does not work
    probed_at: datetime | None = None

    def without(self, part: str) -> ServerFeatures:
        """A copy with one more part of a request that is not sent."""
        return self.model_copy(update={"rejected": (*self.rejected, part)})

    def without_output_mode(self, mode: OutputMode, note: str) -> ServerFeatures:
        """A copy without an output mode; text always stays."""
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
        """What is stored of a server and model."""
        ...

    def save_server_features(self, features: ServerFeatures) -> None:
        """Store what a server supports for a model."""
        ...
