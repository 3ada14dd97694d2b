"""Clarifying questions of a run: whether they were needed, what they bring, and what other thresholds would do."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.analysis.clarification import Scorecard, first_turns, scorecard
from core.runs.plan import Plan
from core.runs.snapshot import bot_of_run
from pages.components.appearance import heading, percent
from pages.components.links import simulate_link
from pages.components.provenance import show_provenance
from pages.components.run_picker import choose_bot_of_runs, choose_run
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.clarification_ablation import show_ablation
from pages.results.clarification_card import draw_card_charts, show_card_figures
from pages.results.clarification_thresholds import show_threshold_sweep
from pages.results.hidden_facts import show_facts_of_run

store = need_store()


@st.cache_resource(show_spinner=False, max_entries=4)
def clarification_frame(run_id: str, ended: str, turns: int) -> pd.DataFrame:
    """How the bot asked in a run, cached until the run goes on; it must not be changed."""
    del ended, turns
    return store.tables.clarification(run_id)


def clarification_title(card: Scorecard, plan: Plan) -> str:
    """How often the bot asked when it was needed, and when it was not."""
    if not plan.clarify:
        return t("clarification.finding_off")
    if card.unknown and not card.questions:
        return t("clarification.finding_unknown")
    if card.recall.value is None and card.needless.value is None:
        return t("clarification.finding_unlabelled")
    if card.recall.value is not None and card.needless.value == 0:
        return t("clarification.finding_never_needless", recall=percent(card.recall.value))
    return t("clarification.finding", recall=percent(card.recall.value), needless=percent(card.needless.value))


top, bot = choose_bot_of_runs(store)
runs = [run for run in store.runs.all(bot.id) if not run.is_answer_file]
if not runs:
    heading(t("menu.clarification"), t("clarification.lead"), place=top)
    st.info(t("clarification.no_runs"), icon=":material/info:")
    simulate_link(bot.id)
    st.stop()
run = choose_run(store, runs)
plan, progress = Plan.model_validate(run.plan), store.runs.progress(run.id)
frame = clarification_frame(run.id, str(run.finished_at), progress.turns)
card = scorecard(frame)
heading(clarification_title(card, plan), t("clarification.lead"), place=top)
if run.status == "running":
    message = t("scores.still_running", done=progress.finished, total=progress.total)
    st.info(message, icon=":material/progress_activity:")
show_card_figures(card)
show_provenance(store, run)
if plan.clarify and card.questions:
    draw_card_charts(card, first_turns(frame), frame, run)
show_facts_of_run(frame, run)
old_bot = bot_of_run(store, run)
if old_bot.external:
    st.info(t("clarification.external_bot"), icon=":material/info:")
else:
    show_ablation(store, run, bot, frame)
    show_threshold_sweep(frame, run, plan, old_bot, bot)
