"""The engine of a visitor's session: the one chosen on the models page, else the one the owner's settings name.

The choice is stored in the session only, with the key, and gone with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st
from pydantic import SecretStr

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.servers import Server
from core.base.settings import Effort, Settings, settings
from core.base.types import Role
from core.base.visitor_powers import check_destination, require
from core.llm.embedded import EmbeddedEngine
from core.llm.prices import Prices, read_prices
from core.llm.roles import ROLES
from pages.components.services import services

if TYPE_CHECKING:
    from core.llm.openai_engine import OpenAIEngine

EngineKind = Literal["embedded", "server", "own"]
ModelPart = Role | Literal[""]  # "": what holds for all roles

_CHOICE = "engine_choice"
_MADE = "engine_made"  # the visitor's engine, with what it was made of


class Choice(FrozenModel):
    """embedded: no model; server: the owner's server and models; own: the visitor's address, key and models.

    temperatures, efforts: of a role, or "" for all of them; if neither says anything, as the owner's settings do.
    """

    kind: EngineKind
    base_url: str = ""
    key: SecretStr = SecretStr("")
    models: Mapping[Role, str] = {}
    temperatures: Mapping[ModelPart, float] = {}
    efforts: Mapping[ModelPart, Effort] = {}

    def over(self, owners: Settings) -> Settings:
        """The owner's settings with the visitor's temperatures and efforts, which come before all of the owner's."""
        given_values: dict[str, object] = {}
        for role in ROLES:
            given_values[f"{role}_temperature"] = self.temperatures.get(role, self.temperatures.get(""))
            given_values[f"{role}_effort"] = self.efforts.get(role, self.efforts.get("")) or None
        return owners.model_copy(update={name: value for name, value in given_values.items() if value is not None})


def choice() -> Choice:
    """What the visitor chose, else what the owner's settings say."""
    made = st.session_state.get(_CHOICE)
    if isinstance(made, Choice):
        return made
    return Choice(kind="server" if settings().engine == "openai" else "embedded")


def choose_engine_of_session(chosen: Choice | None) -> None:
    """Store the visitor's choice for the rest of the session; none: as the owner's settings say."""
    st.session_state.pop(_CHOICE, None)
    if chosen:
        st.session_state[_CHOICE] = chosen


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
    except BadInput:  # reported by the pages that need the settings
        return []
    return list(dict.fromkeys(names[role] for role in roles if names.get(role)))


def engine() -> Engine:
    """What answers prompts in this session; raises BadInput if an address, a key or a model's name is missing."""
    return engine_of(choice())


def engine_of(chosen: Choice) -> Engine:
    """The engine for a choice; a visitor's own is made once, and again when anything it was made of has changed."""
    if chosen.kind == "embedded":
        return EmbeddedEngine()
    if chosen.kind == "server":
        return services().owners_engine
    made_of = (settings(), chosen, read_prices())
    stored = st.session_state.get(_MADE)
    if stored is None or stored[0] != made_of:
        stored = st.session_state[_MADE] = (made_of, _own(chosen, made_of[2]))
    return stored[1]


def engine_with_model(name: str) -> Engine:
    """This session's engine, another model speaking for the bot; raises BadInput if something is missing."""
    chosen = choice()
    if chosen.kind == "embedded" or not name.strip():
        return engine_of(chosen)
    if chosen.kind == "server":
        named = {"bot_model": name.strip(), "clarify_model": name.strip()}
        return services().engine_for(settings().model_copy(update=named))
    models = {**chosen.models, "bot": name.strip(), "clarify": name.strip()}
    return _own(chosen.model_copy(update={"models": models}), read_prices())


def server_of(chosen: Choice) -> Server:
    """The server of a choice of one's own, with the key that may go there; raises BadInput if there is none."""
    return _own(chosen).roles["bot"].server


def _own(chosen: Choice, prices: Prices | None = None) -> OpenAIEngine:
    from core.llm.engine_choice import OwnServer, session_engine  # brings the client: only if it is wanted

    if chosen.base_url.strip() and chosen.base_url.strip().rstrip("/") != settings().base_url.rstrip("/"):
        require("addresses")
        check_destination(chosen.base_url)
    own = OwnServer(chosen.base_url, chosen.key, chosen.models)
    return session_engine(chosen.over(settings()), services().store.calls, own, prices)


def forget_engines() -> None:
    """Make the engines again when they are wanted next (they keep what they know of a server in memory)."""
    st.session_state.pop(_MADE, None)
    services().forget_engine()
