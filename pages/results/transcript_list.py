"""The list of a run's conversations: text search, filters, order, and pages (it stays fast with ten thousand)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import streamlit as st

from core.analysis.conversation_list import ListedConversation, list_conversations
from core.analysis.formatting import NO_VALUE, ending_key, percent
from core.analysis.names import judge_name, label_text
from core.analysis.simulator_health import invalid_in_run
from core.base.types import OVERALL
from core.store.main_scores import judges_in_order, main_judge
from core.store.rows import RunRow
from pages.components.appearance import ending_text
from pages.components.services import need_store
from pages.components.widgets import choose, choose_row, choose_several, choose_switch
from pages.i18n.translate import language, t

PAGE_SIZE = 25  # conversations on a page of the list
MAX_LABELS = 12  # more labels than these cannot be filtered by
LIST_HEIGHT = 620  # pixels
ROW_HEIGHT = 66  # for three lines of a question; below 65, or next to an empty cell, Streamlit does not wrap
EVERY_SCORE = (0, 100)


class FoundConversations(NamedTuple):
    """The conversations found, in order, and the scores of all conversations of the run by id."""

    rows: list[ListedConversation]
    scores: dict[str, float | None]


def search_conversations(run: RunRow, lower_criteria: Callable[[str], frozenset[str]]) -> FoundConversations:
    """Draw search, filters and order, and search. lower_criteria(judge): those with lower is better."""
    store = need_store()
    tables = store.tables.of_run(run.id)
    judges = tables.cached("main_criteria", tables.main_criteria)
    text = st.text_input(
        t("transcript_search.text"),
        key=f"find-text-{run.id}",
        icon=":material/search:",
        placeholder=t("transcript_search.text_hint"),
    )
    bar = st.container(horizontal=True, gap="small", vertical_alignment="center")
    with bar.popover(t("transcript_search.filter"), icon=":material/filter_list:", key=f"find-{run.id}"):
        judge = _choose_judge(run, judges)
        criterion, version = judges.get(judge, (OVERALL, ""))
        rows = list_conversations(tables, judge, criterion, version)
        rows_shown = _filtered(run, rows, invalid_in_run(store, run.id), judge)
    if text.strip():
        matches = store.text_search.find(run.id, text)
        rows_shown = [row for row in rows_shown if row.id in matches]
    st.caption(t("transcript_search.count", n=f"{len(rows_shown):,}", all=f"{len(rows):,}"))
    with bar:
        ordered = _choose_order(run, rows_shown, criterion in lower_criteria(judge))
    return FoundConversations(ordered, {row.id: row.score for row in rows})


def _choose_judge(run: RunRow, judges: Iterable[str]) -> str:
    names = judges_in_order(judges)
    if len(names) < 2:
        return main_judge(names)
    return _choose_one(run, "judge", {name: judge_name(name, t) for name in names})


def _filtered(
    run: RunRow, rows: Sequence[ListedConversation], invalid: frozenset[str], judge: str
) -> list[ListedConversation]:
    """Draw the filters, and return the rows that pass all; one that would not make a difference is not shown."""
    shown = list(rows)
    personas = {row.persona_id: row.persona_name for row in rows if row.persona_name}
    if chosen := _choose_several(run, "persona", personas):
        shown = [row for row in shown if row.persona_id in chosen]
    kinds = {kind: t(f"kinds.{kind}") for kind in dict.fromkeys(row.kind for row in rows) if kind}
    if chosen := _choose_several(run, "kind", kinds):
        shown = [row for row in shown if row.kind in chosen]
    endings = {key: t(key) for key in dict.fromkeys(ending_key(row.ending, row.status) for row in rows)}
    if chosen := _choose_several(run, "ending", endings):
        shown = [row for row in shown if ending_key(row.ending, row.status) in chosen]
    labels = sorted(frozenset[str]().union(*{row.labels for row in rows}))
    label_texts = {label: label_text(t, judge, label) for label in labels} if len(labels) <= MAX_LABELS else {}
    if chosen := _choose_several(run, "label", label_texts):
        shown = [row for row in shown if not row.labels.isdisjoint(chosen)]
    if any(row.score is not None for row in rows):
        label, key = t("transcript_search.score"), f"find-score-{run.id}"
        low, high = st.slider(label, 0, 100, EVERY_SCORE, 5, format="%d%%", key=key)
        if (low, high) != EVERY_SCORE:
            shown = [row for row in shown if row.score is not None and low <= round(row.score * 100) <= high]
    if len({bool(row.asked) for row in rows if row.asked is not None}) > 1:
        answers = {name: t(f"transcript_search.asked_{name}") for name in ("any", "yes", "no")}
        if (asked := _choose_one(run, "asked", answers)) != "any":
            shown = [row for row in shown if row.asked is not None and bool(row.asked) == (asked == "yes")]
    if invalid and st.toggle(t("transcript_search.invalid", n=len(invalid)), key=f"find-invalid-{run.id}"):
        shown = [row for row in shown if row.id in invalid]
    return shown


def _choose_several(run: RunRow, name: str, options: dict[str, str]) -> list[str]:
    if len(options) < 2:
        return []
    label, key = t(f"transcript_search.{name}"), f"find-{name}-{run.id}-{language()}"
    return choose_several(label, options, placeholder=t("transcript_search.all"), key=key)


def _choose_one(run: RunRow, name: str, options: dict[str, str]) -> str:
    return choose(t(f"transcript_search.{name}"), options, key=f"find-{name}-{run.id}-{language()}")


def _choose_order(run: RunRow, rows: list[ListedConversation], lower_is_better: bool) -> list[ListedConversation]:
    """Sort by number, or the worst first (unscored and failed ones before all)."""
    names = {name: t(f"transcript_search.order_{name}") for name in ("worst", "number")}
    label, key = t("transcript_search.order"), f"find-order-{run.id}-{language()}"
    if choose_switch(label, names, "number", key=key, label_visibility="collapsed") != "worst":
        return rows
    return sorted(rows, key=lambda row: -1.0 if row.score is None else 1 - row.score if lower_is_better else row.score)


def show_list(run: RunRow, rows: Sequence[ListedConversation], open_id: str) -> None:
    """Draw the page of the list with the open conversation; a selected row opens its conversation."""
    index = next((index for index, row in enumerate(rows) if row.id == open_id), 0)
    pages = max(1, -(-len(rows) // PAGE_SIZE))
    key = f"find-page-{run.id}"
    if st.session_state.get(f"{key}-of") != (open_id, len(rows)):  # another conversation is open: go to its page
        st.session_state[key], st.session_state[f"{key}-of"] = index // PAGE_SIZE + 1, (open_id, len(rows))
    st.session_state[key] = min(st.session_state.get(key, 1), pages)
    number = st.pagination(pages, key=key, max_visible_pages=5) if pages > 1 else 1
    shown = rows[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    cells = [
        {
            "number": row.number,
            "score": percent(row.score),
            "question": " ".join(row.question.split()),
            "persona": row.persona_name or NO_VALUE,
            "ending": ending_text(row.ending, row.status),
        }
        for row in shown
    ]
    ids = [row.id for row in shown]
    place = choose_row(
        cells,
        f"find-list-{run.id}-{hash(tuple(ids))}-{open_id}",
        selection_default={"selection": {"rows": [ids.index(open_id)] if open_id in ids else []}},
        height=min(LIST_HEIGHT, 38 + ROW_HEIGHT * max(1, len(shown))),
        row_height=ROW_HEIGHT,
        column_config={
            "number": st.column_config.NumberColumn("#", width=44),
            "score": st.column_config.TextColumn(t("scores.score"), width=54, help=t("scores.ending_help")),
            "question": st.column_config.TextColumn(t("scores.question"), width=156),
            "persona": st.column_config.TextColumn(t("scores.persona"), width=84),
            "ending": st.column_config.TextColumn(t("scores.ending"), width=102, help=t("scores.ending_help")),
        },
    )
    if place is not None and ids[place] != open_id:
        st.query_params["conversation"] = ids[place]
        st.rerun()
