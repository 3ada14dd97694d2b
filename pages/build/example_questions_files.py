"""Example questions as a file: all of a bot's to download, and a table to add to them or to put in their place."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.base.tables import read_table
from core.base.types import Bot
from core.retrieval.example_questions import (
    FILE,
    ExampleQuestion,
    change_example_questions,
    example_questions_csv,
    example_questions_of,
)
from pages.components.appearance import show_errors
from pages.i18n.translate import t

ADD, REPLACE = "add", "replace"


def show_files(bot: Bot, stored: Sequence[ExampleQuestion]) -> None:
    """Download and upload."""
    st.download_button(
        t("example_questions.download"),
        "\ufeff" + example_questions_csv(stored),
        f"{bot.id}-{FILE}",
        "text/csv",
        key="examples-download",
        icon=":material/download:",
        on_click="ignore",
    )
    with st.expander(t("example_questions.upload"), icon=":material/upload:"):
        _show_upload(bot, stored)


def _show_upload(bot: Bot, stored: Sequence[ExampleQuestion]) -> None:
    st.caption(t("example_questions.upload_lead"))
    number = st.session_state.setdefault("examples-uploads", 0)
    file = st.file_uploader(
        t("example_questions.upload"), key=f"examples-upload-{bot.id}-{number}", label_visibility="collapsed"
    )
    if file is None:
        return
    with show_errors():
        questions = example_questions_of(file.name, read_table(file.name, file.getvalue()))
        new = len(set(questions) - set(stored))
        gone = [question for question in dict.fromkeys(stored) if question not in set(questions)]
        options = {
            ADD: t("example_questions.add", n=new),
            REPLACE: t("example_questions.replace", n=new, gone=len(gone)),
        }
        how = st.radio(
            t("example_questions.upload_how"), list(options), format_func=options.__getitem__, key="examples-upload-how"
        )
        removed = gone if how == REPLACE else []
        if st.button(t("common.save"), type="primary", icon=":material/save:", disabled=not (new or removed)):
            total = change_example_questions(bot, removed, questions)
            st.session_state["examples-uploads"] += 1
            st.toast(t("example_questions.saved", n=total), icon=":material/check:")
            st.rerun()
