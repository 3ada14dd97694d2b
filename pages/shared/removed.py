"""Documents that were removed, with the way back; they are kept in the data folder."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.base.types import Bot
from core.retrieve.documents import Removed, remove_document, removed_documents, restore_document
from pages.shared.draw import line, plain, told, when
from pages.shared.words import say

UNDONE = 20  # removed documents listed before "and n more"


def remove(bot: Bot, name: str) -> None:
    """Take a document away; it is kept and can be brought back."""
    with told():
        remove_document(bot, name)


def restore(bot: Bot, removed: Removed) -> None:
    """Put a document that was removed back."""
    with told():
        restore_document(bot, removed)
        st.toast(say("knowledge.restored", name=plain(removed.name)), icon=":material/check:")


def undo(bot: Bot) -> None:
    """What was removed, each with the way back."""
    removed = removed_documents(bot)
    if not removed:
        return
    with st.expander(say("knowledge.removed_all", n=len(removed)), icon=":material/restore_from_trash:"):
        for each in removed[:UNDONE]:
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                st.caption(f"{when(each.at)}　{line(each.name, 60)}", width="content")
                key = f"restore-{each.at.isoformat()}-{each.name}"
                looks: dict[str, Any] = {"icon": ":material/undo:", "type": "tertiary", "key": key}
                st.button(say("common.undo"), on_click=restore, args=(bot, each), **looks)
        if len(removed) > UNDONE:
            st.caption(say("scores.and_more", n=len(removed) - UNDONE))
