"""Buttons that several pages have: to do something before the page is drawn again, to save, to download."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.i18n.translate import t


def action_button(
    label: str,
    icon: str,
    action: Callable[..., None],
    *args: object,
    place: DeltaGenerator | None = None,
    **options: Any,
) -> None:
    """A button that calls `action` with `args`. icon: the name of a Material icon."""
    (place or st).button(label, icon=f":material/{icon}:", on_click=action, args=args, **options)


def save_button(**options: Any) -> bool:
    """Whether "Save" is pressed."""
    return st.button(t("common.save"), type="primary", icon=":material/save:", **options)


def download_button(label: str, data: Any, file: str, **options: Any) -> None:
    """A download, after which the page is not drawn again. data: the contents, or a function that makes them."""
    st.download_button(label, data, file, icon=":material/download:", on_click="ignore", **options)
