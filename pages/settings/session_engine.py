"""Which engine speaks in this session: the controls, and the form for a server and key of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from pydantic import SecretStr

from core.base.errors import BadInput
from core.base.settings import settings
from core.llm.model_servers import list_models, probe
from core.llm.roles import ROLES, ModelEngine
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import (
    Choice,
    EngineKind,
    ModelPart,
    choice,
    choose_engine_of_session,
    engine_of,
    forget_engines,
    models_text,
    server_of,
)
from pages.components.widgets import action_button
from pages.i18n.translate import error_text, t
from pages.settings.role_fields import role_fields

PARTS: tuple[ModelPart, ...] = ("", *ROLES)  # "": what holds for all roles
MAX_CHARACTERS = 1_000  # of an address or a key


def field(name: str, part: ModelPart = "") -> str:
    return f"own-{name}-{part}" if part else f"own-{name}"


FIELDS = ("own-address", *(field(name, part) for name in ("model", "temperature", "effort") for part in PARTS))


def show_fields(choice: Choice) -> None:
    """All of them, with what was chosen before; a key is never shown again."""
    left, right = st.columns(2)
    label, text, example = t("models.address"), t("models.address_help"), "http://127.0.0.1:11434/v1"
    left.text_input(label, choice.base_url, MAX_CHARACTERS, key="own-address", placeholder=example, help=text)
    right.text_input(
        t("models.key"),
        max_chars=MAX_CHARACTERS,
        key="own-key",
        type="password",
        autocomplete="off",
        placeholder=t("models.key_there" if choice.key.get_secret_value() else "models.key_none"),
        help=t("models.key_help"),
    )
    _role_fields(choice, "", choice.models.get("bot", ""))
    with st.expander(t("models.by_role"), icon=":material/tune:", type="compact"):
        st.caption(t("models.by_role_lead"))
        for role in ROLES:
            named = choice.models.get(role, "")
            _role_fields(choice, role, "" if named == choice.models.get("bot") else named)


def _role_fields(choice: Choice, part: ModelPart, model: str) -> None:
    values = {"model": model, "temperature": choice.temperatures.get(part), "effort": choice.efforts.get(part, "")}
    role_fields(part, values, lambda name: field(name, part))


def choice_of_form() -> Choice:
    """The values of the form; a key entered before belongs to the address it was for."""
    key, address, before = str(st.session_state["own-key"]).strip(), st.session_state["own-address"].strip(), choice()
    is_same_server = before.kind == "own" and before.base_url == address
    general = str(st.session_state["own-model"]).strip()
    return Choice(
        kind="own",
        base_url=address,
        key=SecretStr(key) if key or not is_same_server else before.key,
        models={role: str(st.session_state.get(field("model", role), "")).strip() or general for role in ROLES},
        temperatures=_filled("temperature"),
        efforts=_filled("effort"),
    )


def _filled(name: str) -> dict[ModelPart, Any]:
    """What was given for all roles or single ones; 0 is a temperature."""
    values: dict[ModelPart, Any] = {part: st.session_state.get(field(name, part)) for part in PARTS}
    return {part: value for part, value in values.items() if value not in (None, "")}


def check_complete(chosen: Choice) -> None:
    """Raise BadInput for what was left out."""
    if not chosen.base_url and not chosen.key.get_secret_value():
        raise BadInput(t("models.nothing_given"))
    if not all(chosen.models.values()):
        raise BadInput(t("models.model_needed"))


@contextmanager
def _store_problem() -> Iterator[None]:
    """Keep a BadInput for the page that is drawn next."""
    st.session_state["own-problem"] = ""
    try:
        yield
    except BadInput as error:
        st.session_state["own-problem"] = error_text(error)


ICONS = {"embedded": ":material/inventory_2:", "server": ":material/dns:", "own": ":material/key:"}


def show_session_engine() -> None:
    """Choose who speaks; a server and key of one's own; try whether it answers."""
    now, offered = choice(), available_kinds()
    picked: EngineKind = st.radio(
        t("models.who"),
        offered,
        index=offered.index(now.kind),
        format_func=lambda kind: f"{ICONS[kind]} {t(f'models.kind_{kind}')}",
        captions=[kind_caption(kind) for kind in offered],
        key="models-kind",
        on_change=_pick,
    )
    if picked == "own":
        show_own_form(now if now.kind == "own" else Choice(kind="own"))
    if picked == now.kind != "embedded":
        with show_errors():
            show_connection_test(now)


def available_kinds() -> list[EngineKind]:
    """What can be chosen: the owner's server only if it has an address, a key and models, or speaks already."""
    with_server = choice().kind == "server" or settings().engine == "openai" or owners_engine() is not None
    return ["embedded", "server", "own"] if with_server else ["embedded", "own"]


def owners_engine() -> ModelEngine | None:
    """The engine on the owner's server, or None if it cannot be used."""
    try:
        engine = services().owners_engine
    except BadInput:
        return None
    return engine if isinstance(engine, ModelEngine) else None


def kind_caption(kind: EngineKind) -> str:
    if kind != "server":
        return t(f"models.kind_{kind}_lead")
    engine = owners_engine()
    if engine is None:
        return t("models.kind_server_broken")
    server = next(iter(engine.roles.values())).server.name  # without its key
    return t("models.at_server", models=models_text(engine.models.values()), server=plain(server, links=False))


def _pick() -> None:
    """Choose at once what needs no form; the visitor's key goes when he chooses something else."""
    kind: EngineKind = st.session_state["models-kind"]
    if kind != "own":
        usual = "server" if settings().engine == "openai" else "embedded"
        forget(None if kind == usual else Choice(kind=kind))


def forget(chosen: Choice | None = None) -> None:
    """Choose something that has no key, and drop the key with the engine that held it."""
    choose_engine_of_session(chosen)
    forget_engines()
    for name in ("own-key", "own-problem", "own-listed"):
        st.session_state.pop(name, None)


def show_own_form(choice: Choice) -> None:
    """Address, key and models of the visitor; nothing typed here is stored or shown again."""
    with st.form("own-engine"):
        show_fields(choice)
        st.caption(f":material/lock: {t('models.key_lead')}")
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button(t("models.use"), type="primary", icon=":material/check:", on_click=_use)
            st.form_submit_button(t("models.list"), icon=":material/list:", on_click=_list)
    if problem := st.session_state.pop("own-problem", ""):
        st.error(plain(problem, links=False), icon=":material/error:")
    _show_listed_models()
    if choice.models:
        _in_use(choice)


def _show_listed_models() -> None:
    """The models that the server named, each one click away from the field."""
    names: list[str] | None = st.session_state.get("own-listed")
    if names:
        st.pills(
            t("models.listed"),
            names,
            format_func=lambda name: plain(name, links=False),
            key="own-listed-pick",
            on_change=_take,
        )
    elif names is not None:
        st.caption(f":material/info: {t('models.none_listed')}")


def _take() -> None:
    if name := st.session_state["own-listed-pick"]:
        st.session_state["own-model"] = name


def _in_use(choice: Choice) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(
            f":material/check: {t('models.in_use', models=models_text(choice.models.values()))}", width="content"
        )
        label = t("models.forget_key" if choice.key.get_secret_value() else "models.forget")
        action_button(label, "delete", _forget, key="own-forget", type="tertiary")


def _forget() -> None:
    st.session_state.pop("models-kind", None)
    for name in FIELDS:
        st.session_state.pop(name, None)
    forget()


def _use() -> None:
    """Take what was typed, if it can be used; the key leaves its field."""
    chosen = choice_of_form()
    with _store_problem():
        check_complete(chosen)
        engine_of(chosen)
        choose_engine_of_session(chosen)
        st.session_state["own-key"] = ""
        st.session_state.pop("own-listed", None)


def _list() -> None:
    unnamed = choice_of_form().model_copy(update={"models": dict.fromkeys(ROLES, "-")})
    for name in ("own-listed", "own-listed-pick"):
        st.session_state.pop(name, None)
    with _store_problem():
        check_complete(unnamed)
        st.session_state["own-listed"] = list_models(server_of(unnamed))


def show_connection_test(now: Choice) -> None:
    """Try each model of the engine in use, and show how that went."""
    if not st.button(t("models.test"), icon=":material/network_check:", key="test-connection"):
        return
    with st.spinner(t("models.testing")):
        results = probe(engine_of(now), services().store.calls)
        forget_engines()  # those in memory do not know it yet
    for name, result in results.items():
        model = plain(name, links=False)
        if isinstance(result, BadInput):
            st.error(f"**{model}** {plain(error_text(result))}", icon=":material/error:")
        elif result is None:
            st.error(t("models.slow", model=model), icon=":material/error:")
        else:
            message = t("models.works", model=model, output_mode=t(f"models.output_mode_{result.output_modes[0]}"))
            st.success(message, icon=":material/check:")
