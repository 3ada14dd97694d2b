"""The engine of a visitor's session: the one he set up on the models page, else the one the owner's settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.base.prompt import Engine
from core.base.servers import Server
from core.base.settings import settings
from core.base.visitor_powers import check_destination, require
from core.llm.embedded import EmbeddedEngine
from core.llm.prices import Prices, read_prices
from pages.components.engine_choice import Choice, choice, model_names, uses_model
from pages.components.services import services

if TYPE_CHECKING:
    from core.llm.openai_engine import OpenAIEngine

__all__ = ["engine", "engine_of", "engine_with_model", "forget_engines", "model_names", "server_of", "uses_model"]
_MADE = "engine_made"  # the visitor's engine, with what it was made of


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
    known = st.session_state.get(_MADE)
    if known is None or known[0] != made_of:
        known = st.session_state[_MADE] = (made_of, _own(chosen, made_of[2]))
    return known[1]


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
    from core.llm.engine_choice import session_engine  # brings the client: only if it is wanted

    if chosen.base_url.strip() and chosen.base_url.strip().rstrip("/") != settings().base_url.rstrip("/"):
        require("addresses")
        check_destination(chosen.base_url)
    return session_engine(
        chosen.over(settings()), services().store.calls, chosen.base_url, chosen.key, chosen.models, prices
    )


def forget_engines() -> None:
    """Make the engines again when they are wanted next (they keep what they know of a server in memory)."""
    st.session_state.pop(_MADE, None)
    services().forget_engine()
