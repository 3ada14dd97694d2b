"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

from html import unescape
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from core.base.settings import settings
from core.report import charts
from core.report.summary import RunSummary, conversation_scores, headline, judges_in, summarise
from pages.shared.draw import choose, choose_bot, heading, percent, plain
from pages.shared.export import as_csv
from pages.shared.health_panel import draw_health
from pages.shared.judging import judge_label, lower_is_better
from pages.shared.more import choose_judge, chosen_versions, judge_more, tell_versions
from pages.shared.outcomes import conversation_table, conversations, problems
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.words import say

store = need_store()
LINE = settings().finish_line


def finding(found: RunSummary) -> str:
    """The page's title: the score against the finish line."""
    if found.score is None:
        return say("scores.unscored")
    if found.criterion in LOWER or found.judge != "turn":
        return say("scores.by_judge", judge=plain(judge_label(found.judge)), score=percent(found.score))
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
    figures = {"criteria": charts.by_criterion(frame, LINE, say, JUDGE, LOWER)}
    if frame["persona_name"].any():
        figures["by_persona"] = charts.by_persona(frame, LINE, say, JUDGE, LOWER)
    figures["distribution"] = charts.distribution(frame, LINE, say, JUDGE, LOWER)
    if frame["kind"].any():
        figures["by_kind"] = charts.by_kind(frame, LINE, say, JUDGE, LOWER)
    pairs = list(figures.items())
    for place in range(0, len(pairs), 2):
        for column, (name, figure) in zip(st.columns(2, gap="medium"), pairs[place : place + 2], strict=False):
            plot(column, figure, name)
    if frame["turn"].max() > 1:
        plot(st, charts.by_turn(frame, LINE, say, JUDGE), "by_turn")
    cells = plot(st, charts.heat_map(frame, say, JUDGE, LOWER), "map", on_select="rerun", selection_mode="points")
    points = cells["selection"]["points"]
    if points and points[0].get("customdata"):
        open_lowest(frame, str(points[0]["customdata"][0]))


def open_lowest(frame: pd.DataFrame, scenario: str) -> None:
    """The conversation of the scenario that went worst."""
    mine = frame[frame["scenario"] == scenario]
    criterion = headline(frame, JUDGE)
    scores = conversation_scores(mine, criterion, JUDGE)
    scores = scores.sort_values("score", ascending=criterion not in LOWER, kind="stable")
    if len(scores):
        asked = {"bot": run.bot, "run": run.id, "conversation": str(scores["conversation"].iloc[0])}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def plot(where: Any, figure: Figure, name: str, **looks: Any) -> Any:
    """One chart in a quiet frame under its finding (drawn here, since a chart's own title does not wrap)."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 36, height=figure.layout.height - 36)
    with where.container(border=True, height="stretch"):
        st.caption(say(f"scores.{name}"))
        st.markdown(f"**{plain(finding, links=False)}**")
        return st.plotly_chart(figure, config={"displayModeBar": False}, alt=finding, key=f"chart-{name}", **looks)


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
known = {run.id: run for run in runs}
run = known[choose("run", say("scores.run"), {name: run_label(each) for name, each in known.items()})]
rows, versions = store.conversations(run.id), store.judge_versions(run.id)
frame = store.score_frame(run.id, chosen_versions(versions))
JUDGE = choose_judge(judges_in(frame))
LOWER = lower_is_better(JUDGE, bot)
found = summarise(frame, rows, JUDGE)
heading(finding(found), place=top)
how = "scores.of" if JUDGE == "turn" else "scores.of_judge"
st.caption(say(how, scored=found.scored_conversations, all=found.conversations))
tell_versions(versions, JUDGE)
if run.status == "running":
    now = store.progress(run.id)
    st.info(say("scores.still_running", done=now.finished, total=now.total), icon=":material/progress_activity:")
figures(found)
draw(frame)
conversations(conversation_table(frame, rows, JUDGE, LOWER), run, JUDGE, headline(frame, JUDGE) in LOWER)
problems(frame, rows, JUDGE)
draw_health(frame, run, JUDGE)
if run.status != "running":
    judge_more(run, bot)
st.download_button(
    say("scores.export"),
    lambda: as_csv(frame),
    f"{run.id}.csv",
    "text/csv",
    icon=":material/download:",
    on_click="ignore",
)
