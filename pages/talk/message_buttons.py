"""Messages that a person may send with one click: sample questions, and what a reply offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from pages.components.plain_text import plain
from pages.i18n.translate import t


def show_message_buttons(
    label: str, texts: Iterable[str], key: str, send: Callable[[str], None], box: str | None = None
) -> None:
    """A button for each text, under a label (the key of its words); nothing without texts. box: key of the container."""
    offered = list(texts)
    if not offered:
        return
    st.caption(t(label))
    with st.container(horizontal=True, gap="small", key=box):
        for number, text in enumerate(offered):
            st.button(plain(text), key=f"{key}-{number}", on_click=send, args=(text,))
