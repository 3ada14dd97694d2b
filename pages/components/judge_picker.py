"""Judges on the pages: their names, choosing them, and the progress of a judging job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import streamlit as st

from core.analysis.names import judge_name
from core.base.types import TURN_JUDGE, Bot
from core.judges.base import ListedJudge
from core.judges.registry import all_judges
from core.runs.judging.jobs import JudgingJob, JudgingRequest
from pages.components.appearance import show_error, show_errors
from pages.components.job_progress import draw_progress, watch
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.widgets import choose_several
from pages.i18n.translate import language, t

QUIZ = ("qa", "context_qa", "cot_qa")


class JudgeSwitches(TypedDict):
    """The fields of `core.judges.base.JudgeOptions` that a person chooses."""

    strict: bool
    together: bool


def choose_judges(bot: Bot, key: str, default: Sequence[str] = (TURN_JUDGE,)) -> tuple[str, ...]:
    """Choose the judges that score; without a model, those that need one are marked."""
    judges = {listed.judge.name: listed for listed in all_judges(bot)}
    names = choose_several(
        t("judging.judges"),
        {name: _label_with_need(listed) for name, listed in judges.items()},
        placeholder=t("common.choose"),
        key=_widget_key(key, [name for name in default if name in judges]),
        help=t("judging.judges_help"),
        select_all=False,
    )
    st.session_state[f"{key}-chosen"] = names
    _show_problems([judges[name] for name in names])
    return tuple(names)


def _widget_key(key: str, default: list[str]) -> str:
    """A key per language, since the browser keeps the labels of what is chosen; the choice is carried over."""
    widget_key, language_key = f"{key}-{language()}", f"{key}-language"
    if widget_key not in st.session_state or st.session_state.get(language_key) != language():
        st.session_state[widget_key] = st.session_state.get(f"{key}-chosen", default)
        st.session_state[language_key] = language()
    return widget_key


def choose_switches(names: Sequence[str], key: str) -> JudgeSwitches:
    """The options of the chosen judges, asked only if they matter."""
    switches: JudgeSwitches = {"strict": False, "together": True}
    if any(name in QUIZ for name in names):
        switches["strict"] = st.toggle(t("judging.strict"), key=f"{key}-strict", help=t("judging.strict_help"))
    if sum(":" in name for name in names) > 1:
        switches["together"] = not st.toggle(t("judging.alone"), key=f"{key}-alone", help=t("judging.alone_help"))
    return switches


def _label_with_need(listed: ListedJudge) -> str:
    label = judge_name(listed.judge.name, t)
    return label if not listed.judge.needs_model or uses_model() else f"{label} ({t('judging.needs_model')})"


def _show_problems(chosen: Sequence[ListedJudge]) -> None:
    """Show which of the chosen judges cannot be used, and which will not score without a model."""
    for listed in chosen:
        if listed.problem:
            st.warning(f"{plain(listed.judge.name)}: {plain(listed.problem)}", icon=":material/error:")
    unscored = [judge_name(listed.judge.name, t) for listed in chosen if listed.judge.needs_model]
    if unscored and not uses_model():
        names = plain(t("common.comma").join(unscored))
        st.info(t("judging.will_be_unscored", names=names), icon=":material/info:")


def start_judging_job(
    run_id: str, names: Sequence[str], switches: JudgeSwitches | None = None, repeats: int = 1
) -> None:
    """Let judges score a run in the background, in the page's language, and draw the page again."""
    with show_errors():
        request = JudgingRequest(names, {"language": language(), **(switches or {})}, engine(), repeats=repeats)
        services().judging_jobs.rejudge(run_id, request)
        st.rerun()


def show_judging_job(run_id: str, place: str, judge: str = "") -> bool:
    """Show a run's judging job: its progress, or the error of the last one (if it was by `judge`). True while it runs."""
    job = services().judging_jobs.get(run_id)
    if job and job.running:
        watch_judging_job(job, f"stop-{place}-{run_id}")
        return True
    if job and job.error and (not judge or judge in job.versions):
        show_error(job.error)
    return False


def watch_judging_job(job: JudgingJob, stop_key: str) -> None:
    """Show the progress of a judging job until it ends."""
    watch(lambda: job.running, lambda: draw_progress(job, "judging.progress", stop_key))
