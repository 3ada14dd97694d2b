"""The diff of two texts, and the names of changed settings."""

from __future__ import annotations

from difflib import unified_diff

import streamlit as st

from core.analysis.names import judge_name
from core.analysis.snapshot_changes import Change
from pages.i18n.translate import t, words


def show_difference(before: str, after: str | None) -> None:
    """Draw the removed and added lines; after: None if there is no other text."""
    lines = list(unified_diff(before.splitlines(), (before if after is None else after).splitlines(), lineterm="", n=2))
    if lines:
        st.code("\n".join(line for line in lines[2:]), "diff", wrap_lines=True)
    else:
        st.caption(t("prompts.same"))


def field_label(change: Change) -> str:
    """The name of what changed: its translation, else its own name."""
    if change.area == "judges":
        return t("changes.judge", name=judge_name(change.name, t))
    for key in (f"changes.{change.area}_{change.name}", f"changes.{change.name.replace('.', '_')}"):
        if key in words():
            return t(key)
    key = f"changes.in_{change.area}"
    name = change.title or change.name
    return t(key, name=name) if key in words() else name
