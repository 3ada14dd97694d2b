"""Editing: a table from one save to the next, and the text of a file that cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.files import write_bytes, write_text
from pages.components.appearance import show_error, show_errors
from pages.components.widgets import save_button
from pages.i18n.translate import t

T = TypeVar("T")


class EditedTable(Generic[T]):
    """The table of one name in this session; `key` is that of its widget.

    What is typed belongs to the rows that the table had when its editing began (`begun`), not to those stored now.
    """

    def __init__(self, name: str) -> None:
        self._begun, self._version = f"{name}-begun", f"{name}-version"
        self.key = f"{name}-{st.session_state.setdefault(self._version, 0)}"

    def begun(self, stored: T) -> T:
        """What the table holds, before anything that was typed."""
        return st.session_state.setdefault(self._begun, stored)

    @property
    def has_typing(self) -> bool:
        """Whether anything was typed, added or deleted."""
        return any(dict(st.session_state.get(self.key) or {}).values())

    def reset(self) -> None:
        """Show what is stored in the next run, with nothing typed yet."""
        st.session_state.pop(self._begun, None)
        st.session_state[self._version] += 1


def rows_of_text(table: pd.DataFrame) -> list[dict[str, str]]:
    """Every row of a table as trimmed text; nothing (None, NaN) is empty text."""
    rows: list[dict[Any, Any]] = table.to_dict("records")
    return [{str(k): "" if v is None or v != v else str(v).strip() for k, v in row.items()} for row in rows]


def show_unsaved(key: str = "scenarios.unsaved") -> None:
    """Say that there is something to save. key: of another text."""
    st.caption(f":orange[:material/edit: {t(key)}]", width="content")


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
