"""Price and time of a run before it begins: the button, the probe under way, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd
import streamlit as st

from core.base.calls import Spending
from core.base.errors import BadInput
from core.base.types import Role
from core.llm.roles import ModelEngine
from core.run.plan import Plan
from core.run.projection import PROBED
from pages.shared.draw import bot_names, plain, told
from pages.shared.price.cost import amount, duration, money, prices, spent_line
from pages.shared.price.rehearsal import PREPARING, SECONDS, Rehearsal
from pages.shared.services import house
from pages.shared.session import engine, model_names
from pages.shared.words import say, sentence

if TYPE_CHECKING:
    from core.run.estimate import Estimate

_PLACE = "estimate"


@dataclass(frozen=True)
class Asked:
    """A probe, with what it was asked for: it holds as long as that is the same."""

    basis: object
    rehearsal: Rehearsal


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
    return asked.rehearsal.found if asked and asked.basis == basis else None


def estimate_part(plan: Plan, basis: object) -> None:
    """The button and what is known; while a probe is under way, it asks again every second."""
    asked = _asked()
    active = asked is not None and asked.rehearsal.running

    @st.fragment(run_every=1.0 if active else None)
    def draw() -> None:
        asked = _asked()
        running = asked is not None and asked.rehearsal.running
        if running != active:
            st.rerun()
        with st.container(border=True):
            if asked and running:
                _progress(asked.rehearsal)
            else:
                _offer(plan, basis, asked)

    draw()


def _asked() -> Asked | None:
    found = st.session_state.get(_PLACE)
    return found if isinstance(found, Asked) else None


def _offer(plan: Plan, basis: object, asked: Asked | None) -> None:
    """The button with what pressing it means, and the result of the last time."""
    if asked and asked.rehearsal.error:
        st.error(plain(sentence(asked.rehearsal.error)), icon=":material/error:")
    if asked and asked.rehearsal.trouble:
        minutes = {"slow": SECONDS / 60, "unprepared": PREPARING / 60, "broken": 0}[asked.rehearsal.trouble]
        st.warning(say(f"estimate.{asked.rehearsal.trouble}", minutes=f"{minutes:.0f}"), icon=":material/error:")
    found = asked.rehearsal.found if asked else None
    if asked and found:
        stale = asked.basis != basis
        if stale:
            st.warning(say("estimate.stale"), icon=":material/history:")
        _shown(found, stale)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        label = say("estimate.again" if found else "estimate.do")
        pressed = st.button(label, icon=":material/calculate:", key="estimate-do")
        st.caption(say("estimate.before" if plan.cache else "estimate.before_no_cache", n=PROBED), width="stretch")
    if pressed:
        with told():
            st.session_state[_PLACE] = Asked(basis, Rehearsal(plan, engine(), house().indexes))
            st.rerun()


def _progress(rehearsal: Rehearsal) -> None:
    st.markdown(f":material/hourglass_top: **{say('estimate.running')}**")
    told = _preparing(rehearsal) if rehearsal.preparing else spent_line(rehearsal.spent)
    seconds = say("common.seconds", seconds=f"{max(1, round(rehearsal.seconds))}")  # even where there are many
    st.caption(f"{seconds} · {told}")
    st.button(say("estimate.cancel"), icon=":material/stop:", key="estimate-stop", on_click=forget_estimate)


def _preparing(rehearsal: Rehearsal) -> str:
    """Whose index is waited for, and how far it is: made for the probe, or in the background since the start."""
    name = plain(bot_names().get(rehearsal.bot, rehearsal.bot))
    behind = house().loading.get(rehearsal.bot)
    done, total = rehearsal.embedded if rehearsal.embedded[1] or behind is None else (behind.done, behind.total)
    if not total:
        return say("estimate.preparing", bot=name)
    return say("estimate.preparing_of", bot=name, done=f"{done:,}", total=f"{total:,}")


def forget_estimate() -> None:
    """Forget the last estimate, and call the probe off where it is under way; its calls stay in the ledger."""
    if asked := _asked():
        asked.rehearsal.stop()
        del st.session_state[_PLACE]


def _shown(found: Estimate, stale: bool) -> None:
    """The expected figures: what will be charged first, then what is in it."""
    due = found.due
    st.markdown(f"**{say('estimate.title')}**")
    tiles = (
        ("estimate.conversations", f"{found.conversations:,}"),
        ("estimate.calls", f"{due.calls:,}"),
        ("estimate.money", _sum(found.total, due)),
        ("estimate.time", duration(found.seconds)),
    )
    for column, (key, value) in zip(st.columns(4), tiles, strict=True):
        column.metric(say(key), "–" if stale else value)
    if stale:
        return
    notes = [say("estimate.known", percent=f"{found.known * 100:.0f}")] if found.known else []
    st.caption(
        "  \n".join(
            [
                say("estimate.due", spent=spent_line(due)),
                _paid(found),
                *notes,
                *_outside(found),
                *_unpriced(found.total),
            ]
        )
    )
    with st.expander(say("estimate.by_role"), icon=":material/table_rows:", type="compact"):
        st.dataframe(_table(found), hide_index=True, width="stretch")


def _sum(total: Spending, due: Spending) -> str:
    """The money still to be charged; a word where no model has a price."""
    if total.calls and total.unpriced >= total.calls:
        return say("estimate.unknown")
    return f"{amount(due.cost)} {prices().currency}"


def _paid(found: Estimate) -> str:
    return say("estimate.paid", n=found.probed, spent=spent_line(found.paid))


def _outside(found: Estimate) -> list[str]:
    """The messages to a bot that exists already, which no price of ours knows."""
    return [say("outside.estimate", n=f"{found.outside:,}")] if found.outside else []


def _unpriced(total: Spending) -> list[str]:
    """The models without a price, named, where there are any."""
    table, names = prices(), dict.fromkeys(model_names().values())
    missing = [plain(name, links=False) for name in names if name and table.of(name) is None]
    if not total.unpriced or not missing:
        return []
    return [f":orange[{say('estimate.no_price', models=say('common.comma').join(missing))}]"]


def _table(found: Estimate) -> pd.DataFrame:
    """One row per role: what the run still calls."""
    rows = [_row(role, found.new[role]) for role in get_args(Role) if role in found.new]
    return pd.DataFrame(rows)


def _row(role: Role, spent: Spending) -> dict[str, Any]:
    return {
        say("estimate.role"): say(f"models.role_{role}"),
        say("estimate.model"): model_names().get(role, ""),
        say("estimate.calls"): f"{spent.calls:,}",
        say("estimate.input"): f"{spent.prompt_tokens:,}",
        say("estimate.output"): f"{spent.completion_tokens:,}",
        say("estimate.money"): money(spent) if spent.calls else "",
    }
