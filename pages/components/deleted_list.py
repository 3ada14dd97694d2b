"""Deleted items in an expander, each with the time and a button that restores it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import streamlit as st

from pages.components.appearance import local_time, show_some
from pages.components.plain_text import line, plain
from pages.components.widgets import action_button
from pages.i18n.translate import t

MAX_SHOWN = 20  # deleted items listed before "and n more"


class DeletedItem(NamedTuple):
    at: datetime  # when it was deleted
    name: str
    restore: Callable[[], None]
    about: str = ""  # a further note that identifies it


def show_deleted(label: str, items: Sequence[DeletedItem]) -> None:
    """Draw the expander with this label; nothing without items."""
    if not items:
        return
    with st.expander(label, icon=":material/restore_from_trash:"):
        show_some(items, MAX_SHOWN, _show_item)


def _show_item(item: DeletedItem) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"{local_time(item.at)}　{line(f'{item.name}　{item.about}', 60)}", width="content")
        key = f"restore-{item.at.isoformat()}-{item.name}"
        action_button(t("common.undo"), "undo", _restore, item, key=key, type="tertiary")


def _restore(item: DeletedItem) -> None:
    item.restore()
    st.toast(t("common.restored", name=plain(item.name)), icon=":material/check:")
