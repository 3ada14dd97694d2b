"""What was deleted, in a fold: each with the time, and a button that brings it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import streamlit as st

from pages.components.appearance import local_time, show_some
from pages.components.plain_text import line
from pages.i18n.translate import t

MAX_SHOWN = 20  # deleted things listed before "and n more"


class DeletedItem(NamedTuple):
    """One deleted thing: when, its name, the key of its button, and how to bring it back."""

    at: datetime
    name: str
    key: str
    restore: Callable[[], None]


def show_deleted(label: str, items: Sequence[DeletedItem]) -> None:
    """The fold with this label; nothing without items."""
    if not items:
        return
    with st.expander(label, icon=":material/restore_from_trash:"):
        show_some(items, MAX_SHOWN, _show_item)


def _show_item(item: DeletedItem) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"{local_time(item.at)}　{line(item.name, 60)}", width="content")
        undo = t("common.undo")
        st.button(undo, key=item.key, icon=":material/undo:", type="tertiary", on_click=item.restore)
