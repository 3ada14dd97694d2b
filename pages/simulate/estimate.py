"""Price and time of a run before it begins: the button, the estimate under way, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd
import streamlit as st

from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.types import Role
from core.llm.roles import ModelEngine
from core.runs.estimate import PROBED
from core.runs.plan import Plan
from pages.components.appearance import show_errors
from pages.components.bot_picker import bot_names
from pages.components.cost import amount_text, cost_text, prices, rough_duration, spent_line
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, model_names
from pages.i18n.translate import error_text, t

if TYPE_CHECKING:
    from core.runs.estimate import Estimate, EstimateJob

_PLACE = "estimate"


@dataclass(frozen=True)
class Asked:
    """An estimate, with what it was asked for: it holds as long as that is the same."""

    basis: object
    job: EstimateJob


def basis_of(plan: Plan, *more: object) -> object:
    """Whatever changes the price: the plan without its limits, what is asked of models, prices, and what else is given."""
    return plan.model_copy(update={"budget": 0.0, "budget_calls": 0}), _models(), prices(), more


def _models() -> object:
    """Server, model and what is sent along for each role, no keys; none where nothing can be asked yet."""
    try:
        now = engine()
    except BadInput:  # told by the pages that need it
        return None
    if not isinstance(now, ModelEngine):
        return None
    return {role: (one.server.name, one.model_dump(exclude={"server"})) for role, one in now.roles.items()}


def estimated(basis: object) -> Estimate | None:
    """What a probe found for just this; none where there was none."""
    asked = _asked()
    return asked.job.result if asked and asked.basis == basis else None


def estimate_part(plan: Plan, basis: object) -> None:
    """The button and what is known; while a probe is under way, it asks again every second."""
    asked = _asked()
    active = asked is not None and asked.job.pending

    @st.fragment(run_every=1.0 if active else None)
    def draw() -> None:
        asked = _asked()
        running = asked is not None and asked.job.pending
        if running != active:
            st.rerun()
        with st.container(border=True):
            if asked and running:
                _progress(asked.job)
            else:
                _offer(plan, basis, asked)

    draw()


def _asked() -> Asked | None:
    found = st.session_state.get(_PLACE)
    return found if isinstance(found, Asked) else None


def _offer(plan: Plan, basis: object, asked: Asked | None) -> None:
    """The button with what pressing it means, and the result of the last time."""
    job = asked.job if asked else None
    if job and job.timed_out:
        key = "estimate.unprepared" if job.preparing else "estimate.slow"
        st.warning(t(key, minutes=f"{job.limit / 60:.0f}"), icon=":material/error:")
    elif job and job.error:
        st.error(plain(error_text(job.error)), icon=":material/error:")
    found = job.result if job else None
    if asked and found:
        stale = asked.basis != basis
        if stale:
            st.warning(t("estimate.stale"), icon=":material/history:")
        _shown(found, stale)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        label = t("estimate.estimate_again" if found else "estimate.do")
        pressed = st.button(label, icon=":material/calculate:", key="estimate-do")
        st.caption(t("estimate.before" if plan.cache else "estimate.before_no_cache", n=PROBED), width="stretch")
    if pressed:
        from core.runs.estimate import EstimateJob

        with show_errors():
            job = EstimateJob(plan, engine(), services().indexes)
            job.start()
            st.session_state[_PLACE] = Asked(basis, job)
            st.rerun()


def _progress(job: EstimateJob) -> None:
    st.markdown(f":material/hourglass_top: **{t('estimate.running')}**")
    state = _preparing(job) if job.preparing else spent_line(job.spent)
    seconds = t("common.seconds", seconds=f"{max(1, round(job.seconds))}")  # no minutes, so that it moves
    st.caption(f"{seconds} · {state}")
    st.button(t("estimate.cancel"), icon=":material/stop:", key="estimate-stop", on_click=forget_estimate)


def _preparing(job: EstimateJob) -> str:
    """Whose index is waited for, and how far it is: made for the estimate, or in the background since the start."""
    bot = job.plan.bot
    name, behind = plain(bot_names().get(bot, bot)), services().loading.get(bot)
    done, total = (job.done, job.total) if job.total or behind is None else (behind.done, behind.total)
    if not total:
        return t("estimate.preparing", bot=name)
    return t("estimate.preparing_of", bot=name, done=f"{done:,}", total=f"{total:,}")


def forget_estimate() -> None:
    """Forget the last estimate, and call the probe off if it is under way; its calls stay in the call log."""
    if asked := _asked():
        asked.job.stop()
        del st.session_state[_PLACE]


def _shown(found: Estimate, stale: bool) -> None:
    """The expected figures: what will be charged first, then what is in it."""
    due = found.due
    st.markdown(f"**{t('estimate.title')}**")
    tiles = (
        ("estimate.conversations", f"{found.conversations:,}"),
        ("estimate.calls", f"{due.calls:,}"),
        ("estimate.money", _sum(found.total, due)),
        ("estimate.time", rough_duration(found.seconds)),
    )
    for column, (key, value) in zip(st.columns(4), tiles, strict=True):
        column.metric(t(key), "–" if stale else value)
    if stale:
        return
    notes = [t("estimate.known", percent=f"{found.known * 100:.0f}")] if found.known else []
    st.caption(
        "  \n".join(
            [
                t("estimate.due", spent=spent_line(due)),
                _paid(found),
                *notes,
                *_outside(found),
                *_unpriced(found.total),
            ]
        )
    )
    with st.expander(t("estimate.by_role"), icon=":material/table_rows:", type="compact"):
        st.dataframe(_table(found), hide_index=True, width="stretch")


def _sum(total: Spending, due: Spending) -> str:
    """The money still to be charged; a word where no model has a price."""
    if total.calls and total.unpriced >= total.calls:
        return t("estimate.unknown")
    return f"{amount_text(due.cost)} {prices().currency}"


def _paid(found: Estimate) -> str:
    return t("estimate.paid", n=found.probed, spent=spent_line(found.paid))


def _outside(found: Estimate) -> list[str]:
    """The messages to a bot that exists already, which no price of ours knows."""
    return [t("external_bot.estimate", n=f"{found.outside:,}")] if found.outside else []


def _unpriced(total: Spending) -> list[str]:
    """The models without a price, named, where there are any."""
    table, names = prices(), dict.fromkeys(model_names().values())
    missing = [plain(name, links=False) for name in names if name and table.of(name) is None]
    if not total.unpriced or not missing:
        return []
    return [f":orange[{t('estimate.no_price', models=t('common.comma').join(missing))}]"]


def _table(found: Estimate) -> pd.DataFrame:
    """One row per role: what the run still calls."""
    rows = [_row(role, found.new[role]) for role in get_args(Role) if role in found.new]
    return pd.DataFrame(rows)


def _row(role: Role, spent: Spending) -> dict[str, Any]:
    return {
        t("estimate.role"): t(f"models.role_{role}"),
        t("estimate.model"): model_names().get(role, ""),
        t("estimate.calls"): f"{spent.calls:,}",
        t("estimate.input"): f"{spent.prompt_tokens:,}",
        t("estimate.output"): f"{spent.completion_tokens:,}",
        t("estimate.money"): cost_text(spent) if spent.calls else "",
    }
