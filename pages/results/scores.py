"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

from html import unescape
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from core.base.settings import settings
from core.report import charts
from core.report.summary import RunSummary, conversation_scores, summarise
from core.store.rows import ConversationRow, RunRow
from pages.shared.draw import choose_bot, heading, percent, plain
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.words import say

store = need_store()
LINE = settings().finish_line
LOW = 3 / 5  # an Overall of 3 or less
SHOWN = 20  # problems listed before "and n more"


def choose_run(runs: list[RunRow]) -> RunRow:
    """The run of the address, else the latest."""
    ids = {run.id: run for run in runs}
    if st.session_state.get("run_box") not in ids:
        wanted = st.query_params.get("run", "")
        st.session_state["run_box"] = wanted if wanted in ids else runs[0].id
    chosen = st.selectbox(say("scores.run"), list(ids), format_func=lambda name: run_label(ids[name]), key="run_box")
    if st.query_params.get("run") != chosen:
        st.query_params["run"] = chosen
    return ids[chosen]


def finding(found: RunSummary) -> str:
    """The page's title: the score against the finish line."""
    if found.score is None:
        return say("scores.unscored")
    words = {"score": percent(found.score), "line": percent(LINE), "gap": f"{max(0.0, (LINE - found.score) * 100):.0f}"}
    return say("scores.reached" if found.score >= LINE else "scores.missed", **words)


def figures(found: RunSummary) -> None:
    """The four numbers, each of how many."""
    cells = st.columns(4)
    all_of = found.conversations
    cells[0].metric(say("scores.score"), percent(found.score), border=True)
    cells[1].metric(say("scores.conversations"), say("scores.n_of", n=found.scored_conversations, all=all_of), border=True)
    cells[2].metric(say("scores.failed"), say("scores.n_of", n=found.failed, all=all_of), border=True)
    cells[3].metric(say("scores.unscored_turns"), say("scores.n_of", n=found.unscored, all=found.turns), border=True)


def draw(frame: pd.DataFrame) -> None:
    """The charts: two by two, then the wide ones."""
    pairs = (
        (("criteria", charts.by_criterion(frame, LINE, say)), ("by_persona", charts.by_persona(frame, LINE, say))),
        (("distribution", charts.distribution(frame, LINE, say)), ("by_kind", charts.by_kind(frame, LINE, say))),
    )
    for pair in pairs:
        for column, (name, figure) in zip(st.columns(2, gap="medium"), pair, strict=True):
            plot(column, figure, name)
    plot(st, charts.by_turn(frame, LINE, say), "by_turn")
    plot(st, charts.heat_map(frame, say), "map")


def plot(where: Any, figure: Figure, name: str) -> None:
    """One chart in a quiet frame under its finding (drawn here, since a chart's own title does not wrap)."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 36, height=figure.layout.height - 36)
    with where.container(border=True, height="stretch"):
        st.caption(say(f"scores.{name}"))
        st.markdown(f"**{plain(finding)}**")
        st.plotly_chart(figure, config={"displayModeBar": False}, alt=finding, key=f"chart-{name}")


def conversation_table(frame: pd.DataFrame, rows: list[ConversationRow]) -> pd.DataFrame:
    """One row per conversation: score, low turns, how it ended."""
    scores = conversation_scores(frame).set_index("conversation")["score"]
    overall = frame[(frame["criterion"] == "overall") & (frame["value"] <= LOW + 1e-9)]
    low = overall.groupby("conversation")["turn"].apply(lambda turns: ", ".join(str(turn) for turn in sorted(set(turns))))
    return pd.DataFrame(
        [
            {
                "id": row.id,
                "number": row.number,
                "score": scores.get(row.id),
                "low": low.get(row.id, ""),
                "question": row.question,
                "persona": row.persona_name,
                "kind": say(f"kinds.{row.kind}"),
                "ending": say(f"endings.{row.ending}") if row.ending and row.status == "done" else say(f"status.{row.status}"),
            }
            for row in rows
        ]
    )


def conversations(table: pd.DataFrame, run: RunRow) -> None:
    """The table; selecting a row opens its transcript."""
    st.subheader(say("scores.table"), anchor=False)
    st.caption(say("scores.table_lead", low=int((table["low"] != "").sum())))
    shown = table[table["low"] != ""] if st.toggle(say("scores.only_low"), key="only_low") else table
    shown = shown.sort_values(["score", "number"], na_position="first")
    text = {name: st.column_config.TextColumn(say(f"scores.{name}"), width=110) for name in ("low", "persona", "kind", "ending")}
    percentage = st.column_config.ProgressColumn(say("scores.score"), format="percent", min_value=0, max_value=1, width=130)
    question = st.column_config.TextColumn(say("scores.question"), width=330)
    chosen = st.dataframe(
        shown,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"table-{run.id}-{len(shown)}",
        column_order=("number", "score", "low", "question", "persona", "kind", "ending"),
        column_config={"number": st.column_config.NumberColumn("#", width=50), "score": percentage, "question": question} | text,
    )
    if chosen.selection.rows:
        asked = {"bot": run.bot, "run": run.id, "conversation": str(shown.iloc[chosen.selection.rows[0]]["id"])}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def problems(frame: pd.DataFrame, rows: list[ConversationRow]) -> None:
    """Failed conversations and turns without a verdict, with the reason of each."""
    failed = [say("scores.problem_failed", number=row.number, error=plain(row.error)) for row in rows if row.status == "failed"]
    missing = frame[(frame["criterion"] == "overall") & frame["value"].isna()]
    unscored = [
        say("scores.problem_unscored", number=row.number, turn=row.turn, error=plain(row.error)) for row in missing.itertuples()
    ]
    found = failed + unscored
    with st.expander(f"{say('scores.problems')} ({len(found)})", icon=":material/report:", expanded=bool(found)):
        for text in found[:SHOWN]:
            st.markdown(f"- {text}")
        if len(found) > SHOWN:
            st.caption(say("scores.and_more", n=len(found) - SHOWN))
        if not found:
            st.caption(say("scores.no_problems"))


top, bot = choose_bot()
runs = store.runs(bot.id)
if not runs:
    heading(say("scores.title"), place=top)
    st.info(say("scores.no_runs"), icon=":material/info:")
    st.page_link("pages/simulate/batch.py", label=say("scores.to_batch"), icon=":material/play_circle:", query_params={"bot": bot.id})
    st.stop()
run = choose_run(runs)
frame, rows = store.score_frame(run.id), store.conversations(run.id)
found = summarise(frame, rows)
heading(finding(found), place=top)
st.caption(say("scores.of", scored=found.scored_conversations, all=found.conversations))
if run.status == "running":
    now = store.progress(run.id)
    st.info(say("scores.still_running", done=now.finished, total=now.total), icon=":material/progress_activity:")
figures(found)
draw(frame)
conversations(conversation_table(frame, rows), run)
problems(frame, rows)
st.download_button(
    say("scores.export"),
    lambda: frame.to_csv(index=False).encode("utf-8-sig"),
    f"{run.id}.csv",
    "text/csv",
    icon=":material/download:",
    on_click="ignore",
)
