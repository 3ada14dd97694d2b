"""Resuming a run that ended early, and its failed conversations."""

from __future__ import annotations

import streamlit as st

from core.base.errors import error_key
from core.runs.plan import Plan
from core.store.rows import ConversationRow, Progress, RunRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.session import engine
from pages.i18n.translate import stored_error_text, t

MAX_FAILED = 5  # failed conversations listed before "and n more"


def show_resume_buttons(run: RunRow, now: Progress, place: str) -> None:
    """Buttons that resume an incomplete run or retry its failed conversations. place: "watch" or "chosen", for the keys."""
    is_early = now.status in ("stopped", "interrupted") and now.finished < now.total
    failed = now.failed if now.status != "running" else 0
    if run.is_answer_file or not (is_early or failed):
        return
    if error_key(run.error) != "budget_reached":
        _resume_buttons(run, place, is_early, failed)
        return
    with st.popover(t("history.resume"), icon=":material/resume:", key=f"{place}-limits-{run.id}"):
        _limit_fields(run, place)
        _resume_buttons(run, place, is_early, failed)


def _resume_buttons(run: RunRow, place: str, is_early: bool, failed: int) -> None:
    if is_early:
        label, key = t("history.resume"), f"{place}-resume-{run.id}"
        st.button(label, icon=":material/resume:", key=key, on_click=_resume, args=(run.id, place, False))
    if failed:
        label, key = t("history.retry", n=f"{failed:,}"), f"{place}-retry-{run.id}"
        st.button(label, icon=":material/replay:", key=key, on_click=_resume, args=(run.id, place, True))


def _limit_fields(run: RunRow, place: str) -> None:
    """Fields for higher limits of a run that reached its own, twice as high to begin with."""
    plan, key = Plan.model_validate(run.plan), f"{place}-limits-{run.id}"
    st.markdown(t("history.limit_reached"))
    if plan.budget:
        st.number_input(t("history.cost_limit"), plan.budget, value=plan.budget * 2, key=f"{key}-money")
    if plan.budget_calls:
        calls = plan.budget_calls
        st.number_input(t("history.call_limit"), calls, value=calls * 2, key=f"{key}-calls")


def _resume(run_id: str, place: str, retry_failed: bool) -> None:
    """Resume the run, with the limits of the fields if there are some, and watch it."""
    key = f"{place}-limits-{run_id}"
    names = {"budget": f"{key}-money", "budget_calls": f"{key}-calls"}
    limits = {name: st.session_state[field] for name, field in names.items() if field in st.session_state}
    with show_errors():
        resumed = services().runner.resume(run_id, engine(), retry_failed=retry_failed, **limits)
        st.query_params["run"] = run_id
        if resumed.changed:
            st.toast(t("history.changed"), icon=":material/info:")


def show_failed_conversations(store: Store, run: RunRow, failed: int) -> None:
    """Show the latest of the run's `failed` conversations."""
    if not failed:
        return
    st.markdown(f":orange[:material/error:] **{t('history.errors', n=failed)}**")
    for row in store.conversations.failed(run.id, MAX_FAILED):
        _show_failed_conversation(run, row)
    if failed > MAX_FAILED:
        st.caption(t("scores.and_more", n=failed - MAX_FAILED))


def _show_failed_conversation(run: RunRow, row: ConversationRow) -> None:
    query = {"bot": run.bot, "run": run.id, "conversation": row.id}
    with st.container(gap=None):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"{row.number}\\. {line(row.scenario_id, 30)}　{line(row.question, 40)}", width="content")
            label, icon = t("transcripts.open"), ":material/forum:"
            st.page_link("pages/results/transcripts.py", label=label, icon=icon, query_params=query)
        st.caption(plain(stored_error_text(row.error)))
