"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

import streamlit as st

from core.base.settings import settings
from core.store.headline import JUDGE
from pages.components.appearance import heading
from pages.components.run_picker import choose_bot_of_runs, choose_run, simulate_link
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.export_menu import show_export_menu
from pages.results.scores_charts import draw_section
from pages.results.scores_header import score_title, show_figures, show_links
from pages.results.scores_judges import choose_judge_version, show_add_judges
from pages.results.scores_view import choose_view, leave_out_invalid
from pages.results.simulator_health import show_simulator_health

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = store.runs.all(bot.id)
if not runs:
    heading(t("menu.scores"), place=top)
    st.info(t("scores.no_runs"), icon=":material/info:")
    simulate_link(bot.id)
    st.stop()
run = choose_run(store, runs)
view = leave_out_invalid(choose_view(store, run, bot, settings().pass_mark))
heading(score_title(view), place=top)
counts = {"scored": f"{view.summary.scored_conversations:,}", "all": f"{view.summary.conversations:,}"}
st.caption(t("scores.of" if view.judge == JUDGE else "scores.of_judge", **counts))
choose_judge_version(view.tables.versions, view.judge)
if run.status != "done":
    st.info(
        t("incomplete.note"),
        icon=":material/progress_activity:" if run.status == "running" else ":material/stop_circle:",
    )
show_figures(view)
show_links(view)
draw_section(view, store)
show_simulator_health(view)
if run.status != "running":
    show_add_judges(run, bot)
show_export_menu(run)
