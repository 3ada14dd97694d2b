"""Every call to a language model: what calls cost by role, and any single one with its exact messages."""

from __future__ import annotations

import streamlit as st

from core.base.calls import sum_of
from pages.shared.calls.common import View, currency, kept_for
from pages.shared.calls.one import call_page, conversation_page
from pages.shared.calls.sums import figures, finding, sums, table
from pages.shared.calls.table import call_list
from pages.shared.draw import bot_names, choose, heading
from pages.shared.models.choice import uses_model
from pages.shared.runs import run_labels
from pages.shared.services import need_store
from pages.shared.words import say

ALL, OUTSIDE = "", "-"  # as in the address
store = need_store()


def one() -> None:
    """The call that the address names; an unknown one is told, and the list comes instead."""
    asked = st.query_params.get("call", "")
    call = store.call(int(asked)) if asked.isdecimal() and len(asked) < 16 else None
    if call:
        call_page(store, call)
        st.stop()
    if asked:
        st.info(say("calls.unknown"), icon=":material/info:")


def none_yet() -> None:
    """Nothing was ever called: why, and what would make calls."""
    heading(say("calls.title"), say("calls.lead"))
    st.info(say("calls.none_with_model" if uses_model() else "calls.none_embedded"), icon=":material/info:")
    st.caption(say("calls.how"))
    st.page_link("pages/settings/models.py", label=say("calls.to_models"), icon=":material/neurology:")
    st.stop()


def runs_to_choose(called: set[str]) -> dict[str, str]:
    """{address part: words}: all calls, those outside of runs, each run with calls (and the one asked for)."""
    bots, asked = bot_names(), st.query_params.get("run", "")
    rows = [row for row in store.runs() if row.id in called or row.id == asked]
    outside = {OUTSIDE: say("calls.outside")} if "" in called else {}
    labels = run_labels(rows, bots)
    listed = {row.id: f"{bots.get(row.bot, row.bot)}　{labels[row.id]}" for row in rows}
    gone = {run: say("calls.deleted_run", run=run) for run in sorted(called - {""} - set(listed))}
    return {ALL: say("calls.all"), **outside, **listed, **gone}


def view() -> View:
    """What the address asks for: one conversation, one run, or everything."""
    conversation = st.query_params.get("conversation", "")
    if conversation:
        only(conversation)
        return View(conversation=conversation)
    run = choose("run", say("scores.run"), runs_to_choose(called))
    return View(run={ALL: None, OUTSIDE: ""}.get(run, run))


def only(conversation: str) -> None:
    """Says that one conversation's calls are shown, with the ways out."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(say("calls.only_conversation"), width="content")
        st.button(say("calls.show_all"), icon=":material/close:", on_click=_everything)
        if place := conversation_page(store, conversation):
            st.page_link(place[0], label=say("calls.conversation"), icon=":material/forum:", query_params=place[1])


def _everything() -> None:
    st.query_params.pop("conversation", None)


one()
called = store.runs_called()
if not called:
    none_yet()
top = st.container()
seen = view()
groups = sums(store, seen)
if not groups:
    heading(say("calls.title"), say("calls.lead"), top)
    st.info(say("calls.none_of_these"), icon=":material/info:")
    st.stop()
total, unit = sum_of(groups.values()), currency()
heading(finding(total, unit), say("calls.lead"), top)
figures(total, unit)
table(groups, unit)
call_list(store, seen, unit)
kept_for()
