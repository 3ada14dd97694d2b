"""How one text differs from another, line by line."""

from __future__ import annotations

from difflib import unified_diff

import streamlit as st

from pages.i18n.translate import t


def show_difference(before: str, after: str | None) -> None:
    """The lines that went and came; none: there is no other text."""
    lines = list(unified_diff(before.splitlines(), (before if after is None else after).splitlines(), lineterm="", n=2))
    if lines:
        st.code("\n".join(line for line in lines[2:]), "diff", wrap_lines=True)
    else:
        st.caption(t("prompts.same"))
