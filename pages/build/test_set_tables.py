"""Configurations as a table with undo, and the documents made from them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.datasets.seed_document.configurations import Configuration, broken_rules, contradictions
from core.datasets.seed_document.dataset import Dataset, Record
from core.datasets.seed_document.schema import Schema
from core.datasets.seed_document.steps import stale_ids
from core.datasets.seed_document.written_documents import WrittenDocument
from pages.components.appearance import show_errors
from pages.components.choices import choose_row
from pages.components.plain_text import plain
from pages.i18n.translate import t


def show_configurations(dataset: Dataset) -> None:
    """One row for each configuration; a change makes its document and questions stale, and nothing else."""
    schema, configurations = dataset.schema(), dataset.configurations()
    if schema is None or not configurations:
        st.info(t("test_set.no_configurations"), icon=":material/info:")
        return
    st.caption(t("test_set.configurations_lead"))
    table = pd.DataFrame([{"id": configuration.id, **configuration.values} for configuration in configurations])
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["id"],
        column_config={"id": st.column_config.TextColumn(t("scenarios.id"), width="small")},
        key=f"configurations-{dataset.folder.name}-{hash(tuple(configuration.model_dump_json() for configuration in configurations))}",
    )
    changed = _changed(configurations, edited, schema)
    with st.container(horizontal=True):
        label = t("test_set.save_configurations", n=len(changed))
        if st.button(label, icon=":material/save:", disabled=not changed):
            with show_errors():
                _save(dataset, changed)
                st.rerun()
        if dataset.can_undo("configurations") and st.button(t("common.undo"), icon=":material/undo:", key="conf-undo"):
            dataset.undo("configurations")
            st.rerun()
    changed_ids = {configuration.id for configuration in changed}
    unchanged = [configuration for configuration in configurations if configuration.id not in changed_ids]
    for configuration in [*changed, *unchanged]:
        for rule in broken_rules(schema, configuration.values):
            st.warning(plain(t("test_set.rule_broken", id=configuration.id, rule=rule)), icon=":material/warning:")
    for field, value, where in contradictions(schema, configurations):
        st.warning(plain(t("test_set.contradiction", field=field, value=value, where=where)), icon=":material/warning:")


def _changed(configurations: list[Configuration], table: pd.DataFrame, schema: Schema) -> list[Configuration]:
    rows = {str(row["id"]): row for row in table.to_dict("records")}
    changed: list[Configuration] = []
    for configuration in configurations:
        row = rows.get(configuration.id, {})
        values = {
            field.name: str(row.get(field.name, configuration.values.get(field.name, ""))).strip()
            for field in schema.fields
        }
        if values != {field.name: configuration.values.get(field.name, "") for field in schema.fields}:
            changed.append(configuration.model_copy(update={"values": values}))
    return changed


def _save(dataset: Dataset, changed: list[Configuration]) -> None:
    records = dataset.records("configurations")
    for configuration in changed:
        record = Record(
            id=configuration.id, inputs=records[configuration.id].inputs, made=configuration.model_dump(mode="json")
        )
        records[configuration.id] = record
    dataset.replace("configurations", records.values())


def show_documents(dataset: Dataset) -> None:
    """The documents, what each one lacks, and the chosen one to read."""
    documents = dataset.documents()
    if not documents:
        st.info(t("test_set.no_documents"), icon=":material/info:")
        return
    st.caption(t("test_set.documents_lead"))
    stale = stale_ids(dataset, "documents")
    table = pd.DataFrame(
        [
            {
                "name": item.name,
                "subject": item.subject,
                "left_out": item.left_out,
                "missing": t("common.comma").join(item.missing),
                "stale": item.configuration in stale,
            }
            for item in documents
        ]
    )
    columns = {name: st.column_config.Column(t(f"test_set.document_{name}")) for name in table.columns}
    key = f"test-set-documents-{dataset.folder.name}-{len(documents)}"
    _show_document(dataset, documents[choose_row(table, key, column_config=columns) or 0])


def _show_document(dataset: Dataset, document: WrittenDocument) -> None:
    """The text to read, or to change; a change makes stale what was asked about the sentences that it touches."""
    if document.missing:
        lacking = t("test_set.document_lacks", fields=t("common.comma").join(document.missing))
        st.warning(plain(lacking), icon=":material/warning:")
    key = f"{dataset.folder.name}-{document.name}-{hash(document.text)}"
    editing = st.toggle(t("test_set.edit_document"), key=f"edit-{key}", help=t("test_set.edit_document_help"))
    if not editing:
        with st.container(height=420, border=True):
            st.markdown(plain(document.text))
    else:
        text = st.text_area(t("test_set.document_text"), document.text, height=420, key=f"text-{key}")
        changed = text.strip() != document.text.strip()
        if st.button(t("test_set.save_document"), icon=":material/save:", disabled=not changed):
            with show_errors():
                dataset.save_document(document.name, text)
                st.rerun()
    if dataset.can_undo("documents") and st.button(t("common.undo"), icon=":material/undo:", key="document-undo"):
        dataset.undo("documents")
        st.rerun()
