"""The list of what to fix: filters, pages, groups by cause and document, one row per question."""

from __future__ import annotations

import zlib
from itertools import groupby
from typing import TYPE_CHECKING

import streamlit as st

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import (
    Entry,
    Failure,
    Failures,
    by_cause,
    by_document,
    failure_entries,
)
from core.base.types import Bot
from core.store.rows import RunRow
from pages.components.plain_text import line
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.failure_entry import show_entry
from pages.results.failure_summary import cause_name, document_name

if TYPE_CHECKING:
    from core.store.store import Store

PAGE_SIZE = 20  # entries at a time
ALL = "all"
NO_DOCUMENT = "-"  # in the address


def show_failures(store: Store, bot: Bot, run: RunRow, failures: Failures) -> None:
    """Draw the filters and the entries that pass them, worst first."""
    entries = failure_entries(_choose_turns(failures))
    if not entries:
        st.info(t("failures.none_match"), icon=":material/info:")
        return
    first = _choose_page(len(entries))
    shown = entries[first : first + PAGE_SIZE]
    for cause, of_cause in groupby(shown, key=_cause_of):
        st.subheader(cause_name(cause), anchor=False)
        st.caption(t(f"failures.todo_{cause}"))
        for document, group in groupby(of_cause, key=lambda entry: entry.document):
            of_document = [entry for entry in entries if (entry.cause, entry.document) == (cause, document)]
            _show_document(of_document)
            for entry in group:
                _show_question(store, bot, run, entry)


def _cause_of(entry: Entry) -> Cause:
    return entry.cause


def _choose_turns(failures: Failures) -> list[Failure]:
    """The turns of the cause, document, persona and kind that are chosen in the address."""
    turns = list(failures.turns)
    columns = st.columns(4)
    causes = {cause: f"{cause_name(cause)} ({group.n})" for cause, group in by_cause(turns).items()}
    cause = choose_in_url("cause", t("failures.cause"), {ALL: t("failures.all_causes"), **causes}, columns[0])
    turns = [turn for turn in turns if cause in (ALL, turn.diagnosis.cause)]
    documents = {
        name or NO_DOCUMENT: f"{name or t('failures.no_document')} ({group.n})"
        for name, group in by_document(turns).items()
    }
    options = {ALL: t("failures.all_documents"), **documents}
    document = choose_in_url("document", t("failures.document"), options, columns[1])
    turns = [turn for turn in turns if document in (ALL, turn.document or NO_DOCUMENT)]
    personas = {turn.persona: turn.persona_name for turn in failures.turns if turn.persona}
    options = {ALL: t("scores.all_personas"), **personas}
    persona = choose_in_url("persona", t("scores.persona"), options, columns[2])
    kinds = {turn.kind: t(f"kinds.{turn.kind}") for turn in failures.turns if turn.kind}
    kind = choose_in_url("kind", t("scores.kind"), {ALL: t("scores.all_kinds"), **kinds}, columns[3])
    return [turn for turn in turns if persona in (ALL, turn.persona) and kind in (ALL, turn.kind)]


def _choose_page(n: int) -> int:
    """The index of the first entry to show."""
    if n <= PAGE_SIZE:
        return 0
    pages = {
        str(first): t("failures.page_of", first=first + 1, last=min(n, first + PAGE_SIZE), all=n)
        for first in range(0, n, PAGE_SIZE)
    }
    return int(choose_in_url("from", t("failures.page"), pages))


def _show_document(entries: list[Entry]) -> None:
    """Show a document with the sums of all its entries, also those on other pages."""
    first = entries[0]
    sums = {
        "lost": f"{sum(entry.points_lost for entry in entries):.1f}",
        "n": sum(len(entry.turns) for entry in entries),
    }
    icon = ":material/description:" if first.document else ":material/indeterminate_question_box:"
    name = document_name(first.document, first.turns[0].diagnosis.why)
    st.markdown(f"{icon} **{t('failures.group', document=name, **sums)}**")


def _show_question(store: Store, bot: Bot, run: RunRow, entry: Entry) -> None:
    """Show a question as an expander; its entry is drawn when it is open."""
    key = f"{zlib.crc32(repr(entry.key).encode()):08x}"
    n = len(entry.turns)
    details = {"question": line(entry.turns[0].question, 70), "lost": f"{entry.points_lost:.1f}"}
    label = t("failures.entry_one", **details) if n == 1 else t("failures.entry", n=n, **details)
    is_linked = st.query_params.get("entry", "") == key
    box = st.expander(label, expanded=is_linked, key=f"entry-{run.id}-{key}", on_change="rerun")
    if box.open:
        with box:
            show_entry(store, bot, run, entry, key)
