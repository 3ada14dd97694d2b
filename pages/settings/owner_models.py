"""What the owner sets for everybody's models: engine, model, temperature and effort of each role, the call log."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.base.servers import Server
from core.base.settings import Settings
from core.llm.roles import ROLES
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.widgets import choose_switch
from pages.i18n.translate import t
from pages.settings.owner_settings import fixed_settings, save, show_fixed
from pages.settings.role_fields import role_fields

PARTS = ("", *(f"{role}_" for role in ROLES))  # "": what holds for all roles
PARAMETERS = ("model", "temperature", "effort")
NAMES = ("engine", "cache", "call_log_days", *(f"{part}{name}" for part in PARTS for name in PARAMETERS))


def show_owner_models(now: Settings) -> None:
    """The form; what environment, `.env` or secrets decide is shown and cannot be changed."""
    locked = fixed_settings(NAMES)
    show_fixed(locked)
    with st.form("owner-models"):
        values: dict[str, Any] = {"engine": _engine_field(now, locked)}
        for part in PARTS:
            fixed = {name for name in PARAMETERS if f"{part}{name}" in locked}
            of_role = {name: getattr(now, f"{part}{name}") for name in PARAMETERS}
            typed = role_fields(part.rstrip("_"), of_role, lambda name, part=part: f"owner-{part}{name}", fixed)
            values |= {f"{part}{name}": value for name, value in typed.items()}
        st.caption(t("models.usual_lead"))
        values |= _call_log_fields(now, locked)
        pressed = st.form_submit_button(t("common.save"), type="primary", icon=":material/save:")
    if pressed:
        with show_errors():
            changed = {name: value for name, value in values.items() if value != getattr(now, name)}
            _save(now, {name: value for name, value in changed.items() if name not in locked})


def _engine_field(now: Settings, locked: set[str]) -> str:
    names = {name: t(f"models.engine_{name}") for name in ("embedded", "openai")}
    options = {"disabled": "engine" in locked, "help": t("models.engine_help")}
    chosen = choose_switch(t("settings.engine"), names, now.engine, key="owner-engine", **options)
    has_key = bool(now.openai_api_key.get_secret_value().strip())
    key = t("models.server_key" if has_key else "models.server_no_key")
    st.caption(t("models.server", server=plain(_server_name(now), links=False), has=key))
    return chosen


def _server_name(now: Settings) -> str:
    """The server's address without user and password; as it is written if it is none."""
    try:
        return Server(base_url=now.base_url).name
    except ValueError:
        return "?"


def _call_log_fields(now: Settings, locked: set[str]) -> dict[str, Any]:
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    label, text, is_fixed = t("models.call_log_days"), t("models.call_log_days_help"), "call_log_days" in locked
    before = float(now.call_log_days)
    days = left.number_input(label, 0.0, 36_500.0, before, 1.0, "%g", key="owner-days", help=text, disabled=is_fixed)
    label, text, is_fixed = t("models.cache"), t("models.cache_help"), "cache" in locked
    cache = right.toggle(label, now.cache, key="owner-cache", help=text, disabled=is_fixed)
    return {"call_log_days": days, "cache": cache}


def _save(now: Settings, values: dict[str, Any]) -> None:
    """Keep the choices, unless the model server could not speak with them; raises BadInput then, and keeps nothing."""
    changed = now.model_copy(update=values)
    if changed.engine == "openai":
        services().engine_for(changed)
    save(values)
    st.toast(t("common.saved"), icon=":material/check:")
    st.rerun()
