"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

from html import unescape
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from core.base.settings import settings
from core.report import charts
from core.report.summary import RunSummary, summarise
from core.store.rows import RunRow
from pages.shared.draw import choose_bot, heading, percent, plain
from pages.shared.outcomes import conversation_table, conversations, problems
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.words import say

store = need_store()
LINE = settings().finish_line


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
    cells[1].metric(
        say("scores.conversations"), say("scores.n_of", n=found.scored_conversations, all=all_of), border=True
    )
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


top, bot = choose_bot()
runs = store.runs(bot.id)
if not runs:
    heading(say("scores.title"), place=top)
    st.info(say("scores.no_runs"), icon=":material/info:")
    st.page_link(
        "pages/simulate/batch.py",
        label=say("scores.to_batch"),
        icon=":material/play_circle:",
        query_params={"bot": bot.id},
    )
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
