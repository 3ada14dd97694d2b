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
    """One model with its settings; `temperature` none and `effort` "" are not sent."""

    server: Server
    model: str = Field(min_length=1)
    temperature: float | None = None
    effort: Effort = ""
    max_tokens: int = 4096


Roles = Mapping[Role, ModelRole]


@runtime_checkable
class ModelEngine(Protocol):
    """What can be asked of an engine that calls models, without importing it."""

    roles: Roles

    @property
    def models(self) -> dict[str, str]:
        """The model of each role."""
        ...

    @property
    def prices(self) -> Prices:
        """What tokens cost."""
        ...
