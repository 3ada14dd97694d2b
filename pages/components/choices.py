"""One of several things to choose from, in a widget or as a row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

T = TypeVar("T", bound=str | int)


def choose(
    label: str,
    options: Mapping[T, str],
    default: T | None = None,
    place: DeltaGenerator | None = None,
    **widget_options: Any,
) -> T:
    """One of the options {value: words} in a list that opens; `default` is chosen to begin with, else the first."""
    values = list(options)
    index = 0 if default is None else values.index(default)
    return (place or st).selectbox(label, values, index, format_func=lambda value: options[value], **widget_options)


def choose_switch(
    label: str, options: Mapping[T, str], default: T, place: DeltaGenerator | None = None, **widget_options: Any
) -> T:
    """One of a few options {value: words}, all on show in one row of buttons."""
    show = (place or st).segmented_control
    return show(
        label, list(options), default=default, format_func=lambda value: options[value], required=True, **widget_options
    )


def choose_row(table: pd.DataFrame, key: str, **table_options: Any) -> int | None:
    """The place of the row that is selected in a table, or None."""
    event = st.dataframe(
        table, hide_index=True, on_select="rerun", selection_mode="single-row", key=key, **table_options
    )
    return event.selection.rows[0] if event.selection.rows else None
