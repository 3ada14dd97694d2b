"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

import streamlit as st

from core.base.settings import settings
from pages.components.appearance import heading
from pages.components.run_picker import choose_bot_of_runs
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.export_menu import export_menu
from pages.results.scores_charts import draw
from pages.results.scores_header import figures, finding, links
from pages.results.scores_judges import judge_more, tell_versions
from pages.results.scores_view import choose_run, choose_view, without_spoilt
from pages.results.simulator_health import draw_health

store = need_store()
top, bot = choose_bot_of_runs(store)
run = choose_run(store, bot)
if run is None:
    heading(t("scores.title"), place=top)
    st.info(t("scores.no_runs"), icon=":material/info:")
    st.page_link(
        "pages/simulate/run.py",
        label=t("scores.to_batch"),
        icon=":material/play_circle:",
        query_params={"bot": bot.id},
    )
    st.stop()
view = without_spoilt(choose_view(store, run, bot, settings().pass_mark))
found, score = view.summary, view.score
heading(finding(view, found, score), place=top)
how = "scores.of" if view.judge == "turn" else "scores.of_judge"
st.caption(t(how, scored=f"{found.scored_conversations:,}", all=f"{found.conversations:,}"))
tell_versions(view.tables.versions, view.judge)
if run.status != "done":
    st.info(
        t("incomplete.note"),
        icon=":material/progress_activity:" if run.status == "running" else ":material/stop_circle:",
    )
figures(view, found, score)
links(view)
draw(view, store)
draw_health(view)
if run.status != "running":
    judge_more(run, bot)
export_menu(run)
