"""The progress of a run with cost and live transcripts, resuming it if it ended early, and its failed conversations."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.base.calls import Spending
from core.base.errors import error_key
from core.runs.estimate import project_spending
from core.runs.plan import plan_of
from core.store.rows import ConversationRow, Progress, RunRow
from core.store.store import Store
from pages.components.cost import cost_text, money_limit, money_text, rough_duration, spending_text
from pages.components.job_progress import watch
from pages.components.links import scores_link, transcript_link
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.session import engine
from pages.components.widgets import action_button
from pages.i18n.translate import stored_error_text, t

MAX_LIVE = 3  # running conversations shown
SPEED_SECONDS = 10.0  # seconds over which the speed of calls is measured
MAX_FAILED = 5  # failed conversations listed before "and n more"


def watch_run(store: Store, run: RunRow) -> None:
    draw = partial(_draw_progress, store, run)
    if run.status == "running":
        watch(lambda: (now := store.runs.get(run.id)) is not None and now.status == "running", draw)
    else:
        draw()


def _draw_progress(store: Store, run: RunRow) -> None:
    now, spent = store.runs.progress(run.id), store.calls.spending(run.id)
    with st.container(border=True):
        state = "finished" if now.status == "done" else now.status
        st.markdown(f"**{t(f'run.{state}', done=now.finished, total=now.total)}**")
        st.progress(min(1.0, now.finished / now.total) if now.total else 0.0)
        st.caption("  \n".join(text for text in (_speed_text(store, run, now, spent), _cost_text(now, spent)) if text))
        if spent.calls:
            _draw_budget_bars(run, spent)
        _show_error(run)
        if problem := services().runner.unstored_end(run.id):
            st.warning(t("run.end_unstored", error=plain(stored_error_text(problem))), icon=":material/error:")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            if now.status == "running":
                action_button(t("run.stop"), "stop", services().runner.stop, run.id)
            scores_link(run.bot, run.id)
            show_resume_buttons(run, now, "watch")
        show_failed_conversations(store, run, now.failed)
        if now.status == "running":
            _draw_live_transcripts(store, run.id)


def _speed_text(store: Store, run: RunRow, now: Progress, spent: Spending) -> str:
    """Conversations and calls per second, the time so far and the time left, the failed conversations."""
    notes = [t("run.speed", speed=f"{now.per_second:.1f}")]
    if now.status == "running" and spent.calls:
        calls = store.calls.count_recent(run.id, SPEED_SECONDS) / min(SPEED_SECONDS, max(1.0, now.seconds))
        notes.append(t("runs.calls_speed", speed=f"{calls:.1f}"))
    notes.append(rough_duration(now.seconds))
    if now.eta_seconds is not None:
        notes.append(t("runs.eta", time=rough_duration(now.eta_seconds)))
    if now.failed:
        notes.append(f":orange[{t('run.failed', n=now.failed)}]")
    return " · ".join(notes)


def _cost_text(now: Progress, spent: Spending) -> str:
    """Calls, tokens and money so far and at the end; "" if nothing was called."""
    if not spent.calls:
        return ""
    text = t("runs.so_far" if now.status == "running" else "runs.spent", spent=spending_text(spent))
    end = project_spending(spent, now) if now.status == "running" else None
    if end is None:
        return text
    return f"{text} · {t('runs.projected', calls=f'{end.calls:,}', money=cost_text(end))}"


def _draw_budget_bars(run: RunRow, spent: Spending) -> None:
    """Draw how much of a run's budget is spent, one bar per limit."""
    plan = plan_of(run)
    if plan.budget:
        text = t("runs.budget", spent=money_text(spent.cost, ""), limit=money_limit(plan))
        st.progress(min(1.0, spent.cost / plan.budget), text)
    if plan.budget_calls:
        limit = t("estimate.calls_n", n=f"{plan.budget_calls:,}")
        st.progress(min(1.0, spent.calls / plan.budget_calls), t("runs.budget", spent=f"{spent.calls:,}", limit=limit))


def _show_error(run: RunRow) -> None:
    if error_key(run.error) == "budget_reached":
        plan = plan_of(run)
        limits = [money_limit(plan)] if plan.budget else []
        if plan.budget_calls:
            limits.append(t("estimate.calls_n", n=f"{plan.budget_calls:,}"))
        st.warning(t("runs.budget_reached", limit=t("common.comma").join(limits)), icon=":material/savings:")
    elif run.error:
        st.warning(t("run.failed_run", error=plain(stored_error_text(run.error))), icon=":material/error:")


def _draw_live_transcripts(store: Store, run_id: str) -> None:
    """Draw the last messages of some running conversations."""
    st.caption(t("run.live"))
    running = store.conversations.of_run(run_id, "running")[:MAX_LIVE]
    if not running:
        st.caption(t("run.live_none"))
        return
    for column, conversation in zip(st.columns(MAX_LIVE), running, strict=False):
        with column, st.container(border=True, height=190):
            st.caption(f"{conversation.number}\\. {line(conversation.persona_name, 20)}")
            turns = store.conversations.turns(conversation.id, {})
            if not turns:
                st.markdown(f":material/person: {line(conversation.question, 90)}")
            for row in turns[-2:]:
                st.markdown(f":material/person: {line(row.user_text, 90)}")
                st.markdown(f":material/support_agent: {line(row.reply_text, 120)}")


def show_resume_buttons(run: RunRow, now: Progress, place: str) -> None:
    """Buttons that resume a run or retry its failed conversations. place: "watch" or "chosen", for the keys."""
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
        action_button(t("history.resume"), "resume", _resume, run.id, place, False, key=f"{place}-resume-{run.id}")
    if failed:
        label, key = t("history.retry", n=f"{failed:,}"), f"{place}-retry-{run.id}"
        action_button(label, "replay", _resume, run.id, place, True, key=key)


def _limit_fields(run: RunRow, place: str) -> None:
    """Fields for higher limits of a run that reached its own, twice as high to begin with."""
    plan, key = plan_of(run), f"{place}-limits-{run.id}"
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
    with st.container(gap=None):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"{row.number}\\. {line(row.scenario_id, 30)}　{line(row.question, 40)}", width="content")
            transcript_link(run.bot, run.id, row.id)
        st.caption(plain(stored_error_text(row.error)))
