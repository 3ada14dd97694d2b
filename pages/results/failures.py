"""What to fix: the turns that lost points, by cause, document and question, worst first."""

from __future__ import annotations

import streamlit as st

from core.analysis.failures.sentences import fix_summary, points_lost_note
from pages.components.appearance import heading
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance
from pages.components.run_picker import choose_bot_of_runs, choose_run, stop_without_runs
from pages.components.services import need_store
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.failure_list import show_failures
from pages.results.failure_summary import (
    THRESHOLDS,
    document_title,
    draw_cause_chart,
    failures_of_run,
    lacks_index,
    show_fixed_entries,
    show_judges_to_add,
    wait_for_index,
)

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = store.runs.all(bot.id)
stop_without_runs(runs, top, bot, t("failures.title"), "failures.no_runs")
left, right = st.columns([3, 1])
with left:
    run = choose_run(store, runs)
options = {name: t(f"failures.line_{name}") for name in THRESHOLDS}
threshold = THRESHOLDS[choose_in_url("low", t("failures.line"), options, right)]
if run.status == "running":
    heading(t("failures.title"), place=top)
    st.info(t("failures.still_running"), icon=":material/progress_activity:")
    st.stop()
is_index_missing = lacks_index(bot, run)
with st.spinner(t("failures.loading")):
    failures = failures_of_run(store, bot, run, threshold)
heading(
    fix_summary(failures, t, lambda name: plain(document_title(bot, name), links=False)) or t("failures.unscored"),
    place=top,
)
if is_index_missing:  # also if the index became ready meanwhile
    wait_for_index(bot)
failed = store.runs.progress(run.id).failed
if failures.unscored or failed:
    st.caption(f":material/remove: {t('failures.left_out', unscored=failures.unscored, failed=failed)}")
show_provenance(store, run)
if run.plan.get("clarify") is False:
    st.info(t("failures.asking_off"), icon=":material/info:")
if failures.turns:
    draw_cause_chart(failures)
    show_judges_to_add(run, failures)
    show_failures(store, bot, run, failures)
elif failures.scored:
    st.success(t("failures.no_failures", scored=f"{failures.scored:,}"), icon=":material/check:")
    st.caption(plain(points_lost_note(failures, t)))
show_fixed_entries(store, bot, threshold)
