"""An optimization before it starts (the estimate) and while it runs (progress, stop)."""

from __future__ import annotations

import streamlit as st

from core.base.prompt import Engine
from core.base.prompt_files import prompt_key
from core.base.types import Bot, Language
from core.optimization.job import OptimizeEstimateJob, OptimizeJob
from core.optimization.search import CostEstimate, Options
from core.optimization.tasks import PromptTask
from core.runs.prompt_catalog import ListedPrompt
from pages.components.appearance import show_error
from pages.components.cost import cost_text, rough_duration
from pages.components.job_progress import show_early_end, watch_job
from pages.components.services import services
from pages.i18n.translate import t

_ESTIMATE = "optimize-estimate"


def show_start(bot: Bot, task: PromptTask, options: Options, engine: Engine) -> None:
    """The estimate if one was asked for, and the two buttons."""
    basis = (bot.id, bot.prompts, task.key, [row.id for row in task.rows()], options)
    known = st.session_state.get(_ESTIMATE)
    job: OptimizeEstimateJob | None = known[1] if known and known[0] == basis else None
    if job and job.running:
        _watch_estimate(job)
    elif job and job.error:
        show_error(job.error)
    elif job and job.result:
        _show_estimate(job.result)
    with st.container(horizontal=True, gap="small"):
        if st.button(t("optimize.estimate"), icon=":material/calculate:", disabled=bool(job and job.running)):
            job = OptimizeEstimateJob(engine, bot, task, options)
            job.start()
            st.session_state[_ESTIMATE] = (basis, job)
            st.rerun()
        if st.button(t("optimize.start"), type="primary", icon=":material/play_arrow:"):
            services().optimizations.start(f"{bot.id}:{task.key}", OptimizeJob(engine, bot, task, options))
            st.rerun()


def show_job(bot: Bot, prompt: ListedPrompt, language: Language) -> bool:
    """The progress of the search for this prompt; whether one is running. Tells why the last one ended without a result."""
    job = services().optimizations.get(f"{bot.id}:{prompt_key(prompt.name, language)}")
    if job is None:
        return False
    if job.running:
        watch_job(lambda: job, "optimize")
        return True
    show_early_end(job, "optimize")
    return False


@st.fragment(run_every=1.0)
def _watch_estimate(job: OptimizeEstimateJob) -> None:
    if not job.running:
        st.rerun()
    st.caption(f":material/hourglass_top: {t('optimize.estimating')}")


def _show_estimate(found: CostEstimate) -> None:
    calls = found.calls
    values = {
        "calls": f"{calls.calls:,}",
        "tokens": f"{calls.tokens:,}",
        "money": cost_text(calls),
        "time": rough_duration(found.seconds),
        "n": f"{found.rows:,}",
    }
    st.markdown(t("optimize.estimated", **values))
