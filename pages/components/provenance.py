"""Which engine replied and judged, and how far its judge can be trusted, in a line under scores."""

from __future__ import annotations

import streamlit as st

from core.analysis.aggregate import JUDGE
from core.analysis.provenance import provenance, provenance_text
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.plain_text import plain
from pages.i18n.translate import t


def show_provenance(store: Store, run: RunRow, judge: str = JUDGE, version: str = "", name: str = "") -> None:
    """Say it of a run and a judge; `name` leads the line where several runs are shown."""
    found = provenance(store, run, judge, version)
    text = plain(provenance_text(t, found))
    icon = ":material/verified:" if found.is_trusted else ":orange[:material/gpp_maybe:]"
    st.caption(f"{icon} {f'**{plain(name)}**　' if name else ''}{text}")


def show_trust_badge(store: Store, run: RunRow, judge: str) -> None:
    """Whether the judge behind a score can be trusted, as a badge; why, when the pointer is over it."""
    found = provenance(store, run, judge)
    name, icon = ("trusted", ":material/verified:") if found.is_trusted else ("not_trusted", ":material/gpp_maybe:")
    st.badge(t(f"home.{name}"), icon=icon, color="gray", help=plain(provenance_text(t, found)))
