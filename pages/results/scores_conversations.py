"""The conversations of a run as a table, with a search."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.failures.entries import FAILURE_THRESHOLD
from core.analysis.formatting import percent
from core.base.types import TURN_JUDGE
from pages.components.appearance import ending_text
from pages.components.links import open_transcript
from pages.components.widgets import action_button, choose_row
from pages.i18n.translate import t
from pages.results.scores_view import RunView

TABLE_STEP = 100  # conversations in the table, and how many more each time


def show_conversations(table: pd.DataFrame, view: RunView) -> None:
    """Search and show the table, TABLE_STEP rows at a time; a selected row opens its transcript."""
    st.subheader(t("scores.table"), anchor=False)
    st.caption(_lead(int((table["failed_turns"] != "").sum()), view))
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    text = left.text_input(t("scores.find"), key=f"find-{view.run.id}", icon=":material/search:")
    only_failed = right.toggle(t("scores.only_failures"), key="only_failures")
    rows = _search(table, text, only_failed)
    if rows.empty:
        st.caption(t("scores.none_found"))
        return
    shown_key = f"shown-{view.run.id}-{view.judge}-{text}-{only_failed}"
    limit = st.session_state.get(shown_key, TABLE_STEP)
    shown = _translated(rows.head(limit))
    selected = _choose_conversation(shown, f"table-{shown_key}-{len(shown)}")
    if len(rows) > limit:
        key = "scores.first_of_lower_is_better" if view.lower_is_better else "scores.first_of"
        st.caption(t(key, n=f"{limit:,}", all=f"{len(rows):,}"))
        extended = {shown_key: limit + TABLE_STEP}
        action_button(t("scores.show_more"), "expand_more", st.session_state.update, extended)
    if selected is not None:
        open_transcript(view.run.bot, view.run.id, str(shown.iloc[selected]["id"]))


def _lead(failed: int, view: RunView) -> str:
    if view.judge == TURN_JUDGE:
        return t("scores.table_lead", failed=f"{failed:,}")
    if view.lower_is_better:
        return t("scores.table_lead_lower_is_better", failed=f"{failed:,}", line=percent(1 - FAILURE_THRESHOLD))
    return t("scores.table_lead_judge", failed=f"{failed:,}", line=percent(FAILURE_THRESHOLD))


def _search(table: pd.DataFrame, text: str, only_failed: bool) -> pd.DataFrame:
    """Rows with every word in question or persona."""
    rows = table[table["failed_turns"] != ""] if only_failed else table
    texts = (rows["question"].astype(str) + "\n" + rows["persona"].astype(str)).str.casefold()
    for word in text.casefold().split():
        texts = texts[texts.str.contains(word, regex=False)]
    return rows.loc[texts.index]


def _translated(table: pd.DataFrame) -> pd.DataFrame:
    """The table with kind and ending in the user's language."""
    rows = table.astype(dict.fromkeys(("id", "question", "persona", "kind", "status", "ending"), object))
    rows["kind"] = [t(f"kinds.{kind}") if kind else "" for kind in rows["kind"]]
    rows["ending"] = [ending_text(*pair) for pair in zip(rows["ending"], rows["status"], strict=True)]
    return rows.drop(columns="status")


def _choose_conversation(rows: pd.DataFrame, key: str) -> int | None:
    """Draw the table. Returns the place of the selected row."""
    progress = st.column_config.ProgressColumn
    columns: dict[str, Any] = {
        "number": st.column_config.NumberColumn("#", width=46),
        "score": progress(t("scores.score"), format="%.0f%%", min_value=0, max_value=100, width=110),
        "failed_turns": st.column_config.TextColumn(t("scores.failed_turns"), width=140),
        "question": st.column_config.TextColumn(t("scores.question"), width=270),
        **{name: st.column_config.TextColumn(t(f"scores.{name}"), width=105) for name in ("persona", "kind")},
        "ending": st.column_config.TextColumn(t("scores.ending"), width=170, help=t("scores.ending_help")),
    }
    return choose_row(rows, key, column_order=list(columns), column_config=columns)
