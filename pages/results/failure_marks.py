"""Entries marked as fixed, and whether later runs agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.analysis.failures.entries import FAILURE_THRESHOLD, Entry
from core.base.types import Bot
from core.store.rows import RunRow
from pages.components.appearance import local_time, show_errors
from pages.components.choices import choose
from pages.components.plain_text import plain
from pages.components.run_picker import run_labels
from pages.i18n.translate import language, t
from pages.results.failure_summary import cause_name, document_name, marks_of_bot

if TYPE_CHECKING:
    from core.analysis.failures.marks import LaterRun, MarkHistory
    from core.store.store import Store


def show_mark_buttons(store: Store, bot: Bot, run: RunRow, entry: Entry, key: str) -> None:
    """Buttons that mark an entry as fixed, or remove the mark."""
    marks = marks_of_bot(store, bot, FAILURE_THRESHOLD)
    history = next((history for history in marks if history.mark.key == entry.key), None)
    if history is None:
        with st.popover(t("failures.mark_fixed"), icon=":material/task_alt:"):
            note = st.text_input(t("failures.mark_fixed_note"), key=f"note-{key}", max_chars=500)
            if st.button(t("failures.mark_fixed"), type="primary", key=f"mark-{key}"):
                with show_errors():
                    store.failure_marks.add(bot.id, entry.key, run.id, note)
                    st.rerun()
        return
    details = {"when": local_time(history.mark.created_at), "state": t(f"failures.state_{history.state}")}
    st.badge(t("failures.marked_fixed", **details), icon=":material/task_alt:", color="green")
    if history.mark.note:
        st.caption(f"{t('failures.fixed_note')}{t('common.colon')}{plain(history.mark.note)}", width="content")
    if st.button(t("failures.unmark_fixed"), icon=":material/undo:", key=f"unmark-{key}"):
        store.failure_marks.remove(bot.id, entry.key)
        st.rerun()


def show_marks(store: Store, bot: Bot, threshold: float) -> None:
    """Show all marks of a bot, with a column for each later run."""
    marks = marks_of_bot(store, bot, threshold)
    if not marks:
        return
    st.subheader(t("failures.fixed"), anchor=False)
    st.caption(t("failures.fixed_lead"))
    questions = _questions(store, marks)
    rows = [_row(history, questions.get(history.mark.scenario_id, history.mark.scenario_id)) for history in marks]
    runs = {later.run.id: later.run for history in marks for later in history.later}
    newest_first = sorted(runs, key=lambda run_id: runs[run_id].created_at, reverse=True)
    columns = [name for name in rows[0] if name not in runs]
    labels = run_labels(runs.values())
    st.dataframe(
        pd.DataFrame(rows, columns=[*columns, *newest_first]).fillna(""),
        hide_index=True,
        column_config={run_id: st.column_config.TextColumn(labels[run_id]) for run_id in newest_first},
        key=f"marks-{bot.id}-{language()}",
    )
    _show_remove_mark(store, bot, marks, questions)


def _show_remove_mark(store: Store, bot: Bot, marks: list[MarkHistory], questions: dict[str, str]) -> None:
    """Remove any mark, also one whose entry is not in the list any more."""
    labels = {index: _label(history, questions) for index, history in enumerate(marks)}
    with st.expander(t("failures.unmark_fixed"), icon=":material/undo:", type="compact"):
        chosen = choose(t("failures.fixed_which"), labels, key=f"marked-{language()}")
        if st.button(t("failures.unmark_fixed"), key="remove-mark"):
            store.failure_marks.remove(bot.id, marks[chosen].mark.key)
            st.rerun()


def _label(history: MarkHistory, questions: dict[str, str]) -> str:
    question = questions.get(history.mark.scenario_id, history.mark.scenario_id)
    return f"{cause_name(history.mark.cause)} · {question[:40]}"  # pyright: ignore[reportArgumentType]


def _questions(store: Store, marks: list[MarkHistory]) -> dict[str, str]:
    """The question of each marked scenario, by its id."""
    questions: dict[str, str] = {}
    for run_id in {history.mark.run_id for history in marks}:
        for scenario in store.runs.snapshot(run_id).get("scenarios", ()):
            questions.setdefault(str(scenario.get("id")), " ".join(str(scenario.get("question", "")).split()))
    return questions


def _row(history: MarkHistory, question: str) -> dict[str, str]:
    """A row of the table; results of later runs are under their ids, since runs of the same minute share a label."""
    mark = history.mark
    cells = {
        t("scores.question"): question,
        t("failures.cause"): cause_name(mark.cause),  # pyright: ignore[reportArgumentType]
        t("failures.document"): mark.document or document_name(""),
        t("failures.fixed_note"): mark.note,
        t("failures.fixed_when"): local_time(mark.created_at),
        t("failures.fixed_state"): t(f"failures.state_{history.state}"),
    }
    return cells | {later.run.id: _later_text(later) for later in history.later}


def _later_text(later: LaterRun) -> str:
    if later.state == "other" and later.cause:
        return t("failures.later_other", cause=cause_name(later.cause))
    return t(f"failures.state_{later.state}")
