"""The conversations of a run that failed: which, why, and the way to each transcript."""

from __future__ import annotations

import streamlit as st

from core.store.rows import ConversationRow, RunRow
from core.store.store import Store
from pages.shared.draw import line, plain
from pages.shared.words import say, stored


def failures(store: Store, run: RunRow, failed: int, shown: int = 5) -> None:
    """The last ones that failed, of `failed` in all; nothing where all went well."""
    if not failed:
        return
    st.markdown(f":orange[:material/error:] **{say('history.errors', n=failed)}**")
    for row in store.failures(run.id, shown):
        _failure(run, row)
    if failed > shown:
        st.caption(say("scores.and_more", n=failed - shown))


def _failure(run: RunRow, row: ConversationRow) -> None:
    """One of them: number, scenario and the way to the transcript, and below what went wrong."""
    asked = {"bot": run.bot, "run": run.id, "conversation": row.id}
    with st.container(gap=None):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.markdown(f"{row.number}\\. {line(row.scenario_id, 30)}　{line(row.question, 40)}", width="content")
            label, icon = say("history.to_transcript"), ":material/forum:"
            st.page_link("pages/results/transcripts.py", label=label, icon=icon, query_params=asked)
        st.caption(plain(stored(row.error)))
