"""What the owner can set from a page, and what this server runs on."""

from __future__ import annotations

import os
import shutil
from typing import Any

import streamlit as st
import tomlkit
from dotenv import dotenv_values

from core.base.files import write_text
from core.base.settings import Settings, settings
from pages.shared.draw import heading, plain, told
from pages.shared.words import say

NAMES = ("language", "finish_line", "concurrency", "embedding_model")


def fixed() -> set[str]:
    """The settings that the environment or `.env` decides, which win over this page."""
    given = {name.upper() for name in (*os.environ, *dotenv_values(".env"))}
    return {name for name in NAMES if f"KIKU_{name.upper()}" in given}


def save(values: dict[str, Any]) -> None:
    """Keep the choices in the data folder; comments and other keys of the file stay."""
    file = settings().page_file
    document: Any = tomlkit.parse(file.read_text("utf-8")) if file.is_file() else tomlkit.document()
    document.update(values)
    write_text(file, tomlkit.dumps(document))
    settings.cache_clear()


def form(now: Settings, locked: set[str]) -> None:
    """The choices; those that the environment fixes are shown and cannot be changed."""
    with st.form("settings"):
        st.subheader(say("settings.general"), anchor=False)
        language = st.segmented_control(
            say("settings.language"),
            ["", "ja", "en"],
            default=now.language,
            format_func=lambda code: say(f"settings.language_{code or 'auto'}"),
            required=True,
            disabled="language" in locked,
        )
        left, right = st.columns(2)
        line = left.number_input(
            say("settings.finish_line"),
            0,
            100,
            round(now.finish_line * 100),
            help=say("settings.finish_line_help"),
            disabled="finish_line" in locked,
        )
        workers = right.number_input(
            say("settings.concurrency"), 1, 256, now.concurrency, disabled="concurrency" in locked
        )
        model = st.text_input(
            say("settings.embedding"),
            now.embedding_model,
            help=say("settings.embedding_help"),
            placeholder=say("settings.embedding_bundled"),
            disabled="embedding_model" in locked,
        )
        if not st.form_submit_button(say("common.save"), type="primary", icon=":material/save:"):
            return
    values = {
        "language": language or "",
        "finish_line": line / 100,
        "concurrency": workers,
        "embedding_model": model.strip(),
    }
    with told():
        save({name: value for name, value in values.items() if name not in locked})
        st.success(say("common.saved"), icon=":material/check:")


def machine(now: Settings) -> None:
    """What this server runs on."""
    st.subheader(say("settings.machine"), anchor=False)
    with st.container(border=True):
        st.markdown(f"**{say('settings.engine')}**  \n{say(f'settings.engine_{now.engine}')}")
        st.caption(say("settings.engine_help"))
        model = plain(now.embedding_model) if now.embedding_model else say("settings.embedding_bundled")
        st.markdown(f"**{say('settings.embedding')}**  \n{model}")
        st.markdown(f"**{say('settings.data')}**  \n{plain(now.data_dir)}")
        folder(now)


def folder(now: Settings) -> None:
    """Whether the data folder can be written, and how much room is left."""
    there = now.data_dir if now.data_dir.exists() else now.data_dir.parent
    if os.access(there, os.W_OK):
        free = shutil.disk_usage(there).free / 1e9
        st.badge(say("settings.data_ok", free=f"{free:,.0f}"), icon=":material/check:", color="green")
    else:
        st.badge(say("settings.data_bad"), icon=":material/priority_high:", color="orange")


now, locked = settings(), fixed()
heading(say("settings.title"), say("settings.lead", file=plain(now.page_file.name)))
if locked:
    names = ", ".join(f"KIKU_{name.upper()}" for name in sorted(locked))
    st.info(say("settings.from_environment", names=plain(names)), icon=":material/lock:")
form(now, locked)
machine(now)
