"""A table that a person uploads: its rows, and which column holds which field."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import streamlit as st

from core.base.tables import SUFFIXES, Cells, read_table
from pages.i18n.translate import t

F = TypeVar("F", bound=str)
_rows_of = st.cache_data(show_spinner=False, max_entries=4)(read_table)


def upload_table(label: str, key: str) -> tuple[str, list[Cells]] | None:
    """The name and the rows of a table, none until there is one; raises BadInput if it cannot be read."""
    file = st.file_uploader(label, [suffix[1:] for suffix in SUFFIXES], key=key)
    return (file.name, _rows_of(file.name, file.getvalue())) if file else None


def choose_columns(
    section: str,
    fields: Sequence[F],
    required: Collection[F],
    columns: list[str],
    guessed: Mapping[F, str],
    file: str,
    per_row: int,
) -> dict[F, str]:
    """The column of each field that has one, guessed from the names to begin with.

    section: of the texts that name the fields; file: its name, for the keys of the widgets.
    """
    places = [place for _ in range(0, len(fields), per_row) for place in st.columns(per_row)]  # they stack in order
    options = ["", *columns]
    chosen = {
        field: place.selectbox(
            t(f"{section}.{field}") + (" *" if field in required else ""),
            options,
            index=options.index(guessed.get(field, "")),
            format_func=lambda name: name or "—",
            key=f"map-{field}-{file}-{hash(tuple(columns))}",
        )
        for place, field in zip(places, fields, strict=False)
    }
    return {field: column for field, column in chosen.items() if column}
