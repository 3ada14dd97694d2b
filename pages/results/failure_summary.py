"""What to fix in a run in brief, cached until a score or a document changes, and entries marked as fixed."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.analysis.failures.causes import NOT_CLEAR
from core.analysis.failures.entries import (
    FAILURE_THRESHOLD,
    Entry,
    Failures,
    by_cause,
    judges_for_unclear,
    judges_to_confirm,
)
from core.analysis.failures.find import find_failures
from core.analysis.failures.fixed_entries import FixHistory, LaterRun, fix_histories
from core.analysis.failures.sentences import points_lost_note
from core.analysis.names import judge_names
from core.base.types import Bot
from core.charts.causes import causes_bar
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.appearance import local_time, show_errors
from pages.components.job_progress import watch
from pages.components.judge_picker import show_judging_job, start_judging_job
from pages.components.plain_text import plain
from pages.components.run_picker import run_labels
from pages.components.services import cached, services
from pages.components.session import uses_model
from pages.components.widgets import action_button, choose
from pages.i18n.translate import language, t

# A turn fails at this Overall or less; the first is the default.
THRESHOLDS = {"3": FAILURE_THRESHOLD, "2": 0.4, "4": 0.8}


def failures_of_run(store: Store, bot: Bot, run: RunRow, threshold: float) -> Failures:
    index = None if run.is_answer_file else services().index_of(bot)
    state = (store.scores.newest().score, index.digest if index else "", run.status)
    return cached(("failures", run.id, threshold, *state), lambda: find_failures(store, run.id, threshold, index))


def fixes_of_bot(store: Store, bot: Bot, threshold: float) -> list[FixHistory]:
    """The bot's fixed entries with the later runs of their scenarios."""
    index = services().index_of(bot)
    entries = tuple((*entry.key, str(entry.created_at)) for entry in store.fixed_entries.of_bot(bot.id))
    if not entries:
        return []
    runs = tuple((run.id, run.status) for run in store.runs.all(bot.id))
    state = (store.scores.newest().score, index.digest if index else "", entries, runs)
    return cached(("fixes", bot.id, threshold, *state), lambda: fix_histories(store, bot.id, threshold, index))


def lacks_index(bot: Bot, run: RunRow) -> bool:
    """Whether the run needs an index that is still being built; ask before `failures_of_run`."""
    return not run.is_answer_file and bot.folder.is_dir() and services().is_loading(bot.id)


def wait_for_index(bot: Bot) -> None:
    """Show which causes need the index and how far it is; reruns the page when the index is ready."""
    causes = {name: t(f"failures.cause_{name}") for name in ("rewrite", "not_found")}

    def draw() -> None:
        now = services().loading[bot.id]
        progress = t("home.index_progress", done=f"{now.done:,}", total=f"{now.total:,}") if now.total else ""
        st.info(t("failures.no_index", **causes) + progress, icon=":material/hourglass_top:")

    watch(lambda: services().is_loading(bot.id), draw)


def cause_name(cause: str) -> str:
    return t(f"failures.cause_{cause}")


def document_name(bot: Bot, document: str, why: str = "") -> str:
    """A document's title and file name, or words for an unknown or missing one."""
    if document:
        return plain(titled_document(bot, document), links=False)
    return t("failures.not_written" if why == "not_in_documents" else "failures.no_document")


def titled_document(bot: Bot, document: str) -> str:
    """The title before the file name of a document; the file name alone if the title is unknown."""
    title = document_title(bot, document)
    return f"{title} · {document}" if title != document else document


def document_title(bot: Bot, document: str) -> str:
    """The title of a document; its file name if the title is unknown."""
    index = services().index_of(bot)
    if index is None:
        return document
    titles = cached(("titles", index.digest), lambda: {passage.document: passage.title for passage in index.passages})
    return titles.get(document, "") or document


def draw_cause_chart(failures: Failures) -> None:
    bars, config = causes_bar(by_cause(failures.turns), t).figure, {"displayModeBar": False}
    with st.container(border=True):
        st.caption(f"{t('failures.bars')}　{points_lost_note(failures, t)}")
        st.plotly_chart(bars, config=config, alt=t("failures.bars"), key="chart-causes")


def show_judges_to_add(run: RunRow, failures: Failures) -> None:
    """Show how many causes are unclear, and a button that lets the judges which would clear them up score the run."""
    if show_judging_job(run.id, "fix"):
        return
    unclear = sum(turn.diagnosis.cause in NOT_CLEAR for turn in failures.turns)
    unconfirmed = sum(turn.diagnosis.by == "words" and bool(turn.diagnosis.deciding_judges) for turn in failures.turns)
    for_unclear = judges_for_unclear(failures.turns)
    names = for_unclear or judges_to_confirm(failures.turns)
    if not names:
        if unclear:
            st.info(t("failures.unclear_without_reference", n=unclear), icon=":material/help:")
        return
    key, n = ("unclear", unclear) if for_unclear else ("unconfirmed", unconfirmed)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="judges-to-add"):
        st.markdown(t(f"failures.{key}", n=n, judges=plain(judge_names(names, t))))
        if st.button(t("failures.let_judge"), icon=":material/gavel:", key="fix-judge"):
            start_judging_job(run.id, names)
    if uses_model():
        st.caption(t("failures.let_judge_model", n=len(names)))


def show_mark_buttons(store: Store, bot: Bot, run: RunRow, entry: Entry, key: str) -> None:
    fixes = fixes_of_bot(store, bot, FAILURE_THRESHOLD)
    history = next((history for history in fixes if history.entry.key == entry.key), None)
    if history is None:
        with st.popover(t("failures.mark_fixed"), icon=":material/task_alt:"):
            note = st.text_input(t("failures.mark_fixed_note"), key=f"note-{key}", max_chars=500)
            if st.button(t("failures.mark_fixed"), type="primary", key=f"mark-{key}"):
                with show_errors():
                    store.fixed_entries.add(bot.id, entry.key, run.id, note)
                    st.rerun()
        return
    details = {"when": local_time(history.entry.created_at), "state": t(f"failures.state_{history.state}")}
    st.badge(t("failures.marked_fixed", **details), icon=":material/task_alt:", color="green")
    if history.entry.note:
        st.caption(f"{t('failures.fixed_note')}{t('common.colon')}{plain(history.entry.note)}", width="content")
    label, unmark = t("failures.unmark_fixed"), store.fixed_entries.remove
    action_button(label, "undo", unmark, bot.id, entry.key, key=f"unmark-{key}")


def show_fixed_entries(store: Store, bot: Bot, threshold: float) -> None:
    """Show all fixed entries of a bot, with a column for each later run."""
    fixes = fixes_of_bot(store, bot, threshold)
    if not fixes:
        return
    st.subheader(t("failures.fixed"), anchor=False)
    st.caption(t("failures.fixed_lead"))
    questions = _questions(store, fixes)
    rows = [
        _row(bot, history, questions.get(history.entry.scenario_id, history.entry.scenario_id)) for history in fixes
    ]
    runs = {later.run.id: later.run for history in fixes for later in history.later}
    newest_first = sorted(runs, key=lambda run_id: runs[run_id].created_at, reverse=True)
    columns = [name for name in rows[0] if name not in runs]
    labels = run_labels(runs.values())
    st.dataframe(
        pd.DataFrame(rows, columns=[*columns, *newest_first]).fillna(""),
        hide_index=True,
        column_config={run_id: st.column_config.TextColumn(labels[run_id]) for run_id in newest_first},
        key=f"marks-{bot.id}-{language()}",
    )
    _show_remove_mark(store, bot, fixes, questions)


def _show_remove_mark(store: Store, bot: Bot, fixes: list[FixHistory], questions: dict[str, str]) -> None:
    """Remove any mark, also one whose entry is not in the list any more."""
    labels = {index: _label(history, questions) for index, history in enumerate(fixes)}
    with st.expander(t("failures.unmark_fixed"), icon=":material/undo:", type="compact"):
        chosen = choose(t("failures.fixed_which"), labels, key=f"marked-{language()}")
        if st.button(t("failures.unmark_fixed"), key="remove-mark"):
            store.fixed_entries.remove(bot.id, fixes[chosen].entry.key)
            st.rerun()


def _label(history: FixHistory, questions: dict[str, str]) -> str:
    question = questions.get(history.entry.scenario_id, history.entry.scenario_id)
    return f"{cause_name(history.entry.cause)} · {question[:40]}"


def _questions(store: Store, fixes: list[FixHistory]) -> dict[str, str]:
    """The question of each fixed scenario, by its id."""
    questions: dict[str, str] = {}
    for run_id in {history.entry.run_id for history in fixes}:
        for scenario in store.runs.snapshot(run_id).get("scenarios", ()):
            questions.setdefault(str(scenario.get("id")), " ".join(str(scenario.get("question", "")).split()))
    return questions


def _row(bot: Bot, history: FixHistory, question: str) -> dict[str, str]:
    """A row of the table; results of later runs are under their ids, since runs of the same minute share a label."""
    entry = history.entry
    cells = {
        t("scores.question"): question,
        t("failures.cause"): cause_name(entry.cause),
        t("failures.document"): titled_document(bot, entry.document) if entry.document else document_name(bot, ""),
        t("failures.fixed_note"): entry.note,
        t("failures.fixed_when"): local_time(entry.created_at),
        t("failures.fixed_state"): t(f"failures.state_{history.state}"),
    }
    return cells | {later.run.id: _later_text(later) for later in history.later}


def _later_text(later: LaterRun) -> str:
    if later.state == "other_cause" and later.cause:
        return t("failures.later_other_cause", cause=cause_name(later.cause))
    return t(f"failures.state_{later.state}")
