"""What a test set holds: configurations, the documents made from them, and the questions with their review."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import streamlit as st

from core.datasets.items import Item, checked_words
from core.datasets.seed_document.configurations import Configuration, broken_rules, contradictions
from core.datasets.seed_document.dataset import Dataset, Record
from core.datasets.seed_document.quality import RESPECTS, Quality
from core.datasets.seed_document.refinement import AnswerChange
from core.datasets.seed_document.review import ReviewDecision, decide, review_decisions
from core.datasets.seed_document.schema import Schema
from core.datasets.seed_document.steps import stale_ids
from core.datasets.seed_document.written_documents import WrittenDocument
from pages.build.test_set_sources import show_undo
from pages.components.appearance import show_errors
from pages.components.editing import rows_of_text
from pages.components.plain_text import plain
from pages.components.widgets import action_button, choose_pills, choose_row
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
        show_undo(dataset, "configurations")
    changed_ids = {configuration.id for configuration in changed}
    unchanged = [configuration for configuration in configurations if configuration.id not in changed_ids]
    for configuration in [*changed, *unchanged]:
        for rule in broken_rules(schema, configuration.values):
            st.warning(plain(t("test_set.rule_broken", id=configuration.id, rule=rule)), icon=":material/warning:")
    for field, value, where in contradictions(schema, configurations):
        st.warning(plain(t("test_set.contradiction", field=field, value=value, where=where)), icon=":material/warning:")


def _changed(configurations: list[Configuration], table: pd.DataFrame, schema: Schema) -> list[Configuration]:
    rows = {row["id"]: row for row in rows_of_text(table)}
    changed: list[Configuration] = []
    for configuration in configurations:
        row = rows.get(configuration.id, {})
        before = {field.name: configuration.values.get(field.name, "") for field in schema.fields}
        values = {name: row.get(name, value) for name, value in before.items()}
        if values != before:
            changed.append(configuration.model_copy(update={"values": values}))
    return changed


def _save(dataset: Dataset, changed: list[Configuration]) -> None:
    records = dataset.records("configurations")
    for configuration in changed:
        made = configuration.model_dump(mode="json")
        records[configuration.id] = records[configuration.id].model_copy(update={"made": made})
    dataset.replace("configurations", records.values())


def show_documents(dataset: Dataset) -> None:
    documents = dataset.documents()
    if not documents:
        st.info(t("test_set.no_documents"), icon=":material/info:")
        return
    st.caption(t("test_set.documents_lead"))
    stale = stale_ids(dataset, "documents")
    rows = [
        {
            "name": item.name,
            "subject": item.subject,
            "left_out": item.left_out,
            "missing": t("common.comma").join(item.missing),
            "stale": item.configuration in stale,
        }
        for item in documents
    ]
    columns = {name: t(f"test_set.document_{name}") for name in rows[0]}
    key = f"test-set-documents-{dataset.folder.name}-{len(documents)}"
    _show_document(dataset, documents[choose_row(rows, key, column_config=columns) or 0])


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
    show_undo(dataset, "documents")


_PLACE = "test-set-place"  # the question that is shown after the last decision


def show_items(dataset: Dataset) -> None:
    items = dataset.items()
    if not items:
        st.info(t("test_set.no_items"), icon=":material/info:")
        return
    qualities, decisions = dataset.qualities(), review_decisions(dataset)
    kinds = Counter(item.kind for item in items)
    labels = {kind: f"{t(f'kinds.{kind}')} {n}" for kind, n in kinds.items()}
    chosen = choose_pills(t("test_set.kind"), labels, key="test-set-kinds")
    shown = [item for item in items if not chosen or item.kind in chosen]
    made = Counter(decisions[item.id] for item in items if item.id in decisions)
    st.caption(t("test_set.items_lead", accepted=made["accepted"], rejected=made["rejected"], n=len(items)))
    _show_accept_all(dataset, shown, qualities, decisions)
    place = _table(dataset, shown, qualities, decisions)
    _show_item(dataset, shown[place], place, qualities)


def _show_accept_all(
    dataset: Dataset, items: list[Item], qualities: dict[str, Quality], decisions: dict[str, ReviewDecision]
) -> None:
    """One click for all that are shown and undecided, but for those with a flag."""
    open_items = [item.id for item in items if item.id not in decisions]
    clean = [name for name in open_items if name in qualities and not qualities[name].flags]
    label, decided = t("test_set.accept_all", n=len(clean)), dict.fromkeys(clean, "accepted")
    action_button(label, "done_all", decide, dataset, decided, disabled=not clean)


def _table(
    dataset: Dataset, items: list[Item], qualities: dict[str, Quality], decisions: dict[str, ReviewDecision]
) -> int:
    rows = [
        {
            "decision": t(f"test_set.{decisions[item.id]}") if item.id in decisions else "",
            "id": item.id,
            "kind": t(f"kinds.{item.kind}"),
            "question": item.question,
            "answer": item.answer,
            **_quality_cells(qualities.get(item.id)),
        }
        for item in items
    ]
    next_place = int(st.session_state.get(_PLACE, 0))
    columns = {
        name: st.column_config.Column(
            t(f"test_set.item_{name}"), width="large" if name in ("question", "answer") else None
        )
        for name in rows[0]
    }
    key = f"test-set-items-{dataset.folder.name}-{len(items)}-{next_place}"
    place = choose_row(rows, key, height=320, column_config=columns)
    return next_place % len(items) if place is None else place


def _quality_cells(quality: Quality | None) -> dict[str, Any]:
    """The mean rating and the flags of a question; empty until it was rated."""
    if quality is None:
        return {"rating": None, "flags": ""}
    mean = sum(getattr(quality.rating, name) for name in RESPECTS) / len(RESPECTS)
    return {"rating": mean, "flags": t("common.comma").join(t(f"test_set.flag_{flag}") for flag in quality.flags)}


def _show_item(dataset: Dataset, item: Item, place: int, qualities: dict[str, Quality]) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(item.question)}**")
        _show_decision(dataset, item, place)
        _show_edit(dataset, item)
        left, right = st.columns(2, gap="medium")
        with left:
            _show_answer(dataset, item)
            st.caption(t("test_set.keypoints"))
            for point in item.keypoints:
                source = f" :gray[{plain(point.field)}]" if point.field else ""
                st.markdown(f"- {plain(point.text)}{source}")
        with right:
            st.caption(t("test_set.references"))
            for source in item.evidence:
                st.markdown(f"- {plain(source.text)} :gray[{plain(source.document)}]")
            if not item.evidence:
                st.markdown(t("test_set.no_references"))
            if item.id in qualities:
                _show_quality(qualities[item.id])


def _show_edit(dataset: Dataset, item: Item) -> None:
    """Other words for the question and the answer; what depends on them is stale then."""
    record = dataset.records("questions")[item.id]
    with st.expander(t("test_set.edit"), icon=":material/edit:"), st.form(f"edit-{item.id}", border=False):
        question = st.text_area(t("test_set.item_question"), item.question, height=80)
        answer = st.text_area(t("test_set.item_answer"), item.answer, height=120)
        if st.form_submit_button(t("common.save"), icon=":material/save:"):
            with show_errors():
                changed = checked_words(item, question, answer)
                made = changed.model_copy(update={"keypoints": ()}).model_dump(mode="json")
                dataset.store("questions", Record(id=item.id, inputs=record.inputs, made=made))
                st.rerun()


def _show_answer(dataset: Dataset, item: Item) -> None:
    refined = dataset.results("refinement", AnswerChange).get(item.id)
    if refined and refined.before != refined.after:
        st.caption(t("test_set.before_refinement"))
        st.markdown(f":gray[{plain(refined.before)}]")
    st.caption(t("test_set.item_answer"))
    st.markdown(plain(item.answer))


def _show_quality(quality: Quality) -> None:
    st.caption(t("test_set.quality"))
    scores = " · ".join(f"{t(f'test_set.{name}')} {getattr(quality.rating, name)}" for name in RESPECTS)
    st.markdown(scores)
    st.caption(plain(quality.rating.reasons))
    for flag in quality.flags:
        st.warning(plain(t(f"test_set.flag_{flag}_help", same=quality.same_as)), icon=":material/flag:")


def _show_decision(dataset: Dataset, item: Item, place: int) -> None:
    """Accept and reject, also with keys; then the next one is shown."""

    def store_decision(decision: ReviewDecision | None) -> None:
        decide(dataset, {item.id: decision})
        icon = "check" if decision == "accepted" else "close"
        decision_text = t(f"test_set.{decision or 'undecided'}")
        st.toast(f"{item.id}: {decision_text}", icon=f":material/{icon}:")
        st.session_state[_PLACE] = place + 1

    current = review_decisions(dataset).get(item.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        action_button(t("test_set.accept"), "check", store_decision, "accepted", shortcut="a")
        action_button(t("test_set.reject"), "close", store_decision, "rejected", shortcut="x")
        if current:
            st.badge(t(f"test_set.{current}"), color="green" if current == "accepted" else "orange")
            action_button(t("common.undo"), "undo", store_decision, None, type="tertiary", key="undo-decision")
