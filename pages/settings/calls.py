"""Every call to a language model: what calls cost by role, and any single one with its exact messages."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.base.calls import sum_of
from core.base.settings import settings
from pages.components.appearance import heading
from pages.components.bot_picker import bot_names
from pages.components.cost import currency
from pages.components.links import page_link
from pages.components.run_picker import run_labels
from pages.components.services import need_store
from pages.components.session import uses_model
from pages.components.url_choice import choose_in_url, set_in_url
from pages.components.widgets import action_button
from pages.i18n.translate import t
from pages.settings.call_details import show_call, show_conversation_link
from pages.settings.call_tables import View, grouping, show_calls, show_figures, show_table, totals_title

ALL, NO_RUN = "", "-"  # as in the address
store = need_store()


def show_call_in_url() -> None:
    """The call that the address names; for an unknown one a note, and the list."""
    asked = st.query_params.get("call", "")
    call = store.calls.get(int(asked)) if asked.isdecimal() and len(asked) < 16 else None
    if call:
        show_call(store, call)
        st.stop()
    if asked:
        st.info(t("calls.unknown"), icon=":material/info:")


def show_no_calls() -> None:
    """Nothing was ever called: why, and what would make calls."""
    heading(t("menu.calls"), t("calls.lead"))
    st.info(t("calls.none_with_model" if uses_model() else "calls.none_embedded"), icon=":material/info:")
    st.caption(t("calls.how"))
    page_link("settings/models", t("calls.to_models"), "neurology")
    st.stop()


def runs_to_choose(called: set[str]) -> dict[str, str]:
    """{address part: words}: all calls, those outside of runs, each run with calls (and the one asked for)."""
    bots, asked = bot_names(), st.query_params.get("run", "")
    rows = [row for row in store.runs.all() if row.id in called or row.id == asked]
    outside = {NO_RUN: t("calls.outside")} if "" in called else {}
    labels = run_labels(rows, bots)
    listed = {row.id: f"{bots.get(row.bot, row.bot)}　{labels[row.id]}" for row in rows}
    gone = {run: t("calls.deleted_run", run=run) for run in sorted(called - {""} - set(listed))}
    return {ALL: t("calls.all"), **outside, **listed, **gone}


def choose_view() -> View:
    """What the address asks for: one conversation, one run, or everything."""
    conversation = st.query_params.get("conversation", "")
    if conversation:
        show_only_conversation(conversation)
        return View(conversation=conversation)
    run = choose_in_url("run", t("scores.run"), runs_to_choose(called))
    return View(run={ALL: None, NO_RUN: ""}.get(run, run))


def show_only_conversation(conversation: str) -> None:
    """Says that one conversation's calls are shown, with the ways out."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(t("calls.only_conversation"), width="content")
        action_button(t("calls.show_all"), "close", partial(set_in_url, conversation=""))
        show_conversation_link(store, conversation)


def show_retention() -> None:
    """How long calls are kept, and whether equal ones are made again."""
    now = settings()
    days = t("calls.kept_days", days=f"{now.call_log_days:g}") if now.call_log_days else t("calls.kept_always")
    st.caption(f"{days} {t('calls.cached' if now.cache else 'calls.not_cached')}")


show_call_in_url()
called = store.calls.run_ids()
if not called:
    show_no_calls()
top = st.container()
view = choose_view()
groups = store.calls.spending_by(grouping(), view.run, view.conversation)
if not groups:
    heading(t("menu.calls"), t("calls.lead"), top)
    st.info(t("calls.none_of_these"), icon=":material/info:")
    st.stop()
total, unit = sum_of(groups.values()), currency()
heading(totals_title(total, unit), t("calls.lead"), top)
show_figures(total, unit)
show_table(groups, unit)
show_calls(store, view, unit)
show_retention()
