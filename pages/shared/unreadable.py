"""The files beside the documents that nobody can read."""

from __future__ import annotations

import streamlit as st

from core.base.types import Bot
from core.retrieve.documents import remove_document, unreadable
from pages.shared.draw import plain, told
from pages.shared.words import say


def left_out(bot: Bot) -> None:
    """One sentence that names the files which the bot leaves out, and a button to remove each."""
    names = unreadable(bot)
    if not names:
        return
    st.warning(say("knowledge.unreadable", names=plain(", ".join(names))), icon=":material/draft:")
    with st.container(horizontal=True, gap="small"):
        for number, name in enumerate(names):
            st.button(
                say("knowledge.remove_unreadable", name=plain(name)),
                key=f"unreadable-{number}-{name}",
                icon=":material/delete:",
                on_click=_remove,
                args=(bot, name),
            )


def _remove(bot: Bot, name: str) -> None:
    with told():
        remove_document(bot, name)
