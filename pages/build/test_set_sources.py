"""The test sets that are there, and a new one: seed documents, language, how many, which seed."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import ROOT, settings
from core.base.types import Language
from core.datasets.seed_document.dataset import Dataset, Manifest, Step, check_name, datasets
from core.datasets.seed_document.formats import unpack
from core.documents.documents import ENDINGS, Document, document_text, read_documents
from pages.components.appearance import show_errors
from pages.components.bot_picker import choose_bot_id
from pages.components.plain_text import plain
from pages.components.url_choice import choose_in_url, forget_choice
from pages.components.widgets import action_button, choose
from pages.i18n.translate import language, t

EXAMPLES = ROOT / "core" / "datasets" / "examples"
NEW = "new"
ORIGINS = ("example_ja", "example_en", "upload", "bot", "archive")


def folder_of_datasets() -> Path:
    return settings().data_dir / "test_sets"


def choose_dataset() -> Dataset | None:
    """The chosen test set; None if a new one is to be made."""
    by_name = {dataset.folder.name: dataset for dataset in datasets(folder_of_datasets())}
    if not by_name:
        return None
    labels = {**{name: name for name in by_name}, NEW: t("test_set.new")}
    chosen = choose_in_url("set", t("test_set.set"), labels)
    return by_name.get(chosen)


def show_undo(dataset: Dataset, step: Step, label: str = "common.undo", help_text: str | None = None) -> None:
    """A button that takes back the last edit of a step's results, if there is one."""
    if dataset.can_undo(step):
        action_button(t(label), "undo", dataset.undo, step, key=f"undo-{step}", help=help_text)


def open_dataset(name: str) -> None:
    forget_choice("set")
    st.query_params["set"] = name
    st.rerun()


def show_new() -> None:
    with st.container(border=True):
        st.subheader(t("test_set.new_title"), anchor=False)
        labels = {origin: t(f"test_set.origin_{origin}") for origin in ORIGINS}
        origin = choose(t("test_set.origin"), labels, f"example_{language()}")
        if origin == "archive":
            show_archive()
            return
        document = _seed_document(origin)
        if document:
            with st.expander(plain(document.name)), st.container(height=320, border=False):
                st.markdown(plain(document.text))
        show_settings(origin, document)


def show_settings(origin: str, document: Document | None) -> None:
    first, second, third, fourth = st.columns([5, 4, 3, 3], vertical_alignment="bottom")
    name = first.text_input(t("test_set.name"), value=t("test_set.default_name"), max_chars=60)
    usual: Language = "en" if origin == "example_en" else "ja" if origin == "example_ja" else language()
    names: dict[Language, str] = {"ja": t("settings.language_ja"), "en": t("settings.language_en")}
    of: Language = choose(t("test_set.language"), names, usual, second)
    documents = third.number_input(t("test_set.documents_n"), 1, 500, 20, help=t("test_set.documents_n_help"))
    seed = fourth.number_input(t("test_set.seed"), 0, 1_000_000, 1, help=t("test_set.seed_help"))
    if st.button(t("test_set.create"), type="primary", icon=":material/add:", disabled=not document) and document:
        with show_errors():
            checked = check_name(name)
            manifest = Manifest(name=checked, language=of, seed=int(seed), documents=int(documents))
            Dataset.create(folder_of_datasets() / checked, manifest, document)
            open_dataset(checked)


def show_archive() -> None:
    file = st.file_uploader(t("test_set.archive"), ["zip"], key="test-set-archive")
    name = st.text_input(t("test_set.name"), t("test_set.default_name"), 60, key="test-set-archive-name")
    if st.button(t("label_files.import"), type="primary", icon=":material/upload:", disabled=file is None) and file:
        with show_errors():
            checked = check_name(name)
            unpack(file.getvalue(), folder_of_datasets() / checked)
            open_dataset(checked)


def _seed_document(origin: str) -> Document | None:
    if origin.startswith("example_"):
        path = next((EXAMPLES / origin.removeprefix("example_")).glob("*.md"))
        return Document(path.name, path.read_text("utf-8"))
    if origin == "bot":
        _, bot_id = choose_bot_id()
        return _document_of(bot_id)
    files = st.file_uploader(
        t("test_set.upload"), [ending[1:] for ending in ENDINGS], accept_multiple_files=True, key="test-set-seeds"
    )
    texts: dict[str, str] = {}
    for file in files:
        with show_errors():
            texts[file.name] = document_text(file.name, file.getvalue())
    name = next(iter(texts), None)
    if len(texts) > 1:
        name = st.selectbox(t("test_set.seed_of_several"), list(texts), help=t("test_set.seed_of_several_help"))
    return Document(name, texts[name]) if name else None


def _document_of(bot_id: str) -> Document | None:
    """The document of a bot that is taken as the seed."""
    try:
        documents = {document.name: document for document in read_documents(load_bot(bot_id))}
    except BadInput:
        return None
    name = st.selectbox(t("failures.document"), list(documents))
    return documents[name] if name else None
