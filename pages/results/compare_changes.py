"""What differs between two runs beside their scores: settings, documents, people, questions, judges, models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from core.analysis.compare import Comparison
from core.analysis.snapshot_changes import Area, Change
from core.base.translate import text_or_default
from pages.components.appearance import show_some
from pages.components.differences import field_label
from pages.components.plain_text import line, plain
from pages.i18n.translate import t

MAX_CHANGES = 12  # changes of one area listed before "and n more"
MAX_LINES = 40  # lines of one text
SIGNS = {"-": "−", "+": "+", " ": "　"}


def show_changes(changes: Sequence[Change], comparison: Comparison) -> None:
    """List everything that differs, by area; if nothing does, say so (and whether more conversations of B failed)."""
    st.subheader(t("compare.changed"), anchor=False)
    if not changes:
        failed = {side: f"{comparison.failed(side):,}" for side in ("a", "b")}
        st.caption(t("compare.changed_failed" if comparison.more_failed > 0 else "compare.changed_nothing", **failed))
    with st.container(border=bool(changes)):
        for area in get_args(Area):
            of_area = [change for change in changes if change.area == area]
            show_some(of_area, MAX_CHANGES, _show_change)


def _show_change(change: Change) -> None:
    name = plain(field_label(change), links=False)
    if change.lines:
        st.markdown(f"**{name}**")
        _draw_lines(change)
    elif change.fields:
        names = (text_or_default(t, f"{change.area}.{field}", field) for field in change.fields)
        fields = t("common.comma").join(names)
        st.markdown(f"**{name}** {t('changes.changed')}　:gray[{plain(fields, links=False)}]")
    elif change.old and change.new:
        st.markdown(f"**{name}** {_value(change.old)} → {_value(change.new)}")
    elif (change.old or change.new) and change.area in ("bot", "engine", "plan"):
        st.markdown(f"**{name}** {t(f'changes.{change.how}')}　{_value(change.old or change.new)}")
    else:
        st.markdown(f"**{name}** {t(f'changes.{change.how}')}")


def _value(text: str) -> str:
    """A short value, translated if it is one of Kiku's own."""
    return text_or_default(t, f"changes.value_{text}", line(text, 120))


def _draw_lines(change: Change) -> None:
    """Draw a diff: removed lines in orange, added ones in green."""
    lines = []
    for diff_line in change.lines[:MAX_LINES]:
        sign, text = SIGNS.get(diff_line[:1], "　"), plain(diff_line[1:], links=False)
        color = {"-": "orange", "+": "green"}.get(diff_line[:1], "gray")
        lines.append(f":{color}[{sign} {text}]" if text.strip() else f":{color}[{sign}]")
    with st.container(border=True):
        st.markdown("  \n".join(lines))
    if len(change.lines) > MAX_LINES:
        st.caption(t("changes.more_lines", n=len(change.lines) - MAX_LINES))
