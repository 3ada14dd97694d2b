"""Questions from a log of real ones: pasted or uploaded, masked, grouped; one of each group waits for review."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.tables import columns_of
from core.datasets.question_log import Group, group_questions, items_of, questions_in
from core.runs.dataset_job import read_drafts, save_drafts
from pages.build.test_set_from_bot import review
from pages.components.bot_picker import choose_bot
from pages.components.uploaded_table import upload_table
from pages.i18n.translate import t

grouped = st.cache_data(show_spinner=False, max_entries=2)(group_questions)


def show_log() -> None:
    """The log, its groups with what was masked, and the review."""
    _, bot = choose_bot()
    groups = grouped(_questions())
    if groups:
        masked = sum(len(group.masked) for group in groups)
        st.caption(t("test_set.grouped", n=len(groups), of=sum(len(group.members) for group in groups), masked=masked))
        _show_groups(groups)
        if st.button(t("test_set.to_review", n=len(groups)), type="primary", icon=":material/checklist:"):
            save_drafts(bot, items_of(groups, f"{bot.id}-log"))
            st.rerun()
    drafts = list(read_drafts(bot))
    if drafts:
        review(bot, drafts)


def _questions() -> list[str]:
    text = st.text_area(t("test_set.paste"), height=160, max_chars=500_000)
    uploaded = upload_table(t("test_set.upload_log"), "test-set-log")
    if uploaded is None:
        return questions_in(text)
    rows = uploaded[1]
    column = st.selectbox(t("test_set.column"), columns_of(rows))
    return [str(row.get(column) or "") for row in rows]


def _show_groups(groups: list[Group]) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "question": group.question,
                    "members": len(group.members),
                    "masked": t("common.comma").join(
                        f"{t(f'test_set.mask_{kind}')}{t('common.colon')}{text}" for kind, text in group.masked
                    ),
                    "others": " / ".join(member for member in group.members if member != group.question)[:300],
                }
                for group in groups
            ]
        ),
        hide_index=True,
        height=320,
        column_config={
            "question": st.column_config.Column(t("test_set.item_question"), width="large"),
            "members": st.column_config.Column(t("test_set.group_size")),
            "masked": st.column_config.Column(t("test_set.masked")),
            "others": st.column_config.Column(t("test_set.others"), width="large"),
        },
    )
