"""Which engine a visitor chose for the session; it is stored in the session only, with the key, and gone with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import streamlit as st
from pydantic import SecretStr

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.settings import Effort, Settings, settings
from core.base.types import Role
from core.llm.roles import ROLES

Kind = Literal["embedded", "server", "own"]
Part = Role | Literal[""]  # "": what holds for all roles

_PLACE = "engine_choice"


class Choice(FrozenModel):
    """embedded: no model; server: the owner's server and models; own: the visitor's address, key and models.

    temperatures, efforts: of a role, or "" for all of them; if neither says anything, as the owner's settings do.
    """

    kind: Kind
    base_url: str = ""
    key: SecretStr = SecretStr("")
    models: Mapping[Role, str] = {}
    temperatures: Mapping[Part, float] = {}
    efforts: Mapping[Part, Effort] = {}

    def over(self, owners: Settings) -> Settings:
        """The owner's settings with the visitor's temperatures and efforts, which come before all of the owner's."""
        given_values: dict[str, object] = {}
        for role in ROLES:
            given_values[f"{role}_temperature"] = self.temperatures.get(role, self.temperatures.get(""))
            given_values[f"{role}_effort"] = self.efforts.get(role, self.efforts.get("")) or None
        return owners.model_copy(update={name: value for name, value in given_values.items() if value is not None})


def choice() -> Choice:
    """What the visitor chose, else what the owner's settings say."""
    made = st.session_state.get(_PLACE)
    if isinstance(made, Choice):
        return made
    return Choice(kind="server" if settings().engine == "openai" else "embedded")


def choose_engine_of_session(chosen: Choice | None) -> None:
    """Keep the visitor's choice for as long as his session lasts; none: as the owner's settings say."""
    st.session_state.pop(_PLACE, None)
    if chosen:
        st.session_state[_PLACE] = chosen


def uses_model() -> bool:
    """Whether a language model speaks in this session."""
    return choice().kind != "embedded"


def model_names() -> dict[Role, str]:
    """The model of each role in this session ("" if none is named); empty on the embedded engine."""
    chosen = choice()
    if chosen.kind == "embedded":
        return {}
    return {role: chosen.models.get(role) or owners_model(role) for role in ROLES}


def owners_model(role: Role) -> str:
    """The model that the owner's settings name for a role, "" if they name none."""
    now = settings()
    return str(getattr(now, f"{role}_model")).strip() or now.model.strip()


def distinct_models(roles: Sequence[Role] = ROLES) -> list[str]:
    """The different models of some roles in this session, in the order of the roles; none if settings are broken."""
    try:
        names = model_names()
    except BadInput:  # told by the pages that need the settings
        return []
    return list(dict.fromkeys(names[role] for role in roles if names.get(role)))
