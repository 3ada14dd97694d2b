"""A table that a person uploads: its rows, and which column holds which field."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeVar

import streamlit as st

from core.analysis.formatting import NO_VALUE
from core.base.tables import SUFFIXES, Cells, columns_of, guess_columns, read_table
from pages.i18n.translate import t

F = TypeVar("F", bound=str)
_rows_of = st.cache_data(show_spinner=False, max_entries=4)(read_table)


class UploadedTable(NamedTuple):
    file: str
    rows: list[Cells]


def upload_table(label: str, key: str) -> UploadedTable | None:
    """The uploaded table, None until there is one; raises BadInput if it cannot be read."""
    file = st.file_uploader(label, [suffix[1:] for suffix in SUFFIXES], key=key)
    return UploadedTable(file.name, _rows_of(file.name, file.getvalue())) if file else None


def choose_columns(
    table: UploadedTable, names: Mapping[F, Sequence[str]], required: Collection[F], section: str, per_row: int
) -> dict[F, str]:
    """The column of each field that has one, at first guessed from the usual names of the field.

    section: of the texts that name the fields.
    """
    columns = columns_of(table.rows)
    options, guessed = ["", *columns], guess_columns(columns, names)
    places = [place for _ in range(0, len(names), per_row) for place in st.columns(per_row)]  # they stack in order
    chosen = {
        field: place.selectbox(
            t(f"{section}.{field}") + (" *" if field in required else ""),
            options,
            index=options.index(guessed.get(field, "")),
            format_func=lambda name: name or NO_VALUE,
            key=f"map-{field}-{table.file}-{hash(tuple(columns))}",
        )
        for place, field in zip(places, names, strict=False)
    }
    return {field: column for field, column in chosen.items() if column}
