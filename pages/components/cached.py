"""Results that are kept until what they were computed from changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from pages.components.services import services

T = TypeVar("T")


def cached(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """What `make` returns, computed once for a key, which names all that the result depends on besides the store."""
    return _cached((services().store.db.url, *key), make)


@st.cache_resource(show_spinner=False, max_entries=64)
def _cached(key: tuple[object, ...], _make: Callable[[], T]) -> T:
    return _make()
