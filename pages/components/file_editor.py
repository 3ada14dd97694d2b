"""A file that cannot be read: what is wrong with it, and its text to be corrected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.base.errors import BadInput
from core.base.files import write_bytes, write_text
from pages.components.appearance import show_error, show_errors
from pages.components.buttons import save_button
from pages.i18n.translate import t


def edit_broken_file(error: BadInput, file: Path, read: Callable[[], object]) -> None:
    """Tell the error and let the file be corrected; a text that `read` would not take either is not kept."""
    show_error(error)
    if not file.is_file():
        return
    before = file.read_bytes()
    source = before.decode("utf-8-sig", "replace")
    text = st.text_area(t("scenarios.edit_file"), source, height=420, key=f"mend-{file.name}-{hash(before)}")
    if save_button(key="mend"):
        with show_errors():
            _replace(file, before, text, read)
            st.rerun()


def _replace(file: Path, before: bytes, text: str, read: Callable[[], object]) -> None:
    write_text(file, text)
    try:
        read()
    except BadInput:
        write_bytes(file, before)
        raise
