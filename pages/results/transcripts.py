"""The transcripts of a run: search, read and share a conversation, download them all."""

from __future__ import annotations

import streamlit as st

from core.judges.registry import lower_is_better
from pages.components.appearance import heading
from pages.components.provenance import show_provenance
from pages.components.run_picker import choose_bot_of_runs, choose_run, stop_without_runs
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.export_menu import show_export_menu
from pages.results.transcript import draw_transcript, show_navigation, transcript_title
from pages.results.transcript_list import search_conversations, show_list

LIST_ANCHOR = "list"
store = need_store()
top, bot = choose_bot_of_runs(store)
runs = store.runs.all(bot.id)
stop_without_runs(runs, top, bot, t("menu.transcripts"), "transcripts.none")
with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="chosen-run"):
    run = choose_run(store, runs)
    show_export_menu(run)
with st.container(key="to-list"):  # on a narrow page alone, where the list is below the conversation
    st.markdown(f":material/arrow_downward: [{t('transcripts.to_list')}](#{LIST_ANCHOR})")
side, middle = st.columns(2, gap="medium")
with side, st.container(key="list-find"):
    st.subheader(t("transcripts.list"), anchor=LIST_ANCHOR)
    rows, scores = search_conversations(run, lambda judge: lower_is_better(judge, bot))
conversation_id = st.query_params.get("conversation", "")
row = store.conversations.get(conversation_id) if conversation_id else None
with middle:
    if conversation_id and (row is None or row.run_id != run.id):
        row = None
        st.info(t("transcripts.unknown"), icon=":material/info:")
    row = row or (store.conversations.get(rows[0].id) if rows else None)
    if row is None:
        heading(t("menu.transcripts"), place=top)
        st.info(t("transcript_search.none"), icon=":material/search_off:")
    else:
        turns = store.conversations.turns(row.id, store.tables.of_run(run.id).chosen_versions())
        heading(transcript_title(row, turns, scores.get(row.id)), place=top)
        show_navigation(rows, row, run)
        draw_transcript(row, turns)
        show_provenance(store, run)
with side, st.container(key="list-rows"):  # below the conversation on a narrow page (pages.components.appearance)
    if rows:
        show_list(run, rows, row.id if row else "")
