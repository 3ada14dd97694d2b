"""The cost of a run before it starts: an estimate of money and time, and limits to both money and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import streamlit as st

from core.analysis.formatting import NO_VALUE
from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Role
from core.llm.roles import ModelEngine
from core.runs.estimate import SAMPLED_CONVERSATIONS, EstimateJob, RunEstimate
from core.runs.plan import Plan
from core.runs.runner import check_budget
from pages.components.appearance import show_error, show_errors
from pages.components.bot_picker import bot_names
from pages.components.cost import cost_text, money_limit, money_text, prices, rough_duration, spending_text
from pages.components.job_progress import watch
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import distinct_models, engine, model_names, models_text
from pages.components.widgets import action_button, show_rows
from pages.i18n.translate import t

_KEY = "estimate"


@dataclass(frozen=True)
class RequestedEstimate:
    """An estimate and what it depends on; it is stale when that has changed."""

    basis: object
    job: EstimateJob


def estimate_basis(plan: Plan, *parts: object) -> object:
    """Everything that changes the cost: the plan without its limits, the models, the prices, and `parts`."""
    return plan.model_copy(update={"budget": 0.0, "budget_calls": 0}), _models(), prices(), parts


def _models() -> object:
    """Server, model and parameters of each role, without keys; None if no model is set up."""
    try:
        current = engine()
    except BadInput:  # shown by the pages that need the engine
        return None
    if not isinstance(current, ModelEngine):
        return None
    return {role: (model.server.name, model.model_dump(exclude={"server"})) for role, model in current.roles.items()}


def show_estimate(plan: Plan, basis: object) -> None:
    """Show the button and the last estimate, or the progress of a running one."""
    requested = _requested()
    if requested and requested.job.pending:
        job = requested.job
        watch(lambda: _is_going(job), lambda: _draw_running_estimate(job))
        return
    with st.container(border=True):
        _show_button_and_result(plan, basis, requested)


def _is_going(job: EstimateJob) -> bool:
    """Whether an estimate is running and still needed."""
    requested = _requested()
    return requested is not None and requested.job is job and job.pending


def _draw_running_estimate(job: EstimateJob) -> None:
    with st.container(border=True):
        st.markdown(f":material/hourglass_top: **{t('estimate.running')}**")
        state = _index_text(job) if job.preparing else spending_text(job.spent)
        seconds = t("common.seconds", seconds=f"{max(1, round(job.seconds))}")  # never minutes, so that it moves
        st.caption(f"{seconds} · {state}")
        action_button(t("common.cancel"), "stop", forget_estimate, key="estimate-stop")


def _requested() -> RequestedEstimate | None:
    """The last estimate, stopped if it takes too long."""
    stored = st.session_state.get(_KEY)
    if not isinstance(stored, RequestedEstimate):
        return None
    stored.job.check_time()
    return stored


def _show_button_and_result(plan: Plan, basis: object, requested: RequestedEstimate | None) -> None:
    job = requested.job if requested else None
    if job and job.timed_out:
        key = "estimate.unprepared" if job.preparing else "estimate.slow"
        st.warning(t(key, minutes=f"{job.limit / 60:.0f}"), icon=":material/error:")
    elif job and job.error:
        show_error(job.error)
    estimate = job.result if job else None
    if requested and estimate:
        is_stale = requested.basis != basis
        if is_stale:
            st.warning(t("estimate.stale"), icon=":material/history:")
        _show_result(estimate, is_stale)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        label = t("estimate.estimate_again" if estimate else "estimate.do")
        pressed = st.button(label, icon=":material/calculate:", key="estimate-do")
        note = "estimate.before" if plan.cache else "estimate.before_no_cache"
        st.caption(t(note, n=SAMPLED_CONVERSATIONS), width="stretch")
    if pressed:
        with show_errors():
            job = EstimateJob(plan, engine(), services().indexes)
            job.start()
            st.session_state[_KEY] = RequestedEstimate(basis, job)
            st.rerun()


def _index_text(job: EstimateJob) -> str:
    """How far the index is that the estimate waits for; it may be built by the server since its start."""
    bot = job.plan.bot
    name, loading = plain(bot_names().get(bot, bot)), services().loading.get(bot)
    done, total = (job.done, job.total) if job.total or loading is None else (loading.done, loading.total)
    if not total:
        return t("estimate.preparing", bot=name)
    return t("estimate.preparing_of", bot=name, done=f"{done:,}", total=f"{total:,}")


def forget_estimate() -> None:
    """Forget the last estimate and stop it if it is running; its calls stay in the call log."""
    if requested := _requested():
        requested.job.stop()
        del st.session_state[_KEY]


def _show_result(estimate: RunEstimate, is_stale: bool) -> None:
    st.markdown(f"**{t('estimate.title')}**")
    figures = {
        "conversations": f"{estimate.conversations:,}",
        "calls": f"{estimate.due.calls:,}",
        "money": _money_text(estimate),
        "time": rough_duration(estimate.seconds),
    }
    for column, (name, value) in zip(st.columns(4), figures.items(), strict=True):
        column.metric(t(f"estimate.{name}"), NO_VALUE if is_stale else value)
    if is_stale:
        return
    st.caption("  \n".join(_notes(estimate)))
    with st.expander(t("estimate.by_role"), icon=":material/table_rows:", type="compact"):
        rows = [_role_row(role, estimate.new[role]) for role in get_args(Role) if role in estimate.new]
        show_rows(rows, width="stretch")


def _money_text(estimate: RunEstimate) -> str:
    """The money that will be charged; a word if no model has a price."""
    if estimate.total.known_cost is None:
        return t("estimate.unknown")
    return money_text(estimate.due.cost, prices().currency)


def _notes(estimate: RunEstimate) -> list[str]:
    """What will be charged, what the estimate cost, what is cached already, and what has no price."""
    notes = [
        t("estimate.due", spent=spending_text(estimate.due)),
        t("estimate.paid", n=estimate.sampled, spent=spending_text(estimate.paid)),
    ]
    if estimate.known:
        notes.append(t("estimate.known", percent=f"{estimate.known * 100:.0f}"))
    if estimate.external_messages:
        notes.append(t("external_bot.estimate", n=f"{estimate.external_messages:,}"))
    table, names = prices(), distinct_models()
    unpriced = [name for name in names if table.price(name) is None]
    if estimate.total.unpriced and unpriced:
        notes.append(f":orange[{t('estimate.no_price', models=models_text(unpriced))}]")
    return notes


def _role_row(role: Role, spent: Spending) -> dict[str, Any]:
    return {
        t("calls.by_role"): t(f"models.role_{role}"),
        t("models.model"): model_names().get(role, ""),
        t("estimate.calls"): f"{spent.calls:,}",
        t("calls.prompt_tokens"): f"{spent.prompt_tokens:,}",
        t("calls.completion_tokens"): f"{spent.completion_tokens:,}",
        t("estimate.money"): cost_text(spent) if spent.calls else "",
    }


def budget_fields() -> dict[str, Any]:
    """Choose the most money and the most calls of a run, and whether cached calls are used."""
    left, middle, right, _ = st.columns(4, vertical_alignment="bottom")
    none = t("estimate.no_limit")
    label, text = t("estimate.budget", currency=plain(prices().currency)), t("estimate.budget_help")
    money = left.number_input(label, 0.0, None, None, 0.5, "%g", key="run-budget", help=text, placeholder=none)
    label, text = t("estimate.budget_calls"), t("estimate.budget_calls_help")
    calls = middle.number_input(label, 0, None, None, 100, key="run-budget-calls", help=text, placeholder=none)
    is_on, text = settings().cache, t("estimate.cache_help")
    cache = right.toggle(t("estimate.cache"), is_on, key="run-cache", help=text, disabled=not is_on)
    return {"budget": money or 0.0, "budget_calls": calls or 0, "cache": cache and is_on}


def price_problem(plan: Plan) -> BadInput | None:
    """Why a limit in money cannot work: a model has no price; None if it can, or there is no limit."""
    if plan.budget:
        try:
            check_budget(plan, engine())
        except BadInput as error:
            return error if error.key == "no_price" else None
    return None


def show_budget_check(plan: Plan, basis: object) -> None:
    """Say whether the estimated run stays within its limits."""
    requested = _requested()
    estimate = requested.job.result if requested and requested.basis == basis else None
    if estimate is None:
        return
    cost, calls = estimate.due.cost, estimate.due.calls
    limits = (
        (plan.budget, cost, money_limit(plan), money_text(cost, plain(prices().currency))),
        (plan.budget_calls, calls, *(t("estimate.calls_n", n=f"{n:,}") for n in (plan.budget_calls, calls))),
    )
    for limit, expected, limit_text, expected_text in limits:
        texts = {"limit": limit_text, "expected": expected_text}
        if limit and expected > limit:
            st.warning(t("estimate.too_little", **texts), icon=":material/savings:")
        elif limit:
            st.caption(f":material/check: {t('estimate.enough', **texts)}")
