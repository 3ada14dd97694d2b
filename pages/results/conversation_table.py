"""The conversations of a run as a table, and what went wrong in it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.aggregate import conversation_scores
from core.store.store import Store
from pages.components.appearance import percent
from pages.components.plain_text import plain
from pages.i18n.translate import stored_error_text, t
from pages.results.scores_view import Shown

Table = Any  # pandas tells little of its types
LOW = 3 / 5  # an Overall of 3 or less
SHOWN = 20  # problems listed before "and n more"
STEP = 100  # conversations in the table, and how many more each time


def conversation_table(view: Shown) -> pd.DataFrame:
    """One row per conversation, the worst first: score in percent (NaN: unscored), low turns, and what it is about.

    A turn is low at 3 of 5 or less; where less is better, high turns stand in its place.
    """
    criterion, talks = view.headline, view.talks
    scores: Table = conversation_scores(view.frame, criterion, view.judge)
    mine: Table = view.frame[(view.frame["criterion"] == criterion) & (view.frame["judge"] == view.judge)]
    good = 1 - mine["value"] if view.less else mine["value"]
    turns = mine[good <= LOW + 1e-9][["number", "turn"]].drop_duplicates()
    low = turns.assign(turn=turns["turn"].astype(str)).groupby("number")["turn"].agg(", ".join)
    table = talks[["conversation", "number", "question", "persona_name", "kind", "status", "ending"]].rename(
        columns={"conversation": "id", "persona_name": "persona"}
    )
    table["score"] = table["number"].map(scores.set_index("number")["score"] * 100)
    table["low"] = table["number"].map(low).fillna("").astype(object)
    order = ["score", "number"]
    return table.sort_values(order, ascending=[not view.less, True], na_position="first").reset_index(drop=True)


def conversations(table: pd.DataFrame, view: Shown) -> None:
    """The table, so many rows at a time; selecting a row opens its transcript."""
    st.subheader(t("scores.table"), anchor=False)
    _lead(int((table["low"] != "").sum()), view)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    text = left.text_input(t("scores.find"), key=f"find-{view.run.id}", icon=":material/search:")
    only_low = right.toggle(t("scores.only_low"), key="only_low")
    found = _found(table, text, only_low)
    if found.empty:
        st.caption(t("scores.none_found"))
        return
    mark = f"{view.run.id}-{view.judge}-{text}-{only_low}"
    limit = STEP * st.session_state.get(f"steps-{mark}", 1)
    shown = _in_words(found.head(limit))
    chosen = _drawn(shown, f"table-{mark}-{len(shown)}")
    if len(found) > limit:
        key = "scores.first_of_less" if view.less else "scores.first_of"
        st.caption(t(key, n=f"{limit:,}", all=f"{len(found):,}"))
        st.button(t("scores.show_more"), icon=":material/expand_more:", on_click=_further, args=(mark,))
    if chosen.selection.rows:
        asked = {
            "bot": view.run.bot,
            "run": view.run.id,
            "conversation": str(shown.iloc[chosen.selection.rows[0]]["id"]),
        }
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def _further(mark: str) -> None:
    """Show a hundred more (kept while the page is open)."""
    st.session_state[f"steps-{mark}"] = st.session_state.get(f"steps-{mark}", 1) + 1


def _lead(low: int, view: Shown) -> None:
    if view.judge == "turn":
        st.caption(t("scores.table_lead", low=f"{low:,}"))
        return
    key = "scores.table_lead_less" if view.less else "scores.table_lead_judge"
    st.caption(t(key, low=f"{low:,}", line=percent(1 - LOW if view.less else LOW)))


def _found(table: Table, text: str, only_low: bool) -> Table:
    """Rows with every word in question or persona; only low ones where wanted."""
    found = table[table["low"] != ""] if only_low else table
    for word in text.casefold().split():
        there = [
            found[name].astype(str).str.casefold().str.contains(word, regex=False) for name in ("question", "persona")
        ]
        found = found[there[0] | there[1]]
    return found


def _in_words(table: Table) -> pd.DataFrame:
    """Kind and ending in the person's language, all words as plain text."""
    rows = table.astype(dict.fromkeys(("id", "question", "persona", "kind", "status", "ending"), object))
    rows["kind"] = [t(f"kinds.{kind}") if kind else "" for kind in rows["kind"]]
    rows["ending"] = [
        t(f"endings.{ending}") if ending and status == "done" else t(f"status.{status}")
        for ending, status in zip(rows["ending"], rows["status"], strict=True)
    ]
    return rows.drop(columns="status")


def _drawn(shown: pd.DataFrame, key: str) -> Any:
    text = {
        name: st.column_config.TextColumn(t(f"scores.{name}"), width=110)
        for name in ("low", "persona", "kind", "ending")
    }
    percentage = st.column_config.ProgressColumn(
        t("scores.score"), format="%.0f%%", min_value=0, max_value=100, width=130
    )
    question = st.column_config.TextColumn(t("scores.question"), width=330)
    number = st.column_config.NumberColumn("#", width=50)
    return st.dataframe(
        shown,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        column_order=("number", "score", "low", "question", "persona", "kind", "ending"),
        column_config={"number": number, "score": percentage, "question": question} | text,
    )


def problems(view: Shown, store: Store) -> None:
    """Failed conversations and turns without a verdict, the reason of the first of each."""
    failed = view.talks[view.talks["status"] == "failed"]
    mine: Table = view.frame[(view.frame["criterion"] == view.headline) & (view.frame["judge"] == view.judge)]
    missing = mine[mine["value"].isna()]
    count = len(failed) + len(missing)
    with st.expander(f"{t('scores.problems')} ({count:,})", icon=":material/report:", expanded=bool(count)):
        listed = [*_failed(failed.head(SHOWN), store)]
        listed += _unscored(missing.head(SHOWN - len(listed)), view, store)
        for text in listed:
            st.markdown(f"- {text}")
        if count > len(listed):
            st.caption(t("scores.and_more", n=f"{count - len(listed):,}"))
        if not count:
            st.caption(t("scores.no_problems"))


def _failed(rows: Table, store: Store) -> list[str]:
    errors = store.conversations.errors(str(mark) for mark in rows["conversation"])
    return [
        t(
            "scores.problem_failed",
            number=row.number,
            error=plain(stored_error_text(errors.get(str(row.conversation), ""))),
        )
        for row in rows.itertuples()
    ]


def _unscored(rows: Table, view: Shown, store: Store) -> list[str]:
    criterion = view.headline
    told: dict[tuple[str, int], str] = {}
    for version in {str(version) for version in rows["version"] if version}:
        turns = [(str(row.conversation), int(row.turn)) for row in rows.itertuples() if row.version == version]
        found = store.scores.on_turns(view.judge, criterion, version, turns)
        told |= {place: verdict.error for place, verdict in found.items()}
    lost = t("scores.not_judged")
    return [
        t(
            "scores.problem_unscored",
            number=row.number,
            turn=row.turn,
            error=plain(stored_error_text(told.get((str(row.conversation), int(row.turn)), lost))),
        )
        for row in rows.itertuples()
    ]
