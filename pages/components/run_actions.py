"""What can be done with a run that ended early, and which of its conversations failed."""

from __future__ import annotations

import streamlit as st

from core.base.errors import error_key
from core.runs.plan import Plan
from core.store.records import ConversationRow, Progress, RunRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.session import engine
from pages.i18n.translate import stored_error_text, t


def resume_buttons(run: RunRow, now: Progress, place: str) -> None:
    """The buttons that a run has use for; `place` tells those in the watch box from those under the table."""
    early = now.status in ("stopped", "interrupted") and now.finished < now.total
    failed = now.failed if now.status != "running" else 0
    if is_answer_file(run) or not (early or failed) or not hasattr(services().batches, "resume"):
        return
    if error_key(run.error) == "budget_reached":
        _resume_with_higher_limits(run, place, early, failed)
        return
    if early:
        _resume_button(run, t("history.resume"), "resume", f"{place}-go-on")
    if failed:
        _resume_button(run, t("history.retry", n=f"{failed:,}"), "replay", f"{place}-retry", retry_failed=True)


def is_answer_file(run: RunRow) -> bool:
    """Whether the answers came from a file."""
    return bool(run.plan.get("file"))


def _resume_button(run: RunRow, label: str, icon: str, key: str, **how: bool) -> None:
    """A button that lets the run go on; limits in the fields of a popover count."""
    fields = f"{key.partition('-')[0]}-more-{run.id}"
    looks = {"icon": f":material/{icon}:", "key": f"{key}-{run.id}"}
    st.button(label, on_click=_resume, args=(run.id, fields), kwargs=how, **looks)


def _resume_with_higher_limits(run: RunRow, place: str, early: bool, failed: int) -> None:
    """A run that has used up its limits needs higher ones first; to begin with, twice as much."""
    plan, key = Plan.model_validate(run.plan), f"{place}-more-{run.id}"
    with st.popover(t("history.resume"), icon=":material/resume:", key=key):
        st.markdown(t("history.limit_reached"))
        if plan.budget:
            st.number_input(t("history.cost_limit"), plan.budget, value=plan.budget * 2, key=f"{key}-money")
        if plan.budget_calls:
            least = plan.budget_calls
            st.number_input(t("history.call_limit"), least, value=least * 2, key=f"{key}-calls")
        if early:
            _resume_button(run, t("history.resume"), "resume", f"{place}-go-on")
        if failed:
            _resume_button(run, t("history.retry", n=f"{failed:,}"), "replay", f"{place}-retry", retry_failed=True)


def _resume(run_id: str, fields: str, retry_failed: bool = False) -> None:
    """Begin again where the run ended, with the limits of the fields where there are some, and watch it."""
    names = {"budget": f"{fields}-money", "budget_calls": f"{fields}-calls"}
    limits = {name: st.session_state[field] for name, field in names.items() if field in st.session_state}
    with show_errors():
        resumed = services().batches.resume(run_id, engine(), retry_failed=retry_failed, **limits)
        st.query_params["run"] = run_id
        if resumed.changed:
            st.toast(t("history.changed"), icon=":material/info:")


def failed_conversations(store: Store, run: RunRow, failed: int, shown: int = 5) -> None:
    """The last ones that failed, of `failed` in all; nothing where all went well."""
    if not failed:
        return
    st.markdown(f":orange[:material/error:] **{t('history.errors', n=failed)}**")
    for row in store.failures(run.id, shown):
        _failure(run, row)
    if failed > shown:
        st.caption(t("scores.and_more", n=failed - shown))


def _failure(run: RunRow, row: ConversationRow) -> None:
    """One of them: number, scenario and the way to the transcript, and below what went wrong."""
    asked = {"bot": run.bot, "run": run.id, "conversation": row.id}
    with st.container(gap=None):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"{row.number}\\. {line(row.scenario_id, 30)}　{line(row.question, 40)}", width="content")
            label, icon = t("history.to_transcript"), ":material/forum:"
            st.page_link("pages/results/transcripts.py", label=label, icon=icon, query_params=asked)
        st.caption(plain(stored_error_text(row.error)))
