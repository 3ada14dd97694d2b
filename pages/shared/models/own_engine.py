"""Which engine speaks in this session: the controls, and the form for a server and key of one's own."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.llm.roles import ROLES, ModelEngine
from pages.shared.draw import plain, told
from pages.shared.models.choice import Choice, Kind, choice, choose_engine_of_session
from pages.shared.models.listing import listed
from pages.shared.models.own_fields import FIELDS, fields, missing, typed
from pages.shared.models.probing import probe
from pages.shared.services import house
from pages.shared.session import engine_of, forget_engines, server_of
from pages.shared.words import say, sentence

ICONS = {"embedded": ":material/inventory_2:", "server": ":material/dns:", "own": ":material/key:"}


def session_part() -> None:
    """Choose who speaks; a server and key of one's own; try whether it answers."""
    now, offered = choice(), kinds()
    picked: Kind = st.radio(
        say("models.who"),
        offered,
        index=offered.index(now.kind),
        format_func=lambda kind: f"{ICONS[kind]} {say(f'models.kind_{kind}')}",
        captions=[caption(kind) for kind in offered],
        key="models-kind",
        on_change=_pick,
    )
    if picked == "own":
        own_form(now if now.kind == "own" else Choice(kind="own"))
    if picked == now.kind != "embedded":
        with told():
            connection(now)


def kinds() -> list[Kind]:
    """What can be chosen: the owner's server only where it has an address, a key and models, or speaks already."""
    with_server = choice().kind == "server" or settings().engine == "openai" or owners() is not None
    return ["embedded", "server", "own"] if with_server else ["embedded", "own"]


def owners() -> ModelEngine | None:
    """The engine on the owner's server, none where it cannot be used."""
    try:
        found = house().owners_engine
    except BadInput:
        return None
    return found if isinstance(found, ModelEngine) else None


def caption(kind: Kind) -> str:
    """What a kind of engine is, in a few words."""
    if kind != "server":
        return say(f"models.kind_{kind}_lead")
    found = owners()
    return where(found) if found else say("models.kind_server_broken")


def where(found: ModelEngine) -> str:
    """The models of an engine and its server, never a key."""
    names = say("common.comma").join(plain(name, links=False) for name in dict.fromkeys(found.models.values()))
    server = next(iter(found.roles.values())).server.name
    return say("models.at_server", models=names, server=plain(server, links=False))


def _pick() -> None:
    """Choose at once what needs no form; the visitor's key goes when he chooses something else."""
    kind: Kind = st.session_state["models-kind"]
    if kind != "own":
        usual = "server" if settings().engine == "openai" else "embedded"
        forget(None if kind == usual else Choice(kind=kind))


def forget(chosen: Choice | None = None) -> None:
    """Choose something that has no key, and drop the key with the engine that held it."""
    choose_engine_of_session(chosen)
    forget_engines()
    for name in ("own-key", "own-problem", "own-listed"):
        st.session_state.pop(name, None)


def own_form(mine: Choice) -> None:
    """Address, key and models of the visitor; nothing typed here is stored or shown again."""
    with st.form("own-engine"):
        fields(mine)
        st.caption(f":material/lock: {say('models.key_lead')}")
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button(say("models.use"), type="primary", icon=":material/check:", on_click=_use)
            st.form_submit_button(say("models.list"), icon=":material/list:", on_click=_list)
    if problem := st.session_state.pop("own-problem", ""):
        st.error(plain(problem, links=False), icon=":material/error:")
    _suggestions()
    if mine.models:
        _in_use(mine)


def _suggestions() -> None:
    """The models that the server named, each one click away from the field."""
    names: list[str] | None = st.session_state.get("own-listed")
    if names:
        st.pills(
            say("models.listed"),
            names,
            format_func=lambda name: plain(name, links=False),
            key="own-listed-pick",
            on_change=_take,
        )
    elif names is not None:
        st.caption(f":material/info: {say('models.none_listed')}")


def _take() -> None:
    if name := st.session_state["own-listed-pick"]:
        st.session_state["own-model"] = name


def _in_use(mine: Choice) -> None:
    has_key = bool(mine.key.get_secret_value())
    names = say("common.comma").join(plain(name, links=False) for name in dict.fromkeys(mine.models.values()))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f":material/check: {say('models.in_use', models=names)}", width="content")
        label = say("models.forget_key" if has_key else "models.forget")
        st.button(label, key="own-forget", icon=":material/delete:", type="tertiary", on_click=_forget)


def _forget() -> None:
    st.session_state.pop("models-kind", None)
    for name in FIELDS:
        st.session_state.pop(name, None)
    forget()


def _use() -> None:
    """Take what was typed, where it can be used; the key leaves its field."""
    chosen = typed()
    try:
        problem = missing(chosen)
        if not problem:
            engine_of(chosen)
    except BadInput as error:
        problem = sentence(error)
    st.session_state["own-problem"] = problem
    if not problem:
        choose_engine_of_session(chosen)
        st.session_state["own-key"] = ""
        st.session_state.pop("own-listed", None)


def _list() -> None:
    """Ask the server for the names of its models."""
    chosen = typed()
    unnamed = chosen.model_copy(update={"models": dict.fromkeys(ROLES, "-")})
    for name in ("own-listed", "own-listed-pick"):
        st.session_state.pop(name, None)
    try:
        problem = missing(unnamed)
        if not problem:
            st.session_state["own-listed"] = listed(server_of(unnamed))
    except BadInput as error:
        problem = sentence(error)
    st.session_state["own-problem"] = problem


def connection(now: Choice) -> None:
    """Try each model of the engine in use, and tell how that went."""
    if not st.button(say("models.test"), icon=":material/network_check:", key="test-connection"):
        return
    with st.spinner(say("models.testing")):
        results = probe(engine_of(now), house().store)
        forget_engines()  # those in memory do not know it yet
    for name, found in results.items():
        model = plain(name, links=False)
        if isinstance(found, BadInput):
            st.error(f"**{model}** {plain(sentence(found))}", icon=":material/error:")
        elif found is None:
            st.error(say("models.slow", model=model), icon=":material/error:")
        else:
            told_well = say("models.works", model=model, rung=say(f"models.rung_{found.rungs[0]}"))
            st.success(told_well, icon=":material/check:")
