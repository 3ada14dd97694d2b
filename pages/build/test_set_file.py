"""A test set of somebody else: files with the field names of RAGEval, DRAGONBall or Kiku, put to use."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import streamlit as st

from core.base.types import Language
from core.datasets.items import Item
from core.datasets.seed_document.formats import ImportedTestSet, read_rageval
from core.retrieval.documents import Document
from core.runs.dataset_bot import make_bot
from core.text.language import script
from pages.build.test_set_use import show_into_bot
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.i18n.translate import t

read_file = st.cache_data(show_spinner=False, max_entries=8)(read_rageval)


def show_file() -> None:
    """The files, what they hold, and what can be done with it."""
    files = st.file_uploader(t("test_set.files"), ["jsonl", "json"], accept_multiple_files=True, key="test-set-files")
    found = _read(files)
    if not found.items and not found.documents:
        return
    kinds = Counter(item.kind for item in found.items)
    counts = " · ".join(f"{t(f'kinds.{kind}')} {n}" for kind, n in kinds.items())
    st.caption(f"{t('test_set.files_hold', n=len(found.items), documents=len(found.documents))} {counts}")
    if found.items:
        _show_items(found.items)
    left, right = st.columns(2, gap="medium")
    with left:
        show_into_bot(found.items, "file-into-bot")
    with right:
        _show_make_bot(found)


def _read(files: list[Any]) -> ImportedTestSet:
    items, documents = list[Item](), list[Document]()
    for file in files:
        with show_errors():
            found = read_file(file.name, file.getvalue())
            items += found.items
            documents += found.documents
    return ImportedTestSet(items=tuple(items), documents=tuple(documents))


def _show_items(items: tuple[Item, ...]) -> None:
    rows = [{"kind": t(f"kinds.{one.kind}"), "question": one.question, "answer": one.answer} for one in items]
    columns = {name: st.column_config.Column(t(f"test_set.item_{name}")) for name in rows[0]}
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=320, column_config=columns)


def _show_make_bot(found: ImportedTestSet) -> None:
    with st.form("file-make-bot"):
        st.markdown(f"**{t('test_set.make_bot')}**")
        bot_id = st.text_input(t("test_set.bot_id"), value="test-set", max_chars=60)
        if st.form_submit_button(t("test_set.make_bot_do"), icon=":material/smart_toy:"):
            with show_errors():
                text = " ".join(document.text[:300] for document in found.documents[:5])
                language: Language = "ja" if script(text) == "ja" else "en"
                made = make_bot(bot_id, bot_id, language, found.documents, found.items)
                st.success(t("test_set.made_bot", bot=plain(made.name)), icon=":material/check:")
