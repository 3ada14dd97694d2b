"""What other thresholds would have done in a run: the chart, a pair to try, and writing it into the bot."""

from __future__ import annotations

from typing import get_args

import pandas as pd
import streamlit as st

from core.analysis.formatting import NO_VALUE
from core.analysis.threshold_sweep import MAX_THRESHOLD, SweepPoint, ThresholdSweep, best_point, sweep_thresholds
from core.base.bot_edits import save_bot
from core.base.types import Bot, ClarifySettings, Patience
from core.charts.clarification import rate_lines, sweep_chart
from core.runs.plan import Plan
from core.store.rows import RunRow
from core.store.run_tables import RunTables
from pages.components.chart import choose_point
from pages.components.links import simulate_link
from pages.components.widgets import action_button, choose
from pages.i18n.translate import language, t


def show_threshold_sweep(
    tables: RunTables, frame: pd.DataFrame, run: RunRow, plan: Plan, old_bot: Bot, bot: Bot
) -> None:
    """Show all pairs of thresholds. old_bot: the bot as it was in the run; bot: the current one, which can be changed."""
    st.subheader(t("clarification.sweep"), anchor=False)
    st.caption(t("clarification.sweep_lead" if plan.clarify else "clarification.sweep_lead_off"))
    own = old_bot.clarify
    if own.strategy == "functions":
        st.info(t("clarification.sweep_functions"), icon=":material/info:")
        return
    max_questions, patience = _choose_conditions(own, run)
    conditions = (own, max_questions, patience)
    sweep = tables.cached(("sweep", *conditions), lambda: sweep_thresholds(frame, *conditions))
    if not sweep.conversations or (sweep.points[0].recall.value is None and sweep.points[0].needless.value is None):
        st.info(t("clarification.sweep_none"), icon=":material/info:")
        return
    best, of_run = best_point(sweep, own), sweep.at(own)
    names = {name: t(f"clarification.{name}") for name in ("recall", "needless")}
    chart, label = sweep_chart(sweep, of_run, best, t, plan.clarify), t("clarification.sweep_of", **names)
    clicked = choose_point(st, chart, label, "sweep")
    _show_notes(sweep, plan, max_questions == own.max_questions and patience == "balanced")
    _show_trial(sweep, _threshold_keys(clicked, best or of_run, run), of_run, run, bot)


def _choose_conditions(own: ClarifySettings, run: RunRow) -> tuple[int, Patience]:
    left, right, _ = st.columns([5, 3, 5], vertical_alignment="bottom")
    most = left.number_input(t("bot.max_questions"), 0, 10, own.max_questions, key=f"sweep-questions-{run.id}")
    names: dict[Patience, str] = {name: t(f"chat.patience_{name}") for name in get_args(Patience)}
    key = f"sweep-patience-{run.id}-{language()}"
    return int(most), choose(t("chat.patience"), names, "balanced", right, key=key)


def _show_notes(sweep: ThresholdSweep, plan: Plan, is_as_in_run: bool) -> None:
    """Say how many conversations the sweep is about, and in how many it differs from the run."""
    notes = [t("clarification.sweep_note", n=f"{sweep.conversations:,}")]
    if sweep.left_out:
        notes.append(t("clarification.sweep_left_out", n=f"{sweep.left_out:,}"))
    if plan.clarify and is_as_in_run and sweep.reproduced < sweep.conversations:
        differing = sweep.conversations - sweep.reproduced
        notes.append(t("clarification.sweep_differs", n=f"{differing:,}", all=f"{sweep.conversations:,}"))
    st.caption("  \n".join(notes))


def _threshold_keys(clicked: tuple[int, ...], default: SweepPoint, run: RunRow) -> tuple[str, str]:
    """The keys of the two fields, set to the pair that was clicked last, else to the default."""
    keys, clicked_key = (f"sweep-clarity-{run.id}", f"sweep-score-{run.id}"), f"sweep-clicked-{run.id}"
    if clicked and st.session_state.get(clicked_key) != clicked:
        st.session_state.update(zip(keys, map(int, clicked), strict=True))
    st.session_state[clicked_key] = clicked
    for key, value in zip(keys, default.thresholds, strict=True):
        st.session_state.setdefault(key, value)
    return keys


def _show_trial(sweep: ThresholdSweep, keys: tuple[str, str], of_run: SweepPoint, run: RunRow, bot: Bot) -> None:
    """Choose a pair of thresholds, see what it would have done, and write it into the bot."""
    with st.container(border=True):
        left, right, result = st.columns([2, 2, 5], vertical_alignment="bottom")
        clarity = left.number_input(t("bot.clarity_threshold"), 0, MAX_THRESHOLD, key=keys[0])
        score = right.number_input(t("bot.score_threshold"), 0, MAX_THRESHOLD, key=keys[1])
        pair = (int(clarity), int(score))
        result.markdown(_point_text(next(point for point in sweep.points if point.thresholds == pair)))
        st.caption(t("bot.thresholds_help"))
        current = (bot.clarify.clarity_threshold, bot.clarify.score_threshold)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            _write_button("try", "edit", bot, pair, disabled=pair == current)
            if current != of_run.thresholds:
                _write_button("back", "undo", bot, of_run.thresholds)
        if current != of_run.thresholds:
            st.info(t("clarification.written", clear=current[0], low=current[1]), icon=":material/info:")
            simulate_link(run.bot, t("clarification.confirm"))


def _point_text(point: SweepPoint) -> str:
    questions = NO_VALUE if point.questions is None else f"{point.questions:.2f}"
    guess = t("clarification.guess", name=t("clarification.per_conversation"), questions=questions)
    return "  \n".join([*rate_lines(point, t), guess])


def _write_button(name: str, icon: str, bot: Bot, thresholds: tuple[int, int], disabled: bool = False) -> None:
    label = t(f"clarification.{name}", clear=thresholds[0], low=thresholds[1])
    action_button(label, icon, _write, bot, thresholds, key=f"sweep-{name}", disabled=disabled)


def _write(bot: Bot, thresholds: tuple[int, int]) -> None:
    save_bot(bot, {"clarify.clarity_threshold": thresholds[0], "clarify.score_threshold": thresholds[1]})
    st.toast(t("clarification.saved", clear=thresholds[0], low=thresholds[1]), icon=":material/check:")
