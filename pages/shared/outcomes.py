"""The conversations of a run as a table, and what went wrong in it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.report.summary import conversation_scores, headline
from core.store.rows import ConversationRow, RunRow
from pages.shared.draw import percent, plain
from pages.shared.words import say, stored

LOW = 3 / 5  # an Overall of 3 or less
SHOWN = 20  # problems listed before "and n more"


def conversation_table(
    frame: pd.DataFrame, rows: list[ConversationRow], judge: str = "turn", lower: frozenset[str] = frozenset()
) -> pd.DataFrame:
    """One row per conversation: score in percent, low turns (high ones where less is better), how it ended."""
    criterion = headline(frame, judge)
    scores = conversation_scores(frame, criterion, judge).set_index("conversation")["score"] * 100
    mine = frame[(frame["criterion"] == criterion) & (frame["judge"] == judge)]
    good = 1 - mine["value"] if criterion in lower else mine["value"]
    overall = mine[good <= LOW + 1e-9]
    low = overall.groupby("conversation")["turn"].apply(
        lambda turns: ", ".join(str(turn) for turn in sorted(set(turns)))
    )
    return pd.DataFrame(
        [
            {
                "id": row.id,
                "number": row.number,
                "score": scores.get(row.id),
                "low": low.get(row.id, ""),
                "question": row.question,
                "persona": row.persona_name,
                "kind": say(f"kinds.{row.kind}") if row.kind else "",
                "ending": say(f"endings.{row.ending}")
                if row.ending and row.status == "done"
                else say(f"status.{row.status}"),
            }
            for row in rows
        ]
    )


def conversations(table: pd.DataFrame, run: RunRow, judge: str = "turn", less: bool = False) -> None:
    """The table; selecting a row opens its transcript."""
    st.subheader(say("scores.table"), anchor=False)
    low = int((table["low"] != "").sum())
    own = say(
        "scores.table_lead_less" if less else "scores.table_lead_judge", low=low, line=percent(1 - LOW if less else LOW)
    )
    st.caption(say("scores.table_lead", low=low) if judge == "turn" else own)
    shown = table[table["low"] != ""] if st.toggle(say("scores.only_low"), key="only_low") else table
    shown = shown.sort_values(["score", "number"], ascending=[not less, True], na_position="first")
    text = {
        name: st.column_config.TextColumn(say(f"scores.{name}"), width=110)
        for name in ("low", "persona", "kind", "ending")
    }
    percentage = st.column_config.ProgressColumn(
        say("scores.score"), format="%.0f%%", min_value=0, max_value=100, width=130
    )
    question = st.column_config.TextColumn(say("scores.question"), width=330)
    chosen = st.dataframe(
        shown,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"table-{run.id}-{len(shown)}",
        column_order=("number", "score", "low", "question", "persona", "kind", "ending"),
        column_config={
            "number": st.column_config.NumberColumn("#", width=50),
            "score": percentage,
            "question": question,
        }
        | text,
    )
    if chosen.selection.rows:
        asked = {"bot": run.bot, "run": run.id, "conversation": str(shown.iloc[chosen.selection.rows[0]]["id"])}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def problems(frame: pd.DataFrame, rows: list[ConversationRow], judge: str = "turn") -> None:
    """Failed conversations and turns without a verdict, with the reason of each."""
    failed = [
        say("scores.problem_failed", number=row.number, error=plain(stored(row.error)))
        for row in rows
        if row.status == "failed"
    ]
    mine = frame[(frame["criterion"] == headline(frame, judge)) & (frame["judge"] == judge)]
    missing = mine[mine["value"].isna()]
    unscored = [
        say("scores.problem_unscored", number=row.number, turn=row.turn, error=plain(row.error))
        for row in missing.itertuples()
    ]
    found = failed + unscored
    with st.expander(f"{say('scores.problems')} ({len(found)})", icon=":material/report:", expanded=bool(found)):
        for text in found[:SHOWN]:
            st.markdown(f"- {text}")
        if len(found) > SHOWN:
            st.caption(say("scores.and_more", n=len(found) - SHOWN))
        if not found:
            st.caption(say("scores.no_problems"))
