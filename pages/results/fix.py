"""What to fix first: turns that lost points, by cause, document and question, worst first."""

from __future__ import annotations

import streamlit as st

from core.report.fix_rows import fix_finding
from pages.shared.draw import choose, heading, plain
from pages.shared.fix.found import LINES, find, lacks_index, until_ready
from pages.shared.fix.listing import listing
from pages.shared.fix.marks import marks_table
from pages.shared.fix.summary import chart, document_name, more_judges
from pages.shared.past import choose_bot_of_runs, choose_run_of
from pages.shared.services import need_store
from pages.shared.words import say

store = need_store()
top, bot = choose_bot_of_runs(store)
runs = {run.id: run for run in store.runs(bot.id)}
if not runs:
    heading(say("fix.title"), place=top)
    st.info(say("fix.no_runs"), icon=":material/info:")
    st.page_link(
        "pages/simulate/batch.py",
        label=say("scores.to_batch"),
        icon=":material/play_circle:",
        query_params={"bot": bot.id},
    )
    st.stop()
left, right = st.columns([3, 1])
with left:
    run = choose_run_of(store, runs)
with right:
    line = LINES[choose("low", say("fix.line"), {name: say(f"fix.line_{name}") for name in LINES})]
if run.status == "running":
    heading(say("fix.title"), place=top)
    st.info(say("fix.still_running"), icon=":material/progress_activity:")
    st.stop()
lacking = lacks_index(bot, run)
with st.spinner(say("fix.loading")):
    found = find(store, bot, run, line)
heading(fix_finding(found, say, document_name) or say("fix.unscored"), place=top)
if lacking:  # also where the index came while the page was worked out
    until_ready(bot)
failed = store.progress(run.id).failed
if found.unscored or failed:
    st.caption(f":material/remove: {say('fix.left_out', unscored=found.unscored, failed=failed)}")
if run.plan.get("clarify") is False:
    st.info(say("fix.asking_off"), icon=":material/info:")
if found.turns:
    chart(found)
    more_judges(run, found)
    listing(store, bot, run, found)
elif found.scored:
    st.success(say("fix.none_low", scored=f"{found.scored:,}"), icon=":material/check:")
    st.caption(plain(say("fix.how")))
marks_table(store, bot, line)
