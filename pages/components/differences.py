"""How two texts differ, and the names of what differs between two runs or two versions of a bot."""

from __future__ import annotations

from difflib import unified_diff

import streamlit as st

from core.analysis.names import judge_name
from core.analysis.snapshot_changes import Change
from pages.i18n.translate import t, words


def show_difference(before: str, after: str | None) -> None:
    """The lines that went and came; none: there is no other text."""
    lines = list(unified_diff(before.splitlines(), (before if after is None else after).splitlines(), lineterm="", n=2))
    if lines:
        st.code("\n".join(line for line in lines[2:]), "diff", wrap_lines=True)
    else:
        st.caption(t("prompts.same"))


def field_label(change: Change) -> str:
    """What changed, in words if there are some, else by its own name."""
    if change.area == "judges":
        return t("changes.judge", name=judge_name(change.name, t))
    for key in (f"changes.{change.area}_{change.name}", f"changes.{change.name.replace('.', '_')}"):
        if key in words():
            return t(key)
    key = f"changes.in_{change.area}"
    name = change.title or change.name
    return t(key, name=name) if key in words() else name
