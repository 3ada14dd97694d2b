"""A test set of somebody else: files with the field names of RAGEval, DRAGONBall or Kiku, put to use."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.base.types import Bot, Language
from core.datasets.items import Item
from core.datasets.seed_document.formats import ImportedTestSet, read_rageval
from core.retrieval.documents import Document
from core.runs.dataset_bot import make_bot
from core.text.language import script
from pages.build.test_set_use import show_into_bot, show_make_bot
from pages.components.appearance import show_errors
from pages.i18n.translate import t

read_file = st.cache_data(show_spinner=False, max_entries=8)(read_rageval)


def show_file() -> None:
    """The files, what they hold, and what can be done with it."""
    files = st.file_uploader(t("test_set.files"), ["jsonl", "json"], accept_multiple_files=True, key="test-set-files")
    imported = _read(files)
    if not imported.items and not imported.documents:
        return
    kinds = Counter(item.kind for item in imported.items)
    counts = " · ".join(f"{t(f'kinds.{kind}')} {n}" for kind, n in kinds.items())
    st.caption(f"{t('test_set.files_hold', n=len(imported.items), documents=len(imported.documents))} {counts}")
    if imported.items:
        _show_items(imported.items)
    left, right = st.columns(2, gap="medium")
    with left:
        show_into_bot(imported.items, "file-into-bot")
    with right:
        show_make_bot("file-make-bot", partial(_make_bot, imported))


def _read(files: list[Any]) -> ImportedTestSet:
    items, documents = list[Item](), list[Document]()
    for file in files:
        with show_errors():
            imported = read_file(file.name, file.getvalue())
            items += imported.items
            documents += imported.documents
    return ImportedTestSet(items=tuple(items), documents=tuple(documents))


def _show_items(items: tuple[Item, ...]) -> None:
    rows = [{"kind": t(f"kinds.{item.kind}"), "question": item.question, "answer": item.answer} for item in items]
    columns = {name: st.column_config.Column(t(f"test_set.item_{name}")) for name in rows[0]}
    st.dataframe(pd.DataFrame(rows), hide_index=True, height=320, column_config=columns)


def _make_bot(imported: ImportedTestSet, bot_id: str) -> Bot:
    text = " ".join(document.text[:300] for document in imported.documents[:5])
    language: Language = "ja" if script(text) == "ja" else "en"
    return make_bot(bot_id, bot_id, language, imported.documents, imported.items)
