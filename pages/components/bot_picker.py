"""The bots, and the one that a page is about."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.bot_folder import bot_ids, find_bot, load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot, Language
from pages.components.appearance import show_error
from pages.components.links import bot_settings_link
from pages.components.plain_text import line, plain
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import language, t


def bots_by_language(first: Language) -> list[str]:
    """The ids of all bots, those that speak the language first; broken ones come last."""
    return list(_bots(first))


def bot_names() -> dict[str, str]:
    """{id: name} of every bot, those of the page's language first; a broken bot is shown by its id."""
    return {name: bot.name if bot else name for name, bot in _bots(language()).items()}


def _bots(first: Language) -> dict[str, Bot | None]:
    """All bots by id, None for a broken one, in the order of `bots_by_language`."""
    bots = {bot: find_bot(bot) for bot in bot_ids()}
    order = sorted(bots, key=lambda name: (2 if (bot := bots[name]) is None else int(bot.language != first), name))
    return {name: bots[name] for name in order}


def choose_bot_id(further_options: dict[str, str] | None = None) -> tuple[DeltaGenerator, str]:
    """The place for the page's title, and the bot chosen next to it (stored in the address and over page changes).

    further_options: {id: words}. A link to a bot that does not exist is reported. Stops the page
    if there is no bot.
    """
    names = {**bot_names(), **(further_options or {})}
    if not names:
        st.info(t("common.no_bots", folder=plain(settings().knowledge_dir.name)), icon=":material/info:")
        st.stop()
    if (asked := st.query_params.get("bot", "")) and asked not in names:
        st.session_state["unknown-bot"] = asked
        del st.query_params["bot"]
        st.rerun()  # a button that was pressed for it must not start anything for another bot
    if unknown := st.session_state.pop("unknown-bot", ""):
        st.info(t("run_picker.unknown_bot", bot=line(unknown, 60)), icon=":material/info:")
    top, side = st.columns([3, 1], gap="medium")
    icon = ":material/support_agent:"
    chosen = choose_in_url("bot", t("common.bot"), names, side, label_visibility="collapsed", icon=icon)
    st.session_state["bot"] = chosen
    return top.container(), chosen


def choose_bot() -> tuple[DeltaGenerator, Bot]:
    """The place for the title and the chosen bot; a broken bot shows its error and a link, and the page stops."""
    top, chosen = choose_bot_id()
    try:
        return top, load_bot(chosen)
    except BadInput as error:
        show_error(error)
        bot_settings_link(chosen)
        st.stop()
