"""What to fix in a run in brief, cached until a score or a document changes, and entries marked as fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import (
    FAILURE_THRESHOLD,
    Entry,
    Failures,
    by_cause,
    judges_for_unclear,
    judges_to_confirm,
)
from core.analysis.names import judge_name
from core.base.types import Bot
from core.charts.causes import causes_bar
from core.store.rows import RunRow
from pages.components.appearance import local_time, show_errors
from pages.components.choices import choose
from pages.components.judge_picker import show_judging_job, start_judging_job
from pages.components.plain_text import plain
from pages.components.run_picker import run_labels
from pages.components.services import services
from pages.components.session import uses_model
from pages.i18n.translate import language, t

if TYPE_CHECKING:
    from core.analysis.failures.marks import LaterRun, MarkHistory
    from core.retrieval.index import Index
    from core.store.store import Store


THRESHOLDS = {"3": 0.6, "2": 0.4, "4": 0.8}  # a turn fails at this Overall or less; the first is the default


def failures_of_run(store: Store, bot: Bot, run: RunRow, threshold: float) -> Failures:
    """What to fix in a run."""
    index = None if run.is_answer_file else services().index_of(bot)
    state = (str(store.db.engine.url), store.scores.newest().score, index.digest if index else "", run.status)
    return _failures(store, index, run.id, threshold, state)


@st.cache_resource(max_entries=16, show_spinner=False)
def _failures(
    _store: Store, _index: Index | None, run_id: str, threshold: float, state: tuple[object, ...]
) -> Failures:
    from core.analysis.failures.find import find_failures  # imports the index

    return find_failures(_store, run_id, threshold, _index)


def marks_of_bot(store: Store, bot: Bot, threshold: float) -> list[MarkHistory]:
    """The bot's marks with what later runs say about them."""
    index = services().index_of(bot)
    marks = tuple((*mark.key, str(mark.created_at)) for mark in store.failure_marks.of_bot(bot.id))
    if not marks:
        return []
    runs = tuple((run.id, run.status) for run in store.runs.all(bot.id))
    state = (str(store.db.engine.url), store.scores.newest().score, index.digest if index else "", marks, runs)
    return _marks(store, index, bot.id, threshold, state)


@st.cache_resource(max_entries=8, show_spinner=False)
def _marks(
    _store: Store, _index: Index | None, bot_id: str, threshold: float, state: tuple[object, ...]
) -> list[MarkHistory]:
    from core.analysis.failures.marks import mark_histories  # imports the index

    return mark_histories(_store, bot_id, threshold, _index)


def lacks_index(bot: Bot, run: RunRow) -> bool:
    """Whether the run needs an index that is still being built; ask before `failures_of_run`."""
    return not run.is_answer_file and bot.folder.is_dir() and services().is_loading(bot.id)


@st.fragment(run_every=1.0)
def wait_for_index(bot: Bot) -> None:
    """Show which causes need the index and how far it is; reruns the page when the index is ready."""
    if not services().is_loading(bot.id):
        st.rerun()
    causes = {name: t(f"failures.cause_{name}") for name in ("rewrite", "not_found")}
    now = services().loading[bot.id]
    progress = t("home.index_progress", done=f"{now.done:,}", total=f"{now.total:,}") if now.total else ""
    st.info(t("failures.no_index", **causes) + progress, icon=":material/hourglass_top:")


def cause_name(cause: Cause) -> str:
    """A cause in words."""
    return t(f"failures.cause_{cause}")


def document_name(bot: Bot, document: str, why: str = "") -> str:
    """A document's title and file name, or words for an unknown or missing one."""
    if document:
        return plain(titled_document(bot, document), links=False)
    return t("failures.not_written" if why == "unwritten" else "failures.no_document")


def titled_document(bot: Bot, document: str) -> str:
    """The title before the file name of a document; the file name alone if the title is unknown."""
    index = services().index_of(bot)
    title = _titles(index, index.digest).get(document, "") if index else ""
    return f"{title} · {document}" if title not in ("", document) else document


@st.cache_data(max_entries=16, show_spinner=False)
def _titles(_index: Index, digest: str) -> dict[str, str]:
    """The title of each document of an index."""
    return {passage.document: passage.title for passage in _index.passages}


def draw_cause_chart(failures: Failures) -> None:
    """Draw how many points each cause cost."""
    with st.container(border=True):
        st.caption(f"{t('failures.bars')}　{t('failures.how')}")
        st.plotly_chart(
            causes_bar(by_cause(failures.turns), t).figure,
            config={"displayModeBar": False},
            alt=t("failures.bars"),
            key="chart-causes",
        )


def show_judges_to_add(run: RunRow, failures: Failures) -> None:
    """Show how many causes are unclear, and a button that lets the judges which would clear them up score the run."""
    if show_judging_job(run.id, "fix"):
        return
    unclear = sum(turn.diagnosis.cause in ("unclear", "unknown") for turn in failures.turns)
    unconfirmed = sum(turn.diagnosis.by == "words" and bool(turn.diagnosis.tell) for turn in failures.turns)
    for_unclear = judges_for_unclear(failures.turns)
    names = for_unclear or judges_to_confirm(failures.turns)
    if not names:
        if unclear:
            st.info(t("failures.would_tell_reference", n=unclear), icon=":material/help:")
        return
    key, n = ("would_tell", unclear) if for_unclear else ("would_assure", unconfirmed)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="judges-to-add"):
        st.markdown(t(f"failures.{key}", n=n, judges=judge_names(names)))
        if st.button(t("failures.let_judge"), icon=":material/gavel:", key="fix-judge"):
            start_judging_job(run.id, names)
    if uses_model():
        st.caption(t("failures.let_judge_model", n=len(names)))


def judge_names(names: tuple[str, ...]) -> str:
    """Several judges in words."""
    return plain(t("common.comma").join(judge_name(name, t) for name in names))


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
    rows = [_row(bot, history, questions.get(history.mark.scenario_id, history.mark.scenario_id)) for history in marks]
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


def _row(bot: Bot, history: MarkHistory, question: str) -> dict[str, str]:
    """A row of the table; results of later runs are under their ids, since runs of the same minute share a label."""
    mark = history.mark
    cells = {
        t("scores.question"): question,
        t("failures.cause"): cause_name(mark.cause),  # pyright: ignore[reportArgumentType]
        t("failures.document"): titled_document(bot, mark.document) if mark.document else document_name(bot, ""),
        t("failures.fixed_note"): mark.note,
        t("failures.fixed_when"): local_time(mark.created_at),
        t("failures.fixed_state"): t(f"failures.state_{history.state}"),
    }
    return cells | {later.run.id: _later_text(later) for later in history.later}


def _later_text(later: LaterRun) -> str:
    if later.state == "other" and later.cause:
        return t("failures.later_other", cause=cause_name(later.cause))
    return t(f"failures.state_{later.state}")
