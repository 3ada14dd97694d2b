"""Marks on entries, and whether later runs agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.analysis.failures.entries import FAILURE_THRESHOLD, Entry, Failure
from core.base.types import Bot
from core.store.rows import RunRow
from pages.components.appearance import local_time, show_errors
from pages.components.run_labels import run_labels
from pages.i18n.translate import language, t
from pages.results.failure_data import marked
from pages.results.failure_summary import cause_name, document_name

if TYPE_CHECKING:
    from core.analysis.failures.marks import LaterRun, MarkHistory
    from core.store.store import Store


def mark_buttons(store: Store, bot: Bot, run: RunRow, entry: Entry[Failure], mark: str) -> None:
    """Mark an entry as fixed, or take the mark off."""
    known = next((one for one in marked(store, bot, FAILURE_THRESHOLD) if one.mark.key == entry.key), None)
    if known is None:
        with st.popover(t("failures.mark_fixed"), icon=":material/task_alt:"):
            note = st.text_input(t("failures.mark_fixed_note"), key=f"note-{mark}", max_chars=500)
            if st.button(t("failures.mark_fixed"), type="primary", key=f"mark-{mark}"):
                with show_errors():
                    store.labels.mark_failure(bot.id, entry.key, run.id, note)
                    st.rerun()
        return
    state = t(f"failures.state_{known.state}")
    st.badge(
        t("failures.marked_fixed", when=local_time(known.mark.created_at), state=state),
        icon=":material/task_alt:",
        color="green",
    )
    if st.button(t("failures.unmark_fixed"), icon=":material/undo:", key=f"unmark-{mark}"):
        store.labels.unmark_failure(bot.id, entry.key)
        st.rerun()


def marks_table(store: Store, bot: Bot, line_at: float) -> None:
    """All marks of a bot with what each later run says."""
    found = marked(store, bot, line_at)
    if not found:
        return
    st.subheader(t("failures.fixed"), anchor=False)
    st.caption(t("failures.fixed_lead"))
    questions = _questions(store, found)
    rows = [_row(one, questions.get(one.mark.scenario_id, one.mark.scenario_id)) for one in found]
    runs = {later.run.id: later.run for one in found for later in one.later}
    newest = sorted(runs, key=lambda name: runs[name].created_at, reverse=True)
    about = [name for name in rows[0] if name not in runs]
    labels = run_labels(runs.values())
    st.dataframe(
        pd.DataFrame(rows, columns=[*about, *newest]).fillna(""),
        hide_index=True,
        column_config={name: st.column_config.TextColumn(labels[name]) for name in newest},
        key=f"marks-{bot.id}-{language()}",
    )
    _take_off(store, bot, found, questions)


def _take_off(store: Store, bot: Bot, found: list[MarkHistory], questions: dict[str, str]) -> None:
    """Undo a mark whose entry is not in the list above any more."""
    labels = {str(place): _label(one, questions) for place, one in enumerate(found)}
    with st.expander(t("failures.unmark_fixed"), icon=":material/undo:", type="compact"):
        chosen = st.selectbox(
            t("failures.fixed_which"), list(labels), format_func=lambda name: labels[name], key=f"off-{language()}"
        )
        if st.button(t("failures.unmark_fixed"), key="take-off"):
            store.labels.unmark_failure(bot.id, found[int(chosen or 0)].mark.key)
            st.rerun()


def _label(one: MarkHistory, questions: dict[str, str]) -> str:
    question = questions.get(one.mark.scenario_id, one.mark.scenario_id)
    return f"{cause_name(one.mark.cause)} · {question[:40]}"  # pyright: ignore[reportArgumentType]


def _questions(store: Store, found: list[MarkHistory]) -> dict[str, str]:
    """What each marked scenario asks, by its id."""
    asked: dict[str, str] = {}
    for run_id in {one.mark.run_id for one in found}:
        for scenario in store.runs.snapshot(run_id).get("scenarios", ()):
            asked.setdefault(str(scenario.get("id")), " ".join(str(scenario.get("question", "")).split()))
    return asked


def _row(one: MarkHistory, question: str) -> dict[str, str]:
    """A mark in the table, and under the ids of later runs what they say."""
    mark = one.mark
    cells = {
        t("scores.question"): question,
        t("failures.cause"): cause_name(mark.cause),  # pyright: ignore[reportArgumentType]
        t("failures.document"): mark.document or document_name(""),
        t("failures.fixed_when"): local_time(mark.created_at),
        t("failures.fixed_state"): t(f"failures.state_{one.state}"),
    }
    return {**cells, **{later.run.id: _told(later) for later in one.later}}  # runs of one minute share a label


def _told(later: LaterRun) -> str:
    if later.state == "other" and later.cause:
        return t("failures.later_other", cause=cause_name(later.cause))
    return t(f"failures.state_{later.state}")
