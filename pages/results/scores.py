"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

import streamlit as st

from core.base.settings import settings
from pages.shared.draw import heading
from pages.shared.export_menu import export_menu
from pages.shared.health_panel import draw_health
from pages.shared.more import judge_more, tell_versions
from pages.shared.past import choose_bot_of_runs
from pages.shared.scores_charts import draw
from pages.shared.scores_head import figures, finding, links
from pages.shared.scores_view import choose_run, choose_view, without_spoilt
from pages.shared.services import need_store
from pages.shared.words import say

store = need_store()
top, bot = choose_bot_of_runs(store)
run = choose_run(store, bot)
if run is None:
    heading(say("scores.title"), place=top)
    st.info(say("scores.no_runs"), icon=":material/info:")
    st.page_link(
        "pages/simulate/batch.py",
        label=say("scores.to_batch"),
        icon=":material/play_circle:",
        query_params={"bot": bot.id},
    )
    st.stop()
view = without_spoilt(choose_view(store, run, bot, settings().finish_line))
found, score = view.summary, view.score
heading(finding(view, found, score), place=top)
how = "scores.of" if view.judge == "turn" else "scores.of_judge"
st.caption(say(how, scored=f"{found.scored_conversations:,}", all=f"{found.conversations:,}"))
tell_versions(view.look.versions, view.judge)
if run.status != "done":
    st.info(
        say("part.note"), icon=":material/progress_activity:" if run.status == "running" else ":material/stop_circle:"
    )
figures(view, found, score)
links(view)
draw(view, store)
draw_health(view)
if run.status != "running":
    judge_more(run, bot)
export_menu(run)
