"""How runs look: progress while they go on, and their place in a list."""

from __future__ import annotations

import streamlit as st

from core.base.calls import Spending
from core.base.errors import error_key
from core.runs.estimate import projected
from core.runs.plan import Plan
from core.store.records import Progress, RunRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.cost import budget_bars, cost_text, money_limit, rough_duration, spent_line
from pages.components.plain_text import line, plain
from pages.components.run_actions import failed_conversations, resume_buttons
from pages.components.services import services
from pages.i18n.translate import stored_error_text, t

LIVE = 3  # conversations shown while they go on
LATELY = 10.0  # seconds over which calls are counted for their speed


def watch_run(store: Store, run: RunRow) -> None:
    """Progress and live transcripts of a run; asks again every second only while it goes on."""
    active = run.status == "running"

    @st.fragment(run_every=1.0 if active else None)
    def draw() -> None:
        if store.run(run.id) is None:  # deleted elsewhere
            st.rerun()
        now = store.progress(run.id)
        if active != (now.status == "running"):
            st.rerun()
        with st.container(border=True):
            _bar(store, run, now)
            failed_conversations(store, run, now.failed)
            if now.status == "running":
                _live(store, run.id)

    draw()


def _bar(store: Store, run: RunRow, now: Progress) -> None:
    spent = store.spending(run.id)
    counts = {"done": now.finished, "total": now.total}
    st.markdown(f"**{t(f'batch.{_state(now.status)}', **counts)}**")
    st.progress(min(1.0, now.finished / now.total) if now.total else 0.0)
    st.caption(
        "  \n".join(part for part in (_pace(now, _calls_a_second(store, run, now, spent)), _cost(now, spent)) if part)
    )
    if spent.calls:
        budget_bars(run, spent)
    _reason(run)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if now.status == "running":
            st.button(t("batch.stop"), icon=":material/stop:", on_click=_stop, args=(run.id,))
        results_link(run.id, run.bot)
        resume_buttons(run, now, "watch")


def _calls_a_second(store: Store, run: RunRow, now: Progress, spent: Spending) -> float | None:
    """Calls a second of late; none where nothing is called (any more)."""
    if now.status != "running" or not spent.calls:
        return None
    return store.calls_within(run.id, LATELY) / min(LATELY, max(1.0, now.seconds))


def _pace(now: Progress, calls: float | None) -> str:
    """How fast it goes, how long it has taken, how long it will."""
    notes = [t("batch.speed", speed=f"{now.per_second:.1f}")]
    if calls is not None:
        notes.append(t("runs.calls_speed", speed=f"{calls:.1f}"))
    notes.append(rough_duration(now.seconds))
    if now.eta_seconds is not None:
        notes.append(t("runs.eta", time=rough_duration(now.eta_seconds)))
    if now.failed:
        notes.append(f":orange[{t('batch.failed', n=now.failed)}]")
    return " · ".join(notes)


def _cost(now: Progress, spent: Spending) -> str:
    """Calls, tokens and money so far, and what they will come to; empty where nothing is called."""
    if not spent.calls:
        return ""
    text = t("runs.so_far" if now.status == "running" else "runs.spent", spent=spent_line(spent))
    end = projected(spent, now) if now.status == "running" else None
    if end is None:
        return text
    return f"{text} · {t('runs.projected', calls=f'{end.calls:,}', money=cost_text(end))}"


def _reason(run: RunRow) -> None:
    """Why a run came to an early end, and what to do."""
    if error_key(run.error) == "budget_reached":
        st.warning(t("runs.budget_reached", limit=_limit(Plan.model_validate(run.plan))), icon=":material/savings:")
    elif run.error:
        st.warning(t("batch.failed_run", error=plain(stored_error_text(run.error))), icon=":material/error:")


def _limit(plan: Plan) -> str:
    """The limits of a plan, in words."""
    limits = [money_limit(plan)] if plan.budget else []
    if plan.budget_calls:
        limits.append(t("estimate.calls_n", n=f"{plan.budget_calls:,}"))
    return t("common.comma").join(limits)


def _state(status: str) -> str:
    return "finished" if status == "done" else status


def _stop(run_id: str) -> None:
    with show_errors():
        services().batches.stop(run_id)


def results_link(run_id: str, bot: str) -> None:
    """One click to the charts of a run."""
    asked = {"bot": bot, "run": run_id}
    st.page_link(
        "pages/results/scores.py", label=t("batch.open_results"), icon=":material/bar_chart:", query_params=asked
    )


def _live(store: Store, run_id: str) -> None:
    """The conversations under way, as far as they have come."""
    st.caption(t("batch.live"))
    going = store.conversations(run_id, "running")[:LIVE]
    if not going:
        st.caption(t("batch.live_none"))
        return
    for column, conversation in zip(st.columns(LIVE), going, strict=False):
        with column, st.container(border=True, height=190):
            st.caption(f"{conversation.number}\\. {line(conversation.persona_name, 20)}")
            turns = store.transcript(conversation.id)
            if not turns:
                st.markdown(f":material/person: {line(conversation.question, 90)}")
            for row in turns[-2:]:
                st.markdown(f":material/person: {line(row.user_text, 90)}")
                st.markdown(f":material/support_agent: {line(row.reply_text, 120)}")
