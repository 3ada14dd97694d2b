"""The engine of a visitor's session (chosen on the Models page, else by the owner's settings), and its name in words.

The choice and its key are stored in the session only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import streamlit as st
from pydantic import SecretStr

from core.base.errors import BadInput
from core.base.external_bots import ExternalBot, PythonBot
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.servers import Server
from core.base.settings import Effort, Settings, settings
from core.base.types import Bot, Role
from core.base.visitor_powers import check_destination, require
from core.llm.embedded import EmbeddedEngine
from core.llm.prices import Prices, read_prices
from core.llm.roles import ROLES
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import t

if TYPE_CHECKING:
    from core.llm.openai_engine import OpenAIEngine

EngineKind = Literal["embedded", "server", "own"]
ModelPart = Role | Literal[""]  # "": all roles

_CHOICE = "engine_choice"
_BUILT = "engine_made"  # (what it was built from, the visitor's engine)


class Choice(FrozenModel):
    """The engine that a visitor chose; what is not set here comes from the owner's settings."""

    kind: EngineKind  # embedded: no model; server: the owner's server and models; own: the fields below
    base_url: str = ""
    key: SecretStr = SecretStr("")
    models: Mapping[Role, str] = {}
    temperatures: Mapping[ModelPart, float] = {}  # of a role, or "" for all roles
    efforts: Mapping[ModelPart, Effort] = {}  # of a role, or "" for all roles

    def over(self, owners: Settings) -> Settings:
        """The owner's settings with the visitor's temperatures and efforts in place of the owner's."""
        values: dict[str, object] = {}
        for role in ROLES:
            values[f"{role}_temperature"] = self.temperatures.get(role, self.temperatures.get(""))
            values[f"{role}_effort"] = self.efforts.get(role, self.efforts.get("")) or None
        return owners.model_copy(update={name: value for name, value in values.items() if value is not None})


def choice() -> Choice:
    """What the visitor chose, else what the owner's settings say."""
    stored = st.session_state.get(_CHOICE)
    if isinstance(stored, Choice):
        return stored
    return Choice(kind="server" if settings().engine == "openai" else "embedded")


def choose_engine_of_session(chosen: Choice | None) -> None:
    """Store the visitor's choice for the rest of the session; None: the owner's settings decide."""
    st.session_state.pop(_CHOICE, None)
    if chosen:
        st.session_state[_CHOICE] = chosen


def uses_model() -> bool:
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
    """The different models of some roles in this session, in the order of the roles; [] if settings are broken."""
    try:
        names = model_names()
    except BadInput:  # reported by the pages that need the settings
        return []
    return list(dict.fromkeys(names[role] for role in roles if names.get(role)))


def engine() -> Engine:
    """The engine of this session; raises BadInput if an address, a key or a model's name is missing."""
    return engine_of(choice())


def engine_of(chosen: Choice) -> Engine:
    """The engine for a choice; a visitor's own engine is built anew when the choice, settings or prices change."""
    if chosen.kind == "embedded":
        return EmbeddedEngine()
    if chosen.kind == "server":
        return services().owners_engine
    built_from = (settings(), chosen, read_prices())
    stored = st.session_state.get(_BUILT)
    if stored is None or stored[0] != built_from:
        stored = st.session_state[_BUILT] = (built_from, _own(chosen, built_from[2]))
    return stored[1]


def engine_with_model(name: str) -> Engine:
    """This session's engine with another model for the bot; raises BadInput if something is missing."""
    chosen = choice()
    if chosen.kind == "embedded" or not name.strip():
        return engine_of(chosen)
    if chosen.kind == "server":
        named = {"bot_model": name.strip(), "clarify_model": name.strip()}
        return services().engine_for(settings().model_copy(update=named))
    models = {**chosen.models, "bot": name.strip(), "clarify": name.strip()}
    return _own(chosen.model_copy(update={"models": models}), read_prices())


def server_of(chosen: Choice) -> Server:
    """The visitor's own server with its key; raises BadInput if there is none."""
    return _own(chosen).roles["bot"].server


def _own(chosen: Choice, prices: Prices | None = None) -> OpenAIEngine:
    from core.llm.engine_choice import OwnServer, session_engine  # imports the client

    if chosen.base_url.strip() and chosen.base_url.strip().rstrip("/") != settings().base_url.rstrip("/"):
        require("addresses")
        check_destination(chosen.base_url)
    own = OwnServer(chosen.base_url, chosen.key, chosen.models)
    return session_engine(chosen.over(settings()), services().store.calls, own, prices)


def forget_engines() -> None:
    """Build the engines anew when they are needed next (an engine remembers what its server can do)."""
    st.session_state.pop(_BUILT, None)
    services().forget_engine()


def answering_engine(
    embedded: str = "common.no_model", model: str = "common.model", roles: Sequence[Role] = ROLES
) -> str:
    """This session's engine in words: no language model, or the models of these roles."""
    if not uses_model():
        return t(embedded)
    names = models_text(distinct_models(roles))
    if not names:
        return t("common.model_unnamed")
    return t(model, model=t("common.model_own", model=names) if choice().kind == "own" else names)


def models_text(names: Iterable[str]) -> str:
    """The different models among the names."""
    return t("common.comma").join(plain(name, links=False) for name in dict.fromkeys(names))


def answering_external_bot(bot: Bot) -> str:
    """Where an external bot answers, in words; "" for a bot of Kiku."""
    return t("external_bot.speaks", place=place_of(bot.external)) if bot.external else ""


def place_of(external: ExternalBot) -> str:
    """Where an external bot is: its host, or its Python function."""
    where = external.callable if isinstance(external, PythonBot) else urlsplit(external.url).netloc
    return plain(where, links=False)
