"""The conversations of a run: find one, read it, send a link to it, take them all away."""

from __future__ import annotations

import streamlit as st

from pages.components.appearance import heading
from pages.components.judge_picker import lower_is_better
from pages.components.run_picker import choose_bot_of_runs, choose_run_of
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.export_menu import export_menu
from pages.results.transcript import read, steps, title_of
from pages.results.transcript_list import find, show_list

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = {run.id: run for run in store.runs.all(bot.id)}
if not runs:
    heading(t("transcripts.title"), place=top)
    st.info(t("transcripts.none"), icon=":material/info:")
    st.stop()
with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
    run = choose_run_of(store, runs)
    export_menu(run)
side, middle = st.columns([2, 3], gap="medium")
with side, st.container(key="list-find"):
    rows = find(run, lambda judge: lower_is_better(judge, bot))
asked = st.query_params.get("conversation", "")
row = store.conversations.get(asked) if asked else None
with middle:
    if asked and (row is None or row.run_id != run.id):
        row = None
        st.info(t("transcripts.unknown"), icon=":material/info:")
    row = row or (store.conversations.get(rows[0].id) if rows else None)
    if row is None:
        heading(t("transcripts.title"), place=top)
        st.info(t("transcript_search.none"), icon=":material/search_off:")
    else:
        turns = store.conversations.turns(row.id)
        heading(title_of(row, turns), place=top)
        steps(rows, row, run)
        read(row, turns)
with (
    side,
    st.container(key="list-rows"),
):  # below the conversation where the page is narrow (pages.components.appearance)
    if rows:
        show_list(run, rows, row.id if row else "")
