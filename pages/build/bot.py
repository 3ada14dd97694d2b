"""How a bot behaves: prompt, guidelines, greeting, when it asks a clarifying question; stored in its bot.toml."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

import streamlit as st

from core.base.bot_edits import check_powers, save_bot
from core.base.bot_folder import load_bot, parse_bot
from core.base.errors import BadInput
from core.base.external_bots import ExternalBot
from core.base.files import write_text
from core.base.settings import settings
from core.base.types import Bot
from pages.build.external_bot import show_external_bot
from pages.components.appearance import heading, show_error, show_errors
from pages.components.bot_picker import choose_bot_id
from pages.components.plain_text import plain
from pages.i18n.translate import t


def voice_fields(bot: Bot, key: str) -> dict[str, Any]:
    st.subheader(t("bot.voice"), anchor=False)
    helps = {name: t(f"bot.{name}_help") for name in ("prompt", "guidelines")}
    long = {
        name: st.text_area(t(f"bot.{name}"), getattr(bot, name), 220, 20_000, f"{name}-{key}", help=helps[name])
        for name in helps
    }
    return {**long, "greeting": st.text_area(t("bot.greeting"), bot.greeting, 90, 2_000, f"greeting-{key}")}


def clarify_fields(bot: Bot, key: str) -> dict[str, Any]:
    st.subheader(t("bot.asking"), anchor=False)
    now = bot.clarify
    look = st.toggle(t("bot.look_first"), now.look_first, f"look-{key}", help=t("bot.look_first_help"))
    one_call = st.toggle(t("bot.one_call"), now.one_call, f"one-call-{key}", help=t("bot.one_call_help"))
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    most = left.number_input(t("bot.max_questions"), 0, 10, now.max_questions, key=f"most-{key}")
    clear = middle.number_input(t("bot.clarity_threshold"), 0, 5, now.clarity_threshold, key=f"clear-{key}")
    low = right.number_input(t("bot.score_threshold"), 0, 5, now.score_threshold, key=f"low-{key}")
    st.caption(t("bot.thresholds_help"))
    return {
        "clarify.look_first": look,
        "clarify.one_call": one_call,
        "clarify.max_questions": most,
        "clarify.clarity_threshold": clear,
        "clarify.score_threshold": low,
    }


def file_key(bot: Bot) -> str:
    """A key that changes with bot.toml, so that the fields are filled again."""
    return f"{bot.id}-{hash((bot.folder / 'bot.toml').read_bytes())}"


def show_form(bot: Bot) -> None:
    """The settings that can be edited without knowing the file; only what changed is written."""
    key = file_key(bot)
    with st.form(f"bot-{bot.id}", border=False):
        values = voice_fields(bot, key) | ({} if bot.external else clarify_fields(bot, key))
        if not st.form_submit_button(t("common.save"), type="primary", icon=":material/save:"):
            return
    changes = {name: value for name, value in values.items() if value != attrgetter(name)(bot)}
    with show_errors():
        if changes:
            save_bot(bot, changes)
        st.success(t("common.saved"), icon=":material/check:")


def show_contacts(bot: Bot) -> None:
    """Whom the bot names when a person is the better place to ask."""
    if bot.contacts:
        st.subheader(t("bot.contacts"), anchor=False)
        for contact in bot.contacts:
            st.markdown(
                f"**{plain(contact.name)}** {plain(contact.reach)}  \n:gray[{plain(t('common.comma').join(contact.topics))}]"
            )


def show_file(name: str) -> None:
    """The file itself; an error is reported and nothing is written, so that what was typed can be corrected."""
    folder = settings().knowledge_dir / name
    file = folder / "bot.toml"
    st.caption(t("bot.raw_lead"))
    source = file.read_bytes().decode("utf-8-sig", "replace")
    text = st.text_area(t("bot.raw_text"), source, height=480, key=f"raw-{name}-{hash(source)}")
    if st.button(t("common.save"), icon=":material/save:", key="save-raw"):
        with show_errors():
            after = parse_bot(text.encode("utf-8"), folder)
            check_powers(_external_of(source, folder), after.external)
            write_text(file, text)
            st.rerun()


def _external_of(source: str, folder: Path) -> ExternalBot | None:
    try:
        return parse_bot(source.encode("utf-8"), folder).external
    except BadInput:  # a file that cannot be read calls nothing
        return None


top, name = choose_bot_id()
try:
    bot = load_bot(name)
except BadInput as error:
    heading(t("bot.broken_title", bot=plain(name)), place=top)
    show_error(error)
    show_file(name)
else:
    heading(t("bot.title", bot=plain(bot.name)), t("bot.lead"), place=top)
    edit, where, file = st.tabs([t("menu.bot"), t("external_bot.tab"), t("bot.raw")])
    with edit:
        show_form(bot)
        show_contacts(bot)
    with where:
        show_external_bot(bot, file_key(bot))
    with file:
        show_file(name)
