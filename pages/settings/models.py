"""Which models speak: in this session, for everybody; what their servers can do, and what they cost."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.llm.roles import ROLES
from pages.components.appearance import heading, show_errors
from pages.components.plain_text import plain
from pages.components.services import need_store
from pages.components.session import choice, distinct_models, engine, models_text, owners_model, uses_model
from pages.i18n.translate import error_text, t
from pages.settings.owner_models import show_owner_models
from pages.settings.price_table import show_prices
from pages.settings.server_features import show_server_features
from pages.settings.session_engine import show_session_engine


def models_title() -> tuple[str, str]:
    """The page's title: who speaks now; and what keeps it from speaking, "" if nothing does."""
    if not uses_model():
        return t("models.now_embedded"), ""
    try:
        engine()
    except BadInput as error:
        return t("models.now_broken"), error_text(error)
    names = models_text(distinct_models(("bot", "clarify")))
    return t("models.now_own" if choice().kind == "own" else "models.now_server", models=names), ""


def in_use() -> list[str]:
    """The models of this session and of the owner's settings, each once."""
    return list(dict.fromkeys([*distinct_models(), *filter(None, map(owners_model, ROLES))]))


store = need_store()
now = settings()
title, problem = models_title()
heading(title, t("models.lead"))
if problem:
    st.error(plain(problem), icon=":material/error:")
session_tab, everybody, servers, prices = st.tabs(
    [t(f"models.tab_{name}") for name in ("session", "everybody", "servers", "prices")]
)
with session_tab, show_errors():
    show_session_engine()
with everybody, show_errors():
    show_owner_models(now)
with servers, show_errors():
    show_server_features(store)
with prices, show_errors():
    show_prices(in_use())
