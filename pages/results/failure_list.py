"""The list: filters, pages, groups by cause and document, one row for each question."""

from __future__ import annotations

import zlib
from itertools import groupby
from typing import TYPE_CHECKING

import streamlit as st

from core.analysis.failures.entries import (
    Entry,
    Failure,
    Failures,
    by_cause,
    by_document,
    group_failures,
    order_entries,
)
from core.base.types import Bot
from core.store.rows import RunRow
from pages.components.plain_text import line
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.failure_entry import detail
from pages.results.failure_summary import cause_name, document_name

if TYPE_CHECKING:
    from core.store.store import Store

if TYPE_CHECKING:
    from core.store.store import Store

SHOWN = 20  # entries at a time
ALL = "all"
NONE = "-"  # a document that is not known, in the address


def listing(store: Store, bot: Bot, run: RunRow, found: Failures) -> None:
    """The filters and what they leave, worst first."""
    entries = order_entries(group_failures(filtered(found)))
    if not entries:
        st.info(t("failures.none_match"), icon=":material/info:")
        return
    first = _page(len(entries))
    shown = entries[first : first + SHOWN]
    for cause, of_cause in groupby(shown, key=lambda entry: entry.cause):
        st.subheader(cause_name(cause), anchor=False)
        st.caption(t(f"failures.todo_{cause}"))
        for _, of_document in groupby(of_cause, key=lambda entry: entry.document):
            _group(store, bot, run, list(of_document), entries)


def filtered(found: Failures) -> list[Failure]:
    """The turns that the four filters leave; each choice lives in the address."""
    turns = list(found.turns)
    cells = st.columns(4)
    with cells[0]:
        causes = {cause: f"{cause_name(cause)} ({one.n})" for cause, one in by_cause(turns).items()}
        cause = choose_in_url("cause", t("failures.cause"), {ALL: t("failures.all_causes"), **causes})
    turns = [turn for turn in turns if cause in (ALL, turn.named.cause)]
    with cells[1]:
        names = {
            name or NONE: f"{name or t('failures.no_document')} ({one.n})" for name, one in by_document(turns).items()
        }
        document = choose_in_url("document", t("failures.document"), {ALL: t("failures.all_documents"), **names})
    turns = [turn for turn in turns if document in (ALL, turn.document or NONE)]
    with cells[2]:
        people = {turn.persona: turn.persona_name for turn in found.turns if turn.persona}
        persona = choose_in_url("persona", t("scores.persona"), {ALL: t("failures.all_personas"), **people})
    with cells[3]:
        there = dict.fromkeys(turn.kind for turn in found.turns if turn.kind)
        kinds = {kind: t(f"kinds.{kind}") for kind in there}
        kind = choose_in_url("kind", t("scores.kind"), {ALL: t("failures.all_kinds"), **kinds})
    return [turn for turn in turns if persona in (ALL, turn.persona) and kind in (ALL, turn.kind)]


def _page(n: int) -> int:
    """The place of the first entry to show."""
    if n <= SHOWN:
        return 0
    starts = {
        str(first): t("failures.page_of", first=first + 1, last=min(n, first + SHOWN), all=n)
        for first in range(0, n, SHOWN)
    }
    return int(choose_in_url("from", t("failures.page"), starts))


def _group(store: Store, bot: Bot, run: RunRow, entries: list[Entry[Failure]], of: list[Entry[Failure]]) -> None:
    """One document with its questions; its sums are of all its entries, also those on other pages."""
    head = entries[0]
    whole = [one for one in of if (one.cause, one.document) == (head.cause, head.document)]
    sums = {"lost": f"{sum(one.lost for one in whole):.1f}", "n": sum(len(one.turns) for one in whole)}
    why = head.turns[0].named.why
    icon = ":material/description:" if head.document else ":material/indeterminate_question_box:"
    st.markdown(f"{icon} **{t('failures.group', document=document_name(head.document, why), **sums)}**")
    for entry in entries:
        _row(store, bot, run, entry)


def _row(store: Store, bot: Bot, run: RunRow, entry: Entry[Failure]) -> None:
    """One question; what is behind it is drawn when it is opened."""
    mark = f"{zlib.crc32(repr(entry.key).encode()):08x}"
    n = len(entry.turns)
    told = {"question": line(entry.turns[0].question, 70), "lost": f"{entry.lost:.1f}"}
    label = t("failures.entry_one", **told) if n == 1 else t("failures.entry", n=n, **told)
    asked = st.query_params.get("entry", "") == mark
    box = st.expander(label, expanded=asked, key=f"entry-{run.id}-{mark}", on_change="rerun")
    if box.open:
        with box:
            detail(store, bot, run, entry, mark)
