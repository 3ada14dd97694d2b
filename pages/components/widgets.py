"""Widgets that several pages have: buttons, choices, tables to read or to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.components.appearance import show_errors
from pages.i18n.translate import t

T = TypeVar("T", bound=str | int)


def choose(
    label: str,
    options: Mapping[T, str],
    default: T | None = None,
    place: DeltaGenerator | None = None,
    control: str = "selectbox",
    **widget_options: Any,
) -> T:
    """One of the options {value: words}; `default` is chosen to begin with, else the first.

    control: Streamlit's name of the widget (`selectbox`, `radio`).
    """
    values = list(options)
    index = 0 if default is None else values.index(default)
    return getattr(place or st, control)(
        label, values, index, format_func=lambda value: options.get(value, value), **widget_options
    )


def choose_switch(
    label: str, options: Mapping[T, str], default: T, place: DeltaGenerator | None = None, **widget_options: Any
) -> T:
    """One of a few options {value: words}, all on show in one row of buttons."""
    show = (place or st).segmented_control
    return show(
        label, list(options), default=default, format_func=lambda value: options[value], required=True, **widget_options
    )


def choose_several(label: str, options: Mapping[T, str], **widget_options: Any) -> list[T]:
    """Any of the options {value: words}, in a list that opens."""
    return st.multiselect(
        label, list(options), format_func=lambda value: options.get(value, str(value)), **widget_options
    )


def choose_pills(label: str, options: Mapping[T, str], default: Sequence[T] = (), **widget_options: Any) -> list[T]:
    """Any of a few options {value: words}, all on show."""
    return st.pills(
        label,
        list(options),
        default=list(default),
        selection_mode="multi",
        format_func=lambda value: options[value],
        **widget_options,
    )


def choose_row(rows: pd.DataFrame | Sequence[Mapping[str, Any]], key: str, **table_options: Any) -> int | None:
    """The place of the row that is selected in a table, or None."""
    event = st.dataframe(
        pd.DataFrame(rows), hide_index=True, on_select="rerun", selection_mode="single-row", key=key, **table_options
    )
    return event.selection.rows[0] if event.selection.rows else None


def show_rows(rows: Sequence[Mapping[str, Any]], **table_options: Any) -> None:
    """A table to read; the names of the cells are the headings, unless `column_config` says otherwise."""
    st.dataframe(pd.DataFrame(rows), hide_index=True, **table_options)


def action_button(
    label: str,
    icon: str,
    action: Callable[..., object],
    *args: object,
    place: DeltaGenerator | None = None,
    **options: Any,
) -> None:
    """A button that calls `action` before the page is drawn again, and shows a BadInput above the page.

    icon: the name of a Material icon.
    """

    def run() -> None:
        with show_errors():
            action(*args)

    (place or st).button(label, icon=f":material/{icon}:", on_click=run, **options)


def save_button(**options: Any) -> bool:
    return st.button(t("common.save"), type="primary", icon=":material/save:", **options)


def download_button(label: str, data: Any, file: str, **options: Any) -> None:
    """A download, after which the page is not drawn again. data: the contents, or a function that makes them."""
    st.download_button(label, data, file, icon=":material/download:", on_click="ignore", **options)
