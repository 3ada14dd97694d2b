"""The row above a conversation: a new chat, earlier chats, the person, downloads."""

from __future__ import annotations

import streamlit as st

from core.base.types import Bot
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.appearance import local_time
from pages.components.plain_text import line
from pages.i18n.translate import t
from pages.talk.downloads import show_downloads
from pages.talk.profile_form import show_earlier_switch, show_profile_form


def show_toolbar(store: Store, bot: Bot, rows: list[TurnRow]) -> None:
    """New chat, earlier chats, who you are, download."""
    with st.container(horizontal=True, gap="small"):
        if st.button(t("chat.new"), icon=":material/add_comment:", disabled=not rows):
            del st.query_params["chat"]
            st.rerun()
        with st.popover(t("chat.earlier"), icon=":material/history:"):
            show_earlier_chats(store, bot)
        with st.popover(t("chat.you"), icon=":material/badge:"):
            show_profile_form(store, bot)
            if bot.external is None:
                show_earlier_switch(store, bot, st.query_params.get("chat", ""))
        with st.popover(t("chat.export"), icon=":material/download:", disabled=not rows):
            show_downloads(bot, rows)


def show_earlier_chats(store: Store, bot: Bot) -> None:
    """The latest chats, one click to go on."""
    chats = store.chats.newest(bot.id)
    if not chats:
        st.caption(t("chat.earlier_none"))
    for chat in chats:
        label = f"{local_time(chat.created_at)}　{line(chat.title, 40)}"
        st.button(label, key=f"open-{chat.id}", type="tertiary", on_click=open_chat, args=(chat.id,))


def open_chat(chat_id: str) -> None:
    """Open an earlier chat."""
    st.query_params["chat"] = chat_id
