"""Which models speak: in this session, for everybody; what their servers can do, and what they cost."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.llm.roles import ROLES
from pages.shared.draw import heading, plain, told
from pages.shared.models.abilities import abilities_part
from pages.shared.models.choice import choice, distinct_models, owners_model
from pages.shared.models.own_engine import session_part
from pages.shared.models.price_table import price_part
from pages.shared.owner_form import owner_form
from pages.shared.services import need_store
from pages.shared.session import engine, uses_model
from pages.shared.words import say, sentence


def finding() -> tuple[str, str]:
    """The page's title: who speaks now; and what keeps it from speaking, "" where nothing does."""
    if not uses_model():
        return say("models.now_embedded"), ""
    try:
        engine()
    except BadInput as error:
        return say("models.now_broken"), sentence(error)
    names = say("common.comma").join(plain(name, links=False) for name in distinct_models(("bot", "clarify")))
    return say("models.now_own" if choice().kind == "own" else "models.now_server", models=names), ""


def in_use() -> list[str]:
    """The models of this session and of the owner's settings, each once."""
    return list(dict.fromkeys([*distinct_models(), *filter(None, map(owners_model, ROLES))]))


store = need_store()
now = settings()
title, problem = finding()
heading(title, say("models.lead"))
if problem:
    st.error(plain(problem), icon=":material/error:")
mine, everybody, servers, prices = st.tabs(
    [say("models.tab_session"), say("models.tab_everybody"), say("models.tab_servers"), say("models.tab_prices")]
)
with mine, told():
    session_part()
with everybody, told():
    owner_form(now)
with servers, told():
    abilities_part(store)
with prices, told():
    price_part(in_use())
