"""What stands above a chat: new chat, earlier chats, who you are, download."""

from __future__ import annotations

import streamlit as st

from core.base.types import Bot
from core.store.rows import TurnRow
from core.store.store import Store
from pages.shared.draw import line, when
from pages.shared.export import as_json, as_markdown
from pages.shared.person import profile_form
from pages.shared.words import say


def toolbar(store: Store, bot: Bot, rows: list[TurnRow]) -> None:
    """New chat, earlier chats, who you are, download."""
    with st.container(horizontal=True, gap="small"):
        if st.button(say("chat.new"), icon=":material/add_comment:", disabled=not rows):
            del st.query_params["chat"]
            st.rerun()
        with st.popover(say("chat.earlier"), icon=":material/history:"):
            earlier(store, bot)
        with st.popover(say("chat.you"), icon=":material/badge:"):
            profile_form(store)
        with st.popover(say("chat.export"), icon=":material/download:", disabled=not rows):
            downloads(bot, rows)


def earlier(store: Store, bot: Bot) -> None:
    """The latest chats, one click to go on."""
    found = store.chats(bot.id)
    if not found:
        st.caption(say("chat.earlier_none"))
    for chat in found:
        label = f"{when(chat.created_at)}　{line(chat.title, 40)}"
        st.button(label, key=f"open-{chat.id}", type="tertiary", on_click=go_on, args=(chat.id,))


def go_on(chat_id: str) -> None:
    """Open an earlier chat."""
    st.query_params["chat"] = chat_id


def downloads(bot: Bot, rows: list[TurnRow]) -> None:
    """The conversation as Markdown and as JSON."""
    name = f"kiku-{bot.id}"
    readable = as_markdown(say("chat.title", bot=bot.name), say("chat.person"), bot.name, rows)
    st.download_button(say("chat.export_md"), readable, f"{name}.md", "text/markdown", on_click="ignore")
    st.download_button(
        say("chat.export_json"), as_json(bot.id, rows), f"{name}.json", "application/json", on_click="ignore"
    )
