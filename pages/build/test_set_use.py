"""Using a test set (of Kiku, or in files of another tool): make a bot, add questions to a bot, export files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.base.bot_folder import bot_ids, load_bot
from core.base.types import Bot, Language
from core.base.unused_name import unused_name
from core.datasets.dataset_bot import add_items, make_bot
from core.datasets.items import Item
from core.datasets.seed_document.dataset import Dataset, changes, check_name, copy, datasets
from core.datasets.seed_document.formats import (
    ImportedTestSet,
    item_rows,
    rageval_documents,
    rageval_rows,
    read_rageval,
    zip_folder,
)
from core.datasets.seed_document.review import review_decisions, usable_items
from core.documents.documents import Document
from core.export.cells import json_lines
from core.simulation.scenarios import scenarios_csv
from core.text.language import script
from pages.build.test_set_sources import folder_of_datasets, open_dataset
from pages.components.appearance import show_errors
from pages.components.bot_picker import bot_names
from pages.components.links import simulate_link
from pages.components.plain_text import plain
from pages.components.widgets import choose, download_button, show_rows
from pages.i18n.translate import t

read_file = st.cache_data(show_spinner=False, max_entries=8)(read_rageval)


def show_uses(dataset: Dataset) -> None:
    items, decisions = usable_items(dataset), review_decisions(dataset)
    left_out = sum(item.id not in decisions for item in dataset.items()) if "accepted" in decisions.values() else 0
    st.caption(t("test_set.usable", n=len(items)))
    if left_out:
        st.info(t("test_set.undecided_left_out", n=left_out), icon=":material/info:")
    left, right = st.columns(2, gap="medium")
    with left:
        show_make_bot("make-bot", partial(_make_bot, dataset), t("test_set.make_bot_help"))
        _show_copy(dataset)
    with right:
        show_add_questions(items, "into-bot", t("test_set.into_bot_help"))
        _show_compare(dataset)
    _show_files(dataset)


def show_make_bot(key: str, make: Callable[[str], Bot], help_text: str = "") -> None:
    """A form that makes a bot. make: returns the bot of an ID."""
    with st.form(key):
        st.markdown(f"**{t('test_set.make_bot')}**")
        if help_text:
            st.caption(help_text)
        free = unused_name("test-set", bot_ids(), "-{}")
        bot_id = st.text_input(t("test_set.bot_id"), value=free, max_chars=60)
        if st.form_submit_button(t("test_set.make_bot_do"), icon=":material/smart_toy:"):
            with show_errors():
                made = make(bot_id)
                st.success(t("test_set.made_bot", bot=plain(made.name)), icon=":material/check:")
                simulate_link(made.id, t("test_set.to_run"))


def _make_bot(dataset: Dataset, bot_id: str) -> Bot:
    name, language = dataset.manifest.name, dataset.manifest.language
    documents = [Document(document.name, document.text) for document in dataset.documents()]
    return make_bot(bot_id, name, language, documents, usable_items(dataset))


def show_add_questions(items: Sequence[Item], key: str, help_text: str = "") -> None:
    """A form that adds questions to a bot."""
    with st.form(key):
        st.markdown(f"**{t('test_set.into_bot')}**")
        if help_text:
            st.caption(help_text)
        bot_id = choose(t("common.bot"), bot_names())
        if st.form_submit_button(t("test_set.into_bot_do"), icon=":material/playlist_add:") and bot_id:
            with show_errors():
                added = add_items(load_bot(bot_id), items)
                st.success(t("test_set.added", n=added), icon=":material/check:")


def _show_copy(dataset: Dataset) -> None:
    with st.form("copy-set"):
        st.markdown(f"**{t('test_set.copy')}**")
        name = st.text_input(t("test_set.name"), value=f"{dataset.manifest.name} 2", max_chars=60)
        if st.form_submit_button(t("test_set.copy_do"), icon=":material/content_copy:"):
            with show_errors():
                checked = check_name(name)
                copy(dataset, folder_of_datasets() / checked, checked)
                open_dataset(checked)


def _show_compare(dataset: Dataset) -> None:
    others = {other.folder.name: other for other in datasets(folder_of_datasets()) if other.folder != dataset.folder}
    with st.container(border=True):
        st.markdown(f"**{t('test_set.compare')}**")
        if not others:
            st.caption(t("test_set.compare_none"))
            return
        name = st.selectbox(t("test_set.compare_with"), list(others))
        differences = changes(others[name], dataset)
        st.caption(t("test_set.compared", n=len(differences)))
        if differences:
            rows = [{**item.model_dump(), "what": t(f"test_set.difference_{item.what}")} for item in differences]
            show_rows(rows, column_config=_columns("change", rows))


def _show_files(dataset: Dataset) -> None:
    items, name = usable_items(dataset), dataset.folder.name
    language = dataset.manifest.language
    files: tuple[tuple[str, str, Callable[[], bytes]], ...] = (
        ("zip", "test-set.zip", lambda: zip_folder(dataset)),
        ("csv", "questions.csv", lambda: scenarios_csv(item.scenario() for item in items).encode()),
        ("jsonl", "items.jsonl", lambda: json_lines(item_rows(items))),
        ("rageval", "rageval.jsonl", lambda: json_lines(rageval_rows(items, language, name))),
        ("rageval_documents", "rageval_documents.jsonl", lambda: json_lines(rageval_documents(dataset))),
    )
    with st.container(border=True):
        st.markdown(f"**{t('export.title')}**")
        with st.container(horizontal=True):
            for key, file, make in files:
                download_button(t(f"test_set.file_{key}"), make, file, key=f"file-{key}")


def show_imported_files() -> None:
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
        show_add_questions(imported.items, "file-into-bot")
    with right:
        show_make_bot("file-make-bot", partial(_make_bot_of_file, imported))


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
    show_rows(rows, height=320, column_config=_columns("item", rows))


def _columns(kind: str, rows: list[dict[str, Any]]) -> dict[str, str]:
    return {name: t(f"test_set.{kind}_{name}") for name in rows[0]}


def _make_bot_of_file(imported: ImportedTestSet, bot_id: str) -> Bot:
    text = " ".join(document.text[:300] for document in imported.documents[:5])
    language: Language = "ja" if script(text) == "ja" else "en"
    return make_bot(bot_id, bot_id, language, imported.documents, imported.items)
