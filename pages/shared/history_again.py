"""Going on with a run that came to an early end, and trying again what failed in it."""

from __future__ import annotations

import streamlit as st

from core.llm.budget import is_reached
from core.run.plan import Plan
from core.store.rows import Progress, RunRow
from pages.shared.draw import told
from pages.shared.services import house
from pages.shared.session import engine
from pages.shared.words import say


def again(run: RunRow, now: Progress, place: str) -> None:
    """The buttons that a run has use for; `place` tells those in the watch box from those under the table."""
    early = now.status in ("stopped", "interrupted") and now.finished < now.total
    failed = now.failed if now.status != "running" else 0
    if is_file(run) or not (early or failed) or not hasattr(house().batches, "resume"):
        return
    if is_reached(run.error):
        _with_more(run, place, early, failed)
        return
    if early:
        _button(run, say("history.go_on"), "resume", f"{place}-go-on")
    if failed:
        _button(run, say("history.retry", n=f"{failed:,}"), "replay", f"{place}-retry", retry_failed=True)


def is_file(run: RunRow) -> bool:
    """Whether the answers came from a file."""
    return bool(run.plan.get("file"))


def _button(run: RunRow, label: str, icon: str, key: str, **how: bool) -> None:
    """A button that lets the run go on; limits in the fields of a popover count."""
    fields = f"{key.partition('-')[0]}-more-{run.id}"
    looks = {"icon": f":material/{icon}:", "key": f"{key}-{run.id}"}
    st.button(label, on_click=_resume, args=(run.id, fields), kwargs=how, **looks)


def _with_more(run: RunRow, place: str, early: bool, failed: int) -> None:
    """A run that has used up its limits needs higher ones first; to begin with, twice as much."""
    plan, key = Plan.model_validate(run.plan), f"{place}-more-{run.id}"
    with st.popover(say("history.go_on"), icon=":material/resume:", key=key):
        st.markdown(say("history.more"))
        if plan.budget:
            st.number_input(say("history.more_money"), plan.budget, value=plan.budget * 2, key=f"{key}-money")
        if plan.budget_calls:
            least = plan.budget_calls
            st.number_input(say("history.more_calls"), least, value=least * 2, key=f"{key}-calls")
        if early:
            _button(run, say("history.go_on"), "resume", f"{place}-go-on")
        if failed:
            _button(run, say("history.retry", n=f"{failed:,}"), "replay", f"{place}-retry", retry_failed=True)


def _resume(run_id: str, fields: str, retry_failed: bool = False) -> None:
    """Begin again where the run ended, with the limits of the fields where there are some, and watch it."""
    names = {"budget": f"{fields}-money", "budget_calls": f"{fields}-calls"}
    limits = {name: st.session_state[field] for name, field in names.items() if field in st.session_state}
    with told():
        resumed = house().batches.resume(run_id, engine(), retry_failed=retry_failed, **limits)
        st.query_params["run"] = run_id
        if resumed.changed:
            st.toast(say("history.changed"), icon=":material/info:")
