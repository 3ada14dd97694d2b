"""The base of the types that travel between the stages."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A frozen record; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
