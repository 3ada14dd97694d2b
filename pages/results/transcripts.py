"""The conversations of a run: find one, read it, send a link to it, take them all away."""

from __future__ import annotations

import streamlit as st

from core.store.rows import RunRow
from pages.shared.draw import choose, choose_bot, heading
from pages.shared.export_menu import export_menu
from pages.shared.judging import lower_is_better
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.transcripts_find import find, show_list
from pages.shared.transcripts_read import read, steps, title_of
from pages.shared.words import say

store = need_store()


def choose_run(runs: dict[str, RunRow]) -> RunRow:
    """The run to look into; where a link names one that is gone, a sentence says so."""
    wanted = st.query_params.get("run", "")
    if wanted and wanted not in runs:
        st.info(say("transcripts.unknown_run"), icon=":material/info:")
    return runs[choose("run", say("scores.run"), {name: run_label(row) for name, row in runs.items()})]


if "bot" not in st.query_params and (linked := store.run(st.query_params.get("run", ""))):
    st.query_params["bot"] = linked.bot  # a link may name the run alone
top, bot = choose_bot()
runs = {run.id: run for run in store.runs(bot.id)}
if not runs:
    heading(say("transcripts.title"), place=top)
    st.info(say("transcripts.none"), icon=":material/info:")
    st.stop()
with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
    run = choose_run(runs)
    export_menu(run)
side, middle = st.columns([2, 3], gap="medium")
with side:
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
with side:
    if rows:
        show_list(run, rows, row.id if row else "")
