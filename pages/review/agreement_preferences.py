"""Judges against people who chose the better of two replies on the page that talks to two versions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.agreement.intervals import MIN_GROUPS
from core.analysis.names import judge_name
from core.analysis.preferences import PreferenceCounts, preference_agreement, preference_counts
from core.analysis.trust import figure_text
from core.runs.judging.chat_turns import judge_chat_turns
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.session import engine
from pages.i18n.translate import language, t


def show_preferences(store: Store, bot: str) -> None:
    """Each judge's order of the two replies against people's choice; nothing if nothing was chosen."""
    chosen = store.preferences.of_bot(bot)
    if not chosen:
        return
    counts = preference_counts(store, chosen)
    st.subheader(t("agreement.preferences"), anchor=False)
    st.caption(t("agreement.preferences_lead", n=f"{counts.all:,}", alike=f"{counts.alike:,}"))
    rows = [
        {
            t("agreement.judge"): judge_name(judge, t),
            t("agreement.n"): agreement.n,
            t("agreement.preferences_same"): agreement.same,
            t("agreement.preferences_opposite"): agreement.opposite,
            t("agreement.preferences_ties"): agreement.ties,
            t("agreement.preferences_share"): figure_text(agreement.share, share=True),
        }
        for judge, agreement in preference_agreement(store, chosen).items()
    ]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True)
        st.caption(t("agreement.intervals_from", n=MIN_GROUPS))
    _show_unscored(store, counts)


def _show_unscored(store: Store, counts: PreferenceCounts) -> None:
    if not counts.unscored:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(t("agreement.preferences_unscored", n=f"{len(counts.unscored):,}"), width="content")
        if st.button(t("agreement.preferences_score"), icon=":material/gavel:", key="score-pairs"):
            with show_errors(), st.spinner(""):
                judge_chat_turns(store, engine(), counts.unscored, language())
                st.rerun()
