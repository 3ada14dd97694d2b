"""What differs between two runs, as a person reads it; texts of people are shown letter by letter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from core.analysis.compare import Comparison
from core.analysis.snapshot_changes import Area, Change
from pages.components.judge_picker import judge_label
from pages.components.plain_text import line, plain
from pages.i18n.translate import t, words

SHOWN = 12  # changes of one kind listed before "and n more"
LINES = 40  # lines of one text
MARKS = {"-": "−", "+": "+", " ": "　"}


def what_changed(changes: Sequence[Change], ends: Comparison) -> None:
    """Everything that differs, by kind: settings and texts first, then documents, people, questions, judges, models.

    ends: the runs; where B failed in more of them, that is told before anybody reads that nothing changed.
    """
    st.subheader(t("compare.changed"), anchor=False)
    if not changes:
        failed = {"a": f"{ends.failed('a'):,}", "b": f"{ends.failed('b'):,}"}
        st.caption(t("compare.changed_failed" if ends.more_failed > 0 else "compare.changed_nothing", **failed))
    with st.container(border=bool(changes)):
        for area in get_args(Area):
            mine = [change for change in changes if change.area == area]
            for change in mine[:SHOWN]:
                _change(change)
            if len(mine) > SHOWN:
                st.caption(t("scores.and_more", n=len(mine) - SHOWN))


def field_label(change: Change) -> str:
    """What changed, in words where the pages have some, else by its own name."""
    if change.area == "judges":
        return t("changes.judge", name=judge_label(change.name))
    for key in (f"changes.{change.area}_{change.name}", f"changes.{change.name.replace('.', '_')}"):
        if key in words():
            return t(key)
    known = f"changes.in_{change.area}"
    return t(known, name=change.name) if known in words() else change.name


def _change(change: Change) -> None:
    name = plain(field_label(change), links=False)
    if change.lines:
        st.markdown(f"**{name}**")
        _text(change)
    elif change.fields:
        fields = t("common.comma").join(_field(change, field) for field in change.fields)
        st.markdown(f"**{name}** {t('changes.changed')}　:gray[{plain(fields, links=False)}]")
    elif change.old and change.new:
        st.markdown(f"**{name}** {_value(change.old)} → {_value(change.new)}")
    elif (change.old or change.new) and change.area in ("bot", "engine", "plan"):
        st.markdown(f"**{name}** {t(f'changes.{change.how}')}　{_value(change.old or change.new)}")
    else:
        st.markdown(f"**{name}** {t(f'changes.{change.how}')}")


def _field(change: Change, field: str) -> str:
    key = f"{change.area}.{field}"
    return t(key) if key in words() else field


def _value(text: str) -> str:
    """A short value; the program's own words are told in the person's language."""
    known = f"changes.value_{text}"
    return t(known) if known in words() else line(text, 120)


def _text(change: Change) -> None:
    """Lines that went in persimmon, lines that came in green, each with its sign before it."""
    shown = []
    for each in change.lines[:LINES]:
        sign, text = MARKS.get(each[:1], "　"), plain(each[1:], links=False)
        colour = {"-": "orange", "+": "green"}.get(each[:1], "gray")
        shown.append(f":{colour}[{sign} {text}]" if text.strip() else f":{colour}[{sign}]")
    with st.container(border=True):
        st.markdown("  \n".join(shown))
    if len(change.lines) > LINES:
        st.caption(t("changes.more_lines", n=len(change.lines) - LINES))
