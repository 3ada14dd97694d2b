"""How a bot behaves: prompt, guidelines, greeting, when it asks back; kept in its bot.toml."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.base.bot_folder import load_bot, parse_bot, save_bot
from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings
from core.base.types import Bot
from pages.build.external_bot import outside_part
from pages.components.appearance import error_text, heading, show_errors
from pages.components.bot_picker import choose_bot_id
from pages.components.plain_text import plain
from pages.i18n.translate import t


def voice(bot: Bot, mark: str) -> dict[str, Any]:
    """Prompt, guidelines and greeting."""
    st.subheader(t("bot.voice"), anchor=False)
    helps = {name: t(f"bot.{name}_help") for name in ("prompt", "guidelines")}
    long = {
        name: st.text_area(t(f"bot.{name}"), getattr(bot, name), 220, 20_000, f"{name}-{mark}", help=helps[name])
        for name in helps
    }
    return {**long, "greeting": st.text_area(t("bot.greeting"), bot.greeting, 90, 2_000, f"greeting-{mark}")}


def asking(bot: Bot, mark: str) -> dict[str, Any]:
    """When the bot asks back."""
    st.subheader(t("bot.asking"), anchor=False)
    now = bot.clarify
    look = st.toggle(t("bot.look_first"), now.look_first, f"look-{mark}", help=t("bot.look_first_help"))
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    most = left.number_input(t("bot.max_questions"), 0, 10, now.max_questions, key=f"most-{mark}")
    clear = middle.number_input(t("bot.clarity_threshold"), 0, 5, now.clarity_threshold, key=f"clear-{mark}")
    low = right.number_input(t("bot.score_threshold"), 0, 5, now.score_threshold, key=f"low-{mark}")
    st.caption(t("bot.thresholds_help"))
    return {
        "clarify.look_first": look,
        "clarify.max_questions": most,
        "clarify.clarity_threshold": clear,
        "clarify.score_threshold": low,
    }


def present(bot: Bot, name: str) -> object:
    """The bot's value for "prompt", "clarify.look_first" and the like."""
    table, _, field = name.rpartition(".")
    return getattr(bot.clarify if table else bot, field)


def mark_of(bot: Bot) -> str:
    """Another file: fields anew."""
    return f"{bot.id}-{hash((bot.folder / 'bot.toml').read_bytes())}"


def form(bot: Bot) -> None:
    """The settings that can be edited without knowing the file; only what changed is written."""
    mark = mark_of(bot)
    with st.form(f"bot-{bot.id}", border=False):
        values = voice(bot, mark) | ({} if bot.outside else asking(bot, mark))
        if not st.form_submit_button(t("common.save"), type="primary", icon=":material/save:"):
            return
    changes = {name: value for name, value in values.items() if value != present(bot, name)}
    with show_errors():
        if changes:
            save_bot(bot, changes)
        st.success(t("common.saved"), icon=":material/check:")


def contacts(bot: Bot) -> None:
    """Whom the bot names when a person is the better place to ask."""
    if bot.contacts:
        st.subheader(t("bot.contacts"), anchor=False)
        for contact in bot.contacts:
            st.markdown(
                f"**{plain(contact.name)}** {plain(contact.reach)}  \n:gray[{plain('、'.join(contact.topics))}]"
            )


def raw(name: str) -> None:
    """The file itself; a mistake is told and nothing is written, so what was typed stays to be corrected."""
    folder = settings().knowledge_dir / name
    file = folder / "bot.toml"
    st.caption(t("bot.raw_lead"))
    source = file.read_bytes().decode("utf-8-sig", "replace")
    text = st.text_area(t("bot.raw_text"), source, height=480, key=f"raw-{name}-{hash(source)}")
    if st.button(t("common.save"), icon=":material/save:", key="save-raw"):
        with show_errors():
            parse_bot(text.encode("utf-8"), folder)
            write_text(file, text)
            st.rerun()


top, name = choose_bot_id()
try:
    bot = load_bot(name)
except BadInput as error:
    heading(t("bot.broken_title", bot=plain(name)), place=top)
    st.error(plain(error_text(error)), icon=":material/error:")
    raw(name)
else:
    heading(t("bot.title", bot=plain(bot.name)), t("bot.lead"), place=top)
    edit, where, file = st.tabs([t("menu.bot"), t("external_bot.tab"), t("bot.raw")])
    with edit:
        form(bot)
        contacts(bot)
    with where:
        outside_part(bot, mark_of(bot))
    with file:
        raw(name)
