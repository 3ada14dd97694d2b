"""The questions of a test set: a table by kind, one to read with its evidence, keypoints and rating, accept or reject."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import streamlit as st

from core.datasets.items import Item, checked_words
from core.datasets.seed_document.dataset import Dataset, Record, ReviewDecision
from core.datasets.seed_document.quality import RESPECTS, Quality
from core.datasets.seed_document.refinement import AnswerChange
from pages.components.appearance import show_errors
from pages.components.choices import choose_row
from pages.components.plain_text import plain
from pages.i18n.translate import t

_PLACE = "test-set-place"  # the question that is shown after the last decision


def show_items(dataset: Dataset) -> None:
    """The questions as far as the steps have come."""
    items = dataset.items()
    if not items:
        st.info(t("test_set.no_items"), icon=":material/info:")
        return
    qualities, decisions = dataset.qualities(), dataset.decisions()
    kinds = list(dict.fromkeys(item.kind for item in items))
    counts = Counter(item.kind for item in items)
    labels = {kind: f"{t(f'kinds.{kind}')} {counts[kind]}" for kind in kinds}
    chosen = st.pills(
        t("test_set.kind"), kinds, selection_mode="multi", format_func=labels.__getitem__, key="test-set-kinds"
    )
    shown = [item for item in items if not chosen or item.kind in chosen]
    made = Counter(decisions[item.id] for item in items if item.id in decisions)
    st.caption(t("test_set.items_lead", accepted=made["accepted"], rejected=made["rejected"], n=len(items)))
    _show_all(dataset, shown, qualities, decisions)
    place = _table(dataset, shown, qualities, decisions)
    _show_item(dataset, shown[place], place, qualities)


def _show_all(
    dataset: Dataset, items: list[Item], qualities: dict[str, Quality], decisions: dict[str, ReviewDecision]
) -> None:
    """One click for all that are shown and undecided, but for those with a flag."""
    open_items = [item.id for item in items if item.id not in decisions]
    clean = [name for name in open_items if name in qualities and not qualities[name].flags]
    st.button(
        t("test_set.accept_all", n=len(clean)),
        icon=":material/done_all:",
        disabled=not clean,
        on_click=dataset.decide,
        args=(dict.fromkeys(clean, "accepted"),),
    )


def _table(
    dataset: Dataset, items: list[Item], qualities: dict[str, Quality], decisions: dict[str, ReviewDecision]
) -> int:
    table = pd.DataFrame(
        [
            {
                "decision": t(f"test_set.{decisions[item.id]}") if item.id in decisions else "",
                "id": item.id,
                "kind": t(f"kinds.{item.kind}"),
                "question": item.question,
                "answer": item.answer,
                "rating": _mean(qualities.get(item.id)),
                "flags": t("common.comma").join(t(f"test_set.flag_{flag}") for flag in qualities[item.id].flags)
                if item.id in qualities
                else "",
            }
            for item in items
        ]
    )
    wide = {"question", "answer"}
    next_place = int(st.session_state.get(_PLACE, 0))
    columns = {
        name: st.column_config.Column(t(f"test_set.item_{name}"), width="large" if name in wide else None)
        for name in table.columns
    }
    key = f"test-set-items-{dataset.folder.name}-{len(items)}-{next_place}"
    place = choose_row(table, key, height=320, column_config=columns)
    return next_place % len(items) if place is None else place


def _mean(quality: Quality | None) -> float | None:
    if quality is None:
        return None
    return sum(getattr(quality.rating, name) for name in RESPECTS) / len(RESPECTS)


def _show_item(dataset: Dataset, item: Item, place: int, qualities: dict[str, Quality]) -> None:
    """One question with everything that belongs to it."""
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
    refined = dataset.made("refinement", AnswerChange).get(item.id)
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

    def decide(decision: ReviewDecision | None) -> None:
        dataset.decide({item.id: decision})
        decision_text = t(f"test_set.{decision}") if decision else t("test_set.undecided")
        st.toast(
            f"{item.id}: {decision_text}", icon=":material/check:" if decision == "accepted" else ":material/close:"
        )
        st.session_state[_PLACE] = place + 1

    current = dataset.decisions().get(item.id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(t("test_set.accept"), icon=":material/check:", shortcut="a", on_click=decide, args=("accepted",))
        st.button(t("test_set.reject"), icon=":material/close:", shortcut="x", on_click=decide, args=("rejected",))
        if current:
            st.badge(t(f"test_set.{current}"), color="green" if current == "accepted" else "orange")
            st.button(
                t("common.undo"),
                icon=":material/undo:",
                type="tertiary",
                on_click=decide,
                args=(None,),
                key="undo-decision",
            )
