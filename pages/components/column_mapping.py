"""Which column of an uploaded file holds which field."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

import streamlit as st

from pages.i18n.translate import t

F = TypeVar("F", bound=str)


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
