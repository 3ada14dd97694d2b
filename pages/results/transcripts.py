"""The conversations of a run: find one, read it, send a link to it, take them all away."""

from __future__ import annotations

import streamlit as st

from pages.shared.draw import heading
from pages.shared.export_menu import export_menu
from pages.shared.judging import lower_is_better
from pages.shared.past import choose_bot_of_runs, choose_run_of
from pages.shared.services import need_store
from pages.shared.transcripts_find import find, show_list
from pages.shared.transcripts_read import read, steps, title_of
from pages.shared.words import say

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = {run.id: run for run in store.runs(bot.id)}
if not runs:
    heading(say("transcripts.title"), place=top)
    st.info(say("transcripts.none"), icon=":material/info:")
    st.stop()
with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
    run = choose_run_of(store, runs)
    export_menu(run)
side, middle = st.columns([2, 3], gap="medium")
with side, st.container(key="list-find"):
    rows = find(run, lambda judge: lower_is_better(judge, bot))
asked = st.query_params.get("conversation", "")
row = store.conversation(asked) if asked else None
with middle:
    if asked and (row is None or row.run_id != run.id):
        row = None
        st.info(say("transcripts.unknown"), icon=":material/info:")
    row = row or (store.conversation(rows[0].id) if rows else None)
    if row is None:
        heading(say("transcripts.title"), place=top)
        st.info(say("find.none"), icon=":material/search_off:")
    else:
        turns = store.transcript(row.id)
        heading(title_of(row, turns), place=top)
        steps(rows, row, run)
        read(row, turns)
with side, st.container(key="list-rows"):  # below the conversation where the page is narrow (pages.shared.draw)
    if rows:
        show_list(run, rows, row.id if row else "")
