"""Price and time of a run before it begins: the button, the probe under way, and what it found."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import pandas as pd
import streamlit as st

from core.base.bot_folder import load_bot
from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.calls import Spending
from core.base.errors import BadInput, ModelError
from core.base.prompt import Engine
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
    from core.retrieval.index import Indexes
    from core.runs.estimate import Estimate

SECONDS = 180.0  # that a probe may take at most
PREPARING = 900.0  # that it waits for the index before
_LOG = logging.getLogger(__name__)


class Rehearsal:
    """Begins at once in a thread of its own; a page asks it how far it is, and may call it off.

    found: the estimate once it is there; error, or in one word trouble: why there is none. No Streamlit in here.
    """

    def __init__(self, plan: Plan, engine: Engine, indexes: Indexes, knowledge: Path | None = None) -> None:
        self.spent = Spending()
        self.found: Estimate | None = None
        self.error: BadInput | None = None
        self.trouble: Literal["", "slow", "unprepared", "broken"] = ""
        self.bot = plan.bot
        self.preparing = True  # the index: a server that has just started may still be making it
        self.embedded = (0, 0)  # passages of the index, and how many there are, while it is made for this probe
        self._begun, self._stopped, self._over = time.monotonic(), threading.Event(), threading.Event()
        work = (plan, engine, indexes, knowledge)
        threading.Thread(target=self._hold, args=work, name="rehearsal", daemon=True).start()

    @property
    def seconds(self) -> float:
        """How long it has been under way, or waiting for the index before."""
        return time.monotonic() - self._begun

    @property
    def running(self) -> bool:
        """Whether something is still to be expected; one that takes too long is called off."""
        if self._over.is_set() or self._stopped.is_set():
            return False
        if self.seconds > (PREPARING if self.preparing else SECONDS):
            self.stop()
            self.trouble = "unprepared" if self.preparing else "slow"
        return not self._stopped.is_set()

    def stop(self) -> None:
        """Begin no further call; what is under way is not waited for."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Whether it is over within so many seconds."""
        return self._over.wait(seconds)

    def _hold(self, plan: Plan, engine: Engine, indexes: Indexes, knowledge: Path | None) -> None:
        from core.runs.estimate import estimate

        try:
            indexes.get(load_bot(plan.bot, knowledge), self._prepared)
            if self._stopped.is_set():
                return
            self._begun, self.preparing = time.monotonic(), False
            with in_context(stopped=self._stopped.is_set, connect_patience=INTERACTIVE_PATIENCE):
                self.found = estimate(plan, engine, indexes, knowledge, told=self._told)
        except (BadInput, ModelError) as error:
            if not self._stopped.is_set():
                self.error = BadInput(str(error), error.key, **error.details)
        except Exception:  # told on the page
            _LOG.warning("An estimate failed", exc_info=True)
            self.trouble = "broken"
        finally:
            self._over.set()

    def _prepared(self, done: int, total: int) -> None:
        self.embedded = (done, total)

    def _told(self, spent: Spending) -> None:
        self.spent = spent


if TYPE_CHECKING:
    from core.runs.estimate import Estimate

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
        st.error(plain(error_text(asked.rehearsal.error)), icon=":material/error:")
    if asked and asked.rehearsal.trouble:
        minutes = {"slow": SECONDS / 60, "unprepared": PREPARING / 60, "broken": 0}[asked.rehearsal.trouble]
        st.warning(t(f"estimate.{asked.rehearsal.trouble}", minutes=f"{minutes:.0f}"), icon=":material/error:")
    found = asked.rehearsal.found if asked else None
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
        with show_errors():
            st.session_state[_PLACE] = Asked(basis, Rehearsal(plan, engine(), services().indexes))
            st.rerun()


def _progress(rehearsal: Rehearsal) -> None:
    st.markdown(f":material/hourglass_top: **{t('estimate.running')}**")
    text = _preparing(rehearsal) if rehearsal.preparing else spent_line(rehearsal.spent)
    seconds = t("common.seconds", seconds=f"{max(1, round(rehearsal.seconds))}")  # even where there are many
    st.caption(f"{seconds} · {text}")
    st.button(t("estimate.cancel"), icon=":material/stop:", key="estimate-stop", on_click=forget_estimate)


def _preparing(rehearsal: Rehearsal) -> str:
    """Whose index is waited for, and how far it is: made for the probe, or in the background since the start."""
    name = plain(bot_names().get(rehearsal.bot, rehearsal.bot))
    behind = services().loading.get(rehearsal.bot)
    done, total = rehearsal.embedded if rehearsal.embedded[1] or behind is None else (behind.done, behind.total)
    if not total:
        return t("estimate.preparing", bot=name)
    return t("estimate.preparing_of", bot=name, done=f"{done:,}", total=f"{total:,}")


def forget_estimate() -> None:
    """Forget the last estimate, and call the probe off where it is under way; its calls stay in the call log."""
    if asked := _asked():
        asked.rehearsal.stop()
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
