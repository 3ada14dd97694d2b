"""The conversations section of the scores page: a table, worst first, and what failed or has no score."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.conversation_list import headline_scores
from core.analysis.failures.entries import FAILURE_THRESHOLD
from core.store.headline import JUDGE
from pages.components.appearance import ending_text, percent
from pages.components.links import open_transcript
from pages.components.plain_text import plain
from pages.i18n.translate import stored_error_text, t
from pages.results.scores_view import RunView

PROBLEMS = 20  # problems listed before "and n more"
STEP = 100  # conversations in the table, and how many more each time


def show_conversations(table: pd.DataFrame, view: RunView) -> None:
    """Search and show the table, STEP rows at a time; a selected row opens its transcript."""
    st.subheader(t("scores.table"), anchor=False)
    st.caption(_lead(int((table["low"] != "").sum()), view))
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    text = left.text_input(t("scores.find"), key=f"find-{view.run.id}", icon=":material/search:")
    only_failed = right.toggle(t("scores.only_low"), key="only_low")
    rows = _search(table, text, only_failed)
    if rows.empty:
        st.caption(t("scores.none_found"))
        return
    steps_key = f"steps-{view.run.id}-{view.judge}-{text}-{only_failed}"
    limit = STEP * st.session_state.get(steps_key, 1)
    shown = _translated(rows.head(limit))
    selected = _draw_table(shown, f"table-{steps_key}-{len(shown)}")
    if len(rows) > limit:
        key = "scores.first_of_lower_is_better" if view.lower_is_better else "scores.first_of"
        st.caption(t(key, n=f"{limit:,}", all=f"{len(rows):,}"))
        st.button(t("scores.show_more"), icon=":material/expand_more:", on_click=_show_more, args=(steps_key,))
    if selected:
        open_transcript(view.run.bot, view.run.id, str(shown.iloc[selected[0]]["id"]))


def _show_more(steps_key: str) -> None:
    st.session_state[steps_key] = st.session_state.get(steps_key, 1) + 1


def _lead(failed: int, view: RunView) -> str:
    """How many conversations have failures."""
    if view.judge == JUDGE:
        return t("scores.table_lead", low=f"{failed:,}")
    if view.lower_is_better:
        return t("scores.table_lead_lower_is_better", low=f"{failed:,}", line=percent(1 - FAILURE_THRESHOLD))
    return t("scores.table_lead_judge", low=f"{failed:,}", line=percent(FAILURE_THRESHOLD))


def _search(table: pd.DataFrame, text: str, only_failed: bool) -> pd.DataFrame:
    """Rows with every word in question or persona."""
    rows = table[table["low"] != ""] if only_failed else table
    for word in text.casefold().split():
        has_word = [
            rows[name].astype(str).str.casefold().str.contains(word, regex=False) for name in ("question", "persona")
        ]
        rows = rows[has_word[0] | has_word[1]]
    return rows


def _translated(table: pd.DataFrame) -> pd.DataFrame:
    """The table with kind and ending in the user's language."""
    rows = table.astype(dict.fromkeys(("id", "question", "persona", "kind", "status", "ending"), object))
    rows["kind"] = [t(f"kinds.{kind}") if kind else "" for kind in rows["kind"]]
    rows["ending"] = [ending_text(*pair) for pair in zip(rows["ending"], rows["status"], strict=True)]
    return rows.drop(columns="status")


def _draw_table(rows: pd.DataFrame, key: str) -> list[int]:
    """Draw the table; gives the selected row."""
    columns: dict[str, Any] = {
        "number": st.column_config.NumberColumn("#", width=46),
        "score": st.column_config.ProgressColumn(
            t("scores.score"), format="%.0f%%", min_value=0, max_value=100, width=110
        ),
        "low": st.column_config.TextColumn(t("scores.low"), width=140),
        "question": st.column_config.TextColumn(t("scores.question"), width=270),
        **{name: st.column_config.TextColumn(t(f"scores.{name}"), width=105) for name in ("persona", "kind")},
        "ending": st.column_config.TextColumn(t("scores.ending"), width=170),
    }
    event = st.dataframe(
        rows,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        column_order=list(columns),
        column_config=columns,
    )
    return list(event.selection.rows)


def show_problems(view: RunView) -> None:
    """List failed conversations and unscored turns with their errors."""
    failed = view.conversations[view.conversations["status"] == "failed"]
    scores = headline_scores(view.frame, view.headline, view.judge)
    unscored = scores[scores["value"].isna()]
    count = len(failed) + len(unscored)
    with st.expander(f"{t('scores.problems')} ({count:,})", icon=":material/report:", expanded=bool(count)):
        listed = _failed_texts(failed.head(PROBLEMS), view)
        listed += _unscored_texts(unscored.head(PROBLEMS - len(listed)), view)
        for text in listed:
            st.markdown(f"- {text}")
        if count > len(listed):
            st.caption(t("scores.and_more", n=f"{count - len(listed):,}"))
        if not count:
            st.caption(t("scores.no_problems"))


def _failed_texts(rows: pd.DataFrame, view: RunView) -> list[str]:
    errors = view.store.conversations.errors(map(str, rows["conversation"]))
    texts = {
        str(row.conversation): stored_error_text(errors.get(str(row.conversation), "")) for row in rows.itertuples()
    }
    return [
        t("scores.problem_failed", number=row.number, error=plain(texts[str(row.conversation)]))
        for row in rows.itertuples()
    ]


def _unscored_texts(rows: pd.DataFrame, view: RunView) -> list[str]:
    errors: dict[tuple[str, int], str] = {}
    for version in {str(version) for version in rows["version"] if version}:
        of_version = rows[rows["version"] == version]
        turns = list(zip(map(str, of_version["conversation"]), map(int, of_version["turn"]), strict=True))
        scores = view.store.scores.on_turns(view.judge, view.headline, version, turns)
        errors |= {turn: score.reasons or stored_error_text(score.error) for turn, score in scores.items()}
    texts: list[str] = []
    for conversation, number, turn in zip(rows["conversation"], rows["number"], rows["turn"], strict=True):
        error = errors.get((str(conversation), int(turn)), t("scores.not_judged"))
        texts.append(t("scores.problem_unscored", number=number, turn=turn, error=plain(error)))
    return texts
