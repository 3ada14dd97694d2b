"""The schema of a test set: a table of facts, shown in the seed document, with warnings and approval."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st
from pydantic import ValidationError

from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.datasets.seed_document.configurations import can_vary
from core.datasets.seed_document.dataset import Dataset
from core.datasets.seed_document.found_values import dates_of
from core.datasets.seed_document.propose_schema import field_of_example, line_at
from core.datasets.seed_document.schema import Schema, SchemaField, SchemaWarning, warnings
from core.text.quotation_marks import in_quotes
from pages.build.test_set_sources import show_undo
from pages.components.appearance import local_time, show_errors
from pages.components.plain_text import plain
from pages.i18n.translate import language, t

TYPES = ("text", "person", "organisation", "date", "money", "number", "choice", "email")
COLUMNS = ("name", "example", "type", "meaning", "asks", "required")
CONTEXT_LETTERS = 60  # letters of the seed shown around an example


def show_schema(dataset: Dataset) -> None:
    schema = dataset.schema()
    if schema is None:
        st.info(t("test_set.no_schema"), icon=":material/info:")
        _show_seed(dataset.seed_document().text, ())
        return
    st.caption(t("test_set.schema_lead"))
    seed = dataset.seed_document().text
    schema_warnings = warnings(schema, seed, dates_of(seed))
    for warning in schema_warnings:
        st.warning(plain(_warning_text(warning)), icon=":material/warning:")
    edited = _table(dataset, schema)
    st.caption(t("test_set.table_help"))
    unsaved = _show_changes(dataset, schema, edited)
    _show_approval(dataset, unsaved, len(schema_warnings))
    left, right = st.columns(2, gap="medium")
    with left:
        _show_field(schema, seed)
    with right:
        _show_rules(schema)
    with st.expander(t("test_set.seed_marked"), icon=":material/article:"):
        _show_seed(seed, schema.fields)
    with st.expander(t("test_set.json"), icon=":material/data_object:"):
        _show_json(dataset, schema)


def _warning_text(warning: SchemaWarning) -> str:
    names = t("common.comma").join(in_quotes(name, language()) for name in warning.fields)
    return t(f"test_set.warn_{warning.kind}", names=names, text=warning.text)


def _table(dataset: Dataset, schema: Schema) -> pd.DataFrame:
    rows = [{name: getattr(field, name) for name in COLUMNS} for field in schema.fields]
    text = st.column_config.TextColumn
    return st.data_editor(
        pd.DataFrame(rows),
        hide_index=True,
        num_rows="dynamic",
        placeholder="",
        key=f"schema-{dataset.folder.name}-{hash(schema)}",
        column_config={
            "name": text(t("test_set.field_name"), width=150, required=True, pinned=True),
            "meaning": text(t("test_set.field_meaning"), width=150),
            "example": text(t("test_set.field_example"), width=130),
            "type": st.column_config.SelectboxColumn(
                t("test_set.field_type"),
                width=105,
                options=list(TYPES),
                format_func=lambda kind: t(f"test_set.type_{kind}"),
                default="text",
            ),
            "asks": text(t("test_set.field_asks"), width=170, help=t("test_set.field_asks_help")),
            "required": st.column_config.CheckboxColumn(
                t("test_set.field_required"), width=70, help=t("test_set.field_required_help"), default=True
            ),
        },
    )


def _show_changes(dataset: Dataset, schema: Schema, edited: pd.DataFrame) -> bool:
    """Save and undo; whether the table has changes that are not saved."""
    nameless = sum(_is_nameless(row) for row in edited.to_dict("records"))
    if nameless:
        st.warning(t("test_set.nameless", n=nameless), icon=":material/warning:")
    changed = _schema_from(schema, edited, dataset.seed_document().text)
    with st.container(horizontal=True):
        if st.button(t("test_set.save_schema"), icon=":material/save:", disabled=changed == schema):
            with show_errors():
                dataset.save_schema(changed)
                st.rerun()
        show_undo(dataset, "schema", "test_set.undo_save", t("test_set.undo_save_help"))
    return changed != schema or nameless > 0


def _is_nameless(row: Mapping[Hashable, Any]) -> bool:
    """Whether somebody wrote into a row, but gave it no name."""
    filled = {key for key in ("name", "meaning", "example", "asks") if isinstance(row[key], str) and row[key].strip()}
    return bool(filled) and "name" not in filled


def _schema_from(schema: Schema, table: pd.DataFrame, seed: str) -> Schema:
    """The schema as the table has it: a field that moved to another example is looked up again in the seed."""
    by_name = {field.name: field for field in schema.fields}
    by_example = {field.example: field for field in schema.fields}
    fields: list[SchemaField] = []
    renamed: dict[str, str] = {}
    for row in table.to_dict("records"):
        cells = {str(key): "" if value is None or value != value else value for key, value in row.items()}
        name, example = str(cells["name"]).strip(), str(cells["example"]).strip()
        if not name:
            continue
        before = by_name.get(name) or by_example.get(example)
        if before is not None and before.name not in {str(row_name).strip() for row_name in table["name"]}:
            renamed[before.name] = name
        if before is None:
            fields.append(_added(field_of_example(name, example, seed, schema.language), cells))
            continue
        start = seed.find(example) if example else -1
        changes = {
            "name": name,
            "meaning": str(cells["meaning"]),
            "example": example,
            "type": cells["type"] or "text",
            "asks": str(cells["asks"]),
            "required": bool(cells["required"]),
        }
        if before.example != example:
            changes |= {
                "places": (start,) if start >= 0 else (),
                "sentence": line_at(seed, start),
                "varies": cells["type"] != "text" or can_vary(name, cells["example"]),
            }
        fields.append(SchemaField.model_validate({**before.model_dump(), **changes}))
    names = {field.name for field in fields}
    rules = tuple(
        rule.model_copy(update={"fields": tuple(renamed.get(name, name) for name in rule.fields)})
        for rule in schema.rules
    )
    usable = tuple(rule for rule in rules if set(rule.fields) <= names)
    identity = renamed.get(schema.identity, schema.identity)
    return Schema(
        language=schema.language, fields=tuple(fields), rules=usable, identity=identity if identity in names else ""
    )


def _added(field: SchemaField, cells: Mapping[str, Any]) -> SchemaField:
    """A new row: what its writer left empty is as found."""
    filled = {key: str(cells[key]).strip() for key in ("meaning", "asks") if str(cells[key]).strip()}
    kind = {"type": cells["type"]} if cells["type"] not in ("", "text") else {}
    required = {"required": cells["required"] is not False}
    return SchemaField.model_validate({**field.model_dump(), **filled, **kind, **required})


def _show_approval(dataset: Dataset, unsaved: bool, warned: int) -> None:
    approval = dataset.manifest.approval
    if unsaved:
        st.info(t("test_set.unsaved"), icon=":material/edit:")
    if dataset.is_approved() and approval:
        st.success(
            t("test_set.approved", by=plain(approval.by), at=local_time(approval.at)), icon=":material/verified:"
        )
        return
    if approval:
        st.caption(t("test_set.approved_before", by=plain(approval.by), at=local_time(approval.at)))
    with st.form("approve-schema", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        by = st.text_input(t("test_set.approver"), max_chars=60)
        text = t("test_set.approve_despite", n=warned) if warned else t("test_set.approve")
        if st.form_submit_button(text, type="primary", icon=":material/verified:", disabled=unsaved):
            with show_errors():
                dataset.approve(by)
                st.rerun()


def _show_field(schema: Schema, seed: str) -> None:
    with st.container(border=True):
        name = st.selectbox(t("test_set.look_at"), [field.name for field in schema.fields])
        field = schema.field(name)
        st.caption(plain(field.meaning))
        if not field.places:
            st.markdown(t("test_set.not_found_in_seed"))
        for place in field.places[:3]:
            end = place + len(field.example)
            before, after = seed[max(0, place - CONTEXT_LETTERS) : place], seed[end : end + CONTEXT_LETTERS]
            st.markdown(f"…{plain(before)} :violet-background[{plain(field.example)}] {plain(after)}…")


def _show_rules(schema: Schema) -> None:
    with st.container(border=True):
        st.markdown(f"**{t('test_set.rules')}**")
        if not schema.rules:
            st.caption(t("common.none"))
        for rule in schema.rules:
            values = {"names": " → ".join(rule.fields), "last": rule.fields[-1], "parts": " + ".join(rule.fields[:-1])}
            st.markdown(f"- {plain(t(f'test_set.rule_{rule.kind}', **values))}")


def _show_seed(seed: str, fields: tuple[SchemaField, ...]) -> None:
    places = sorted((place, place + len(field.example)) for field in fields for place in field.places)
    text, done = "", 0
    for start, end in places:
        if start >= done:
            text += f"{plain(seed[done:start])} :violet-background[{plain(seed[start:end])}] "
            done = end
    with st.container(height=360, border=True):
        st.markdown(re.sub(r"\n{3,}", "\n\n", text + plain(seed[done:])))


def _show_json(dataset: Dataset, schema: Schema) -> None:
    text = st.text_area(
        t("test_set.json_edit"), json.dumps(schema.model_dump(mode="json"), ensure_ascii=False, indent=1), height=320,
        key=f"schema-json-{hash(schema)}",
    )  # fmt: skip
    if st.button(t("test_set.save_json"), icon=":material/save:"):
        with show_errors():
            dataset.save_schema(_parsed(text))
            st.rerun()


def _parsed(text: str) -> Schema:
    try:
        return Schema.model_validate_json(text)
    except ValidationError as error:
        fault = field_fault(error, whole="JSON")
        message = f"The schema cannot be read ({fault}). Correct it."
        raise BadInput(message, "schema_json", **fault.details) from error
