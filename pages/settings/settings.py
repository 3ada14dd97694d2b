"""What the owner can set from a page, and what this server runs on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.addresses import display_address
from core.base.errors import BadInput
from core.base.settings import ROOT, Settings, environment, settings
from core.retrieval.embedders import SentenceEmbedder
from pages.components.appearance import heading, show_errors
from pages.components.editing import edit_broken_file
from pages.components.links import page_link
from pages.components.plain_text import plain
from pages.components.widgets import choose_switch
from pages.i18n.translate import t
from pages.settings.owner_settings import fixed_settings, save, show_fixed

NAMES = ("language", "pass_mark", "alert_mark", "concurrency", "embedding_model")


def setting_fields(now: Settings, locked: set[str]) -> dict[str, Any]:
    names = {code: t(f"settings.language_{code or 'auto'}") for code in ("", "ja", "en")}
    is_fixed = "language" in locked
    language = choose_switch(t("settings.language"), names, now.language, key="settings-language", disabled=is_fixed)
    values: dict[str, Any] = {"language": language}
    left, middle, right = st.columns(3)
    for place, name, key in (left, "pass_mark", "settings-line"), (middle, "alert_mark", "settings-alert"):
        label, text, percent = t(f"settings.{name}"), t(f"settings.{name}_help"), round(getattr(now, name) * 100)
        mark = place.number_input(label, 0, 100, percent, key=key, help=text, disabled=name in locked)
        values[name] = mark / 100
    label, is_fixed = t("settings.concurrency"), "concurrency" in locked
    values["concurrency"] = right.number_input(
        label, 1, 256, now.concurrency, key="settings-workers", disabled=is_fixed
    )
    model = st.text_input(
        t("settings.embedding"),
        now.embedding_model,
        key="settings-model",
        help=t("settings.embedding_help"),
        placeholder=t("settings.embedding_bundled"),
        disabled="embedding_model" in locked,
    )
    return {**values, "embedding_model": model.strip()}


def show_form(now: Settings, locked: set[str]) -> None:
    """The choices; those that the environment fixes are shown and cannot be changed."""
    with st.form("settings"):
        st.subheader(t("settings.general"), anchor=False)
        values = setting_fields(now, locked)
        if not st.form_submit_button(t("common.save"), type="primary", icon=":material/save:"):
            return
    with show_errors():
        model = str(values["embedding_model"])
        changes_model = model != now.embedding_model
        if model and changes_model:
            with st.spinner(t("settings.checking")):
                SentenceEmbedder(model).load()
        save({name: value for name, value in values.items() if name not in locked})
        st.success(t("common.saved"), icon=":material/check:")
        if changes_model:
            st.info(t("settings.restart"), icon=":material/restart_alt:")


def show_machine(now: Settings) -> None:
    st.subheader(t("settings.machine"), anchor=False)
    with st.container(border=True):
        with_model, database = now.engine == "openai", now.database_url.get_secret_value()
        engine = t("settings.engine_openai", model=plain(now.model)) if with_model else t("settings.engine_embedded")
        _draw_fact("settings.engine", engine)
        page_link("settings/models", t("settings.to_models"), "neurology")
        model = plain(now.embedding_model) or t("settings.embedding_bundled")
        _draw_fact("settings.search", t("settings.search_methods", model=model))
        _draw_fact("settings.data", plain(now.data_dir))
        show_data_folder(now)
        _draw_fact("servers.database", plain(display_address(database)) if database else t("servers.file"))
        _draw_fact("servers.chroma", plain(now.chroma_url, links=False) or t("servers.folder"))


def _draw_fact(key: str, value: str) -> None:
    st.markdown(f"**{t(key)}**  \n{value}")


def show_data_folder(now: Settings) -> None:
    """Whether the data folder can be written, and how much room is left."""
    existing = now.data_dir if now.data_dir.exists() else now.data_dir.parent
    if os.access(existing, os.W_OK):
        free = shutil.disk_usage(existing).free / 1e9
        st.badge(t("settings.data_ok", free=f"{free:,.0f}"), icon=":material/check:", color="green")
    else:
        st.badge(t("settings.data_bad", folder=plain(now.data_dir)), icon=":material/priority_high:", color="orange")


def settings_file() -> Path:
    """Where the settings page keeps its choices, found without them."""
    values = {name.upper(): value for name, value in environment().items()}
    return Path(values.get("KIKU_DATA_DIR") or ROOT / "data").expanduser() / "settings.toml"


def read_again() -> Settings:
    settings.cache_clear()
    return settings()


try:
    current = settings()
except BadInput as error:
    heading(t("settings.broken_title"))
    edit_broken_file(error, settings_file(), read_again)
else:
    locked = fixed_settings(NAMES)
    heading(t("menu.settings"), t("settings.lead", file=plain(current.page_file.name)))
    show_fixed(locked)
    show_form(current, locked)
    show_machine(current)
