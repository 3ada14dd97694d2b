"""Which model answers for which role, and on which server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, get_args, runtime_checkable

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.servers import Server
from core.base.settings import Effort
from core.base.types import Role
from core.llm.prices import Prices

ROLES: tuple[Role, ...] = get_args(Role)


class ModelRole(FrozenModel):
    server: Server
    model: str = Field(min_length=1)
    temperature: float | None = None  # None: not sent
    effort: Effort = ""  # "": not sent
    max_tokens: int = 4096


Roles = Mapping[Role, ModelRole]


@runtime_checkable
class ModelEngine(Protocol):
    """The public interface of an engine that calls models, so that callers need not import it."""

    roles: Roles

    @property
    def models(self) -> dict[str, str]:
        """The model of each role."""
        ...

    @property
    def prices(self) -> Prices:
        """The prices of tokens."""
        ...
