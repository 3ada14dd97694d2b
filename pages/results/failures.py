"""What to fix first: turns that lost points, by cause, document and question, worst first."""

from __future__ import annotations

import streamlit as st

from core.export.failures import fix_summary
from pages.components.appearance import heading
from pages.components.plain_text import plain
from pages.components.run_picker import choose_bot_of_runs, choose_run_of
from pages.components.services import need_store
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.failure_data import LINES, find, lacks_index, until_ready
from pages.results.failure_list import listing
from pages.results.failure_marks import marks_table
from pages.results.failure_summary import chart, document_name, more_judges

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = {run.id: run for run in store.runs.all(bot.id)}
if not runs:
    heading(t("failures.title"), place=top)
    st.info(t("failures.no_runs"), icon=":material/info:")
    st.page_link(
        "pages/simulate/run.py",
        label=t("scores.to_batch"),
        icon=":material/play_circle:",
        query_params={"bot": bot.id},
    )
    st.stop()
left, right = st.columns([3, 1])
with left:
    run = choose_run_of(store, runs)
with right:
    line = LINES[choose_in_url("low", t("failures.line"), {name: t(f"failures.line_{name}") for name in LINES})]
if run.status == "running":
    heading(t("failures.title"), place=top)
    st.info(t("failures.still_running"), icon=":material/progress_activity:")
    st.stop()
lacking = lacks_index(bot, run)
with st.spinner(t("failures.loading")):
    found = find(store, bot, run, line)
heading(fix_summary(found, t, document_name) or t("failures.unscored"), place=top)
if lacking:  # also where the index came while the page was worked out
    until_ready(bot)
failed = store.runs.progress(run.id).failed
if found.unscored or failed:
    st.caption(f":material/remove: {t('failures.left_out', unscored=found.unscored, failed=failed)}")
if run.plan.get("clarify") is False:
    st.info(t("failures.asking_off"), icon=":material/info:")
if found.turns:
    chart(found)
    more_judges(run, found)
    listing(store, bot, run, found)
elif found.scored:
    st.success(t("failures.no_failures", scored=f"{found.scored:,}"), icon=":material/check:")
    st.caption(plain(t("failures.how")))
marks_table(store, bot, line)
