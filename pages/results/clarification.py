"""Did the bot ask back when it was needed, what did that bring, and what would other thresholds have done."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.analysis.clarification import Scorecard, first_turns, scorecard
from core.base.bot_folder import parse_bot
from core.base.errors import BadInput
from core.base.types import Bot
from core.runs.plan import Plan
from core.store.rows import RunRow
from pages.components.appearance import heading, percent
from pages.components.run_actions import is_answer_file
from pages.components.run_picker import choose_bot_of_runs, choose_run_of
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.clarification_ablation import gain_part
from pages.results.clarification_card import card_charts, card_figures
from pages.results.clarification_thresholds import sweep_part
from pages.results.hidden_facts import facts_sum

store = need_store()


@st.cache_resource(show_spinner=False, max_entries=4)
def frame_of(run_id: str, ended: str, turns: int) -> pd.DataFrame:
    """How the bot asked in a run, which must not be changed; looked up anew when the run goes on."""
    del ended, turns
    return store.tables.clarification(run_id)


def finding(card: Scorecard, plan: Plan) -> str:
    """The page's title."""
    if not plan.clarify:
        return t("clarification.finding_off")
    if card.unknown and not card.questions:
        return t("clarification.finding_unknown")
    if card.recall.value is None and card.needless.value is None:
        return t("clarification.finding_unlabelled")
    if card.recall.value is not None and card.needless.value == 0:
        return t("clarification.finding_never_needless", recall=percent(card.recall.value))
    return t("clarification.finding", recall=percent(card.recall.value), needless=percent(card.needless.value))


def then(run: RunRow, now: Bot) -> Bot:
    """The bot as it was in the run; as it is now where the run did not keep it."""
    try:
        return parse_bot(str(store.runs.snapshot(run.id)["bot_toml"]).encode(), now.folder)
    except (BadInput, KeyError):
        return now


top, bot = choose_bot_of_runs(store)
runs = {run.id: run for run in store.runs.all(bot.id) if not is_answer_file(run)}
if not runs:
    heading(t("clarification.title"), t("clarification.lead"), place=top)
    st.info(t("clarification.no_runs"), icon=":material/info:")
    icon = ":material/play_circle:"
    st.page_link("pages/simulate/run.py", label=t("scores.to_batch"), icon=icon, query_params={"bot": bot.id})
    st.stop()
run = choose_run_of(store, runs)
plan, progress = Plan.model_validate(run.plan), store.runs.progress(run.id)
frame = frame_of(run.id, str(run.finished_at), progress.turns)
card = scorecard(frame)
heading(finding(card, plan), t("clarification.lead"), place=top)
if run.status == "running":
    told = t("scores.still_running", done=progress.finished, total=progress.total)
    st.info(told, icon=":material/progress_activity:")
card_figures(card)
if plan.clarify and card.questions:
    card_charts(card, first_turns(frame), frame, run)
facts_sum(frame, run)
if (was := then(run, bot)).outside:
    st.info(t("clarification.external_bot"), icon=":material/info:")
else:
    gain_part(store, run, bot, frame)
    sweep_part(frame, run, plan, was, bot)
