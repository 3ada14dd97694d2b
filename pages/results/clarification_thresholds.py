"""Other thresholds, worked out from what was stored: the chart, a pair to try, and writing it into the bot."""

from __future__ import annotations

from typing import get_args

import pandas as pd
import streamlit as st

from core.analysis.threshold_sweep import MOST, SweepPoint, ThresholdSweep, best_point, sweep_thresholds
from core.base.bot_folder import save_bot
from core.base.types import Bot, ClarifySettings, Patience
from core.charts.clarification import rate_text, sweep_chart
from core.runs.plan import Plan
from core.store.rows import RunRow
from pages.components.appearance import show_errors
from pages.i18n.translate import language, t
from pages.results.clarification_card import plot

PATIENCE: tuple[Patience, ...] = get_args(Patience)


def sweep_part(frame: pd.DataFrame, run: RunRow, plan: Plan, then: Bot, now: Bot) -> None:
    """The section; `then` is the bot of the run's time, `now` the one that can be changed."""
    st.subheader(t("clarification.sweep"), anchor=False)
    st.caption(t("clarification.sweep_lead"))
    own = then.clarify
    if own.strategy == "functions":
        st.info(t("clarification.sweep_functions"), icon=":material/info:")
        return
    most, patience = _given(own, run)
    found = _swept(run.id, len(frame), own.model_dump_json(), most, patience, frame)
    if not found.conversations or (found.points[0].recall.value is None and found.points[0].needless.value is None):
        st.info(t("clarification.sweep_none"), icon=":material/info:")
        return
    best, mine = best_point(found, own), found.at(own)
    chosen = plot(
        st, sweep_chart(found, mine, best, t), "clarification.sweep_of", on_select="rerun", selection_mode="points"
    )
    _notes(found, plan, most == own.max_questions and patience == "balanced")
    _try(found, _wanted(chosen, best or mine, run), mine, run, now)


@st.cache_data(show_spinner=False, max_entries=16)
def _swept(run_id: str, turns: int, own: str, most: int, patience: Patience, _frame: pd.DataFrame) -> ThresholdSweep:
    """All pairs of thresholds for a run; worked out anew when the run goes on."""
    del run_id, turns
    return sweep_thresholds(_frame, ClarifySettings.model_validate_json(own), most, patience)


def _given(own: ClarifySettings, run: RunRow) -> tuple[int, Patience]:
    """How many questions at most, and whose patience."""
    left, right, _ = st.columns([1, 1, 2])
    most = left.number_input(t("bot.max_questions"), 0, 10, own.max_questions, key=f"sweep-most-{run.id}")
    patience = right.selectbox(
        t("clarification.patience"),
        PATIENCE,
        PATIENCE.index("balanced"),
        format_func=lambda one: t(f"clarification.patience_{one}"),
        key=f"sweep-patience-{run.id}-{language()}",
    )
    return int(most), patience


def _notes(found: ThresholdSweep, plan: Plan, same: bool) -> None:
    """How far the figures can be trusted."""
    notes = [t("clarification.sweep_note", n=f"{found.conversations:,}")]
    if found.left_out:
        notes.append(t("clarification.sweep_left_out", n=f"{found.left_out:,}"))
    if plan.clarify and same and found.reproduced < found.conversations:
        differing = found.conversations - found.reproduced
        notes.append(t("clarification.sweep_differs", n=f"{differing:,}", all=f"{found.conversations:,}"))
    st.caption("  \n".join(notes))


def _wanted(
    chosen: dict[str, dict[str, list[dict[str, list[int]]]]], first: SweepPoint, run: RunRow
) -> tuple[str, str]:
    """The keys of the two fields, set to the pair that was clicked last, or to the one to begin with."""
    keys, seen = (f"sweep-clear-{run.id}", f"sweep-low-{run.id}"), f"sweep-clicked-{run.id}"
    points = [tuple(point["customdata"]) for point in chosen["selection"]["points"] if point.get("customdata")]
    clicked = points[0] if points else None
    if clicked and st.session_state.get(seen) != clicked:
        st.session_state[keys[0]], st.session_state[keys[1]] = int(clicked[0]), int(clicked[1])
    st.session_state[seen] = clicked
    for key, value in zip(keys, first.thresholds, strict=True):
        st.session_state.setdefault(key, value)
    return keys


def _try(found: ThresholdSweep, keys: tuple[str, str], mine: SweepPoint, run: RunRow, now: Bot) -> None:
    """A pair of thresholds with what it would have done, and the button that writes it into the bot."""
    with st.container(border=True):
        left, right, told_at = st.columns([1, 1, 2], vertical_alignment="bottom")
        clear = left.number_input(t("bot.clarity_threshold"), 0, MOST, key=keys[0])
        low = right.number_input(t("bot.score_threshold"), 0, MOST, key=keys[1])
        point = next(one for one in found.points if one.thresholds == (clear, low))
        told_at.markdown("  \n".join(_told(point)))
        st.caption(t("bot.thresholds_help"))
        current = (now.clarify.clarity_threshold, now.clarify.score_threshold)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            icon, same = ":material/edit:", point.thresholds == current
            label = t("clarification.try", clear=clear, low=low)
            st.button(label, icon=icon, key="sweep-try", disabled=same, on_click=_write, args=(now, point.thresholds))
            if current != mine.thresholds:
                back = t("clarification.back", clear=mine.clarity_threshold, low=mine.score_threshold)
                st.button(back, icon=":material/undo:", key="sweep-back", on_click=_write, args=(now, mine.thresholds))
        if current != mine.thresholds:
            st.info(t("clarification.written", clear=current[0], low=current[1]), icon=":material/info:")
            label, icon = t("clarification.confirm"), ":material/play_circle:"
            st.page_link("pages/simulate/run.py", label=label, icon=icon, query_params={"bot": run.bot})


def _told(point: SweepPoint) -> list[str]:
    """What a pair of thresholds would have done, in words."""
    guess = "–" if point.questions is None else f"{point.questions:.2f}"
    return [
        t("clarification.hover_recall", rate=rate_text(point.recall, t)),
        t("clarification.hover_needless", rate=rate_text(point.needless, t)),
        t("clarification.guess", questions=guess),
    ]


def _write(bot: Bot, thresholds: tuple[int, int]) -> None:
    """Write the thresholds into bot.toml; the run keeps those it had, so that there is a way back."""
    with show_errors():
        save_bot(bot, {"clarify.clarity_threshold": thresholds[0], "clarify.score_threshold": thresholds[1]})
        st.toast(t("clarification.saved", clear=thresholds[0], low=thresholds[1]), icon=":material/check:")
