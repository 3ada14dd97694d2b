"""Optimizing a prompt: the estimate and the search, their progress, and what came of earlier ones with both texts."""

from __future__ import annotations

import streamlit as st

from core.analysis.formatting import NO_VALUE, points, points_range
from core.base.prompt import Engine
from core.base.prompt_files import prompt_key
from core.base.types import Bot, Language
from core.optimization.job import OptimizeEstimateJob, OptimizeJob
from core.optimization.prompt_task import PromptTask
from core.optimization.results import StoredResult, stored_results
from core.optimization.search import CostEstimate, HalfScores, OptimizationResult, SearchOptions, use
from core.prompts.catalog import ListedPrompt
from pages.components.appearance import local_time, show_error, show_errors, show_figure
from pages.components.cost import cost_text, rough_duration
from pages.components.differences import show_difference
from pages.components.job_progress import show_early_end, watch, watch_job
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.widgets import choose, show_rows
from pages.i18n.translate import t

_ESTIMATE = "optimize-estimate"
ICONS = {
    "better": ":material/check_circle:",
    "not_surely_better": ":material/help:",
    "nothing_found": ":material/remove:",
}


def show_start(bot: Bot, task: PromptTask, options: SearchOptions, engine: Engine) -> None:
    """The estimate if one was asked for, and the two buttons."""
    basis = (bot.id, bot.prompts, task.key, [row.id for row in task.rows()], options)
    stored = st.session_state.get(_ESTIMATE)
    job: OptimizeEstimateJob | None = stored[1] if stored and stored[0] == basis else None
    if job and job.running:
        running = job
        watch(lambda: running.running, lambda: st.caption(f":material/hourglass_top: {t('optimize.estimating')}"))
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
    """Show the progress of the search for this prompt, or why the last one has no result. True while it runs."""
    job = services().optimizations.get(f"{bot.id}:{prompt_key(prompt.name, language)}")
    if job is None:
        return False
    if job.running:
        watch_job(job, "optimize")
        return True
    show_early_end(job, "optimize")
    return False


def _show_estimate(estimate: CostEstimate) -> None:
    calls = estimate.calls
    values = {
        "calls": f"{calls.calls:,}",
        "tokens": f"{calls.tokens:,}",
        "money": cost_text(calls),
        "time": rough_duration(estimate.seconds),
        "n": f"{estimate.rows:,}",
    }
    st.markdown(t("optimize.estimated", **values))


def show_results(bot: Bot, prompt: ListedPrompt, language: Language) -> None:
    """The results for this prompt, the newest first."""
    key = prompt_key(prompt.name, language)
    results = stored_results(bot.id, key)
    st.subheader(t("optimize.results"), anchor=False)
    if not results:
        st.caption(t("optimize.no_results"))
        return
    place = 0
    if len(results) > 1:
        times = {number: local_time(stored.made_at) for number, stored in enumerate(results)}
        place = choose(t("optimize.which_result"), times, key=f"result-{key}")
    _show_result(bot, results[place])


def _show_result(bot: Bot, stored: StoredResult) -> None:
    result = stored.result
    origin = origin_text(result.origin)
    st.markdown(f"{ICONS[result.verdict]} **{t(f'optimize.verdict_{result.verdict}', what=origin)}**")
    st.caption(
        t("optimize.made", time=local_time(stored.made_at), n=f"{result.rows:,}", calls=f"{result.spent.calls:,}")
    )
    _show_figures(result)
    if result.best_text != result.present_text:
        now_used = bot.prompts.get(result.key) == result.best_text
        label = t("optimize.used" if now_used else "optimize.use")
        better = result.verdict == "better"
        if better and st.button(label, type="primary", icon=":material/check:", disabled=now_used, key="optimize-use"):
            with show_errors():
                use(bot, result)
                st.rerun()
        _show_texts(result)
    _show_tried(result)


def _show_figures(result: OptimizationResult) -> None:
    first, second, third = st.columns(3)
    show_figure(first, t("optimize.development"), *_half(result.development))
    show_figure(second, t("optimize.held_out"), *_half(result.held_out))
    difference, interval = NO_VALUE, t("optimize.no_interval")
    if result.difference is not None and result.low is not None and result.high is not None:
        difference = points(result.difference)
        interval = t("optimize.interval", interval=points_range(result.low, result.high, t))
        if result.low == result.high == 0:
            interval = t("optimize.no_row_differed")
    show_figure(third, t("optimize.difference"), difference, interval)


def _half(scores: HalfScores | None) -> tuple[str, str]:
    """(now and new, the number of rows)."""
    if scores is None or scores.present is None or scores.best is None:
        return NO_VALUE, t("optimize.not_looked_at")
    return f"{scores.present * 100:.0f} → {scores.best * 100:.0f}", t("optimize.on_rows", n=f"{scores.rows:,}")


def _show_texts(result: OptimizationResult) -> None:
    side, difference = st.tabs([t("optimize.side_by_side"), t("prompts.tab_difference_old")])
    with side:
        left, right = st.columns(2)
        for place, name, text in ((left, "old", result.present_text), (right, "new", result.best_text)):
            place.markdown(f"**{t(f'optimize.text_{name}')}**")
            place.code(text, None, wrap_lines=True, height=420)
    with difference:
        show_difference(result.present_text, result.best_text)


def _show_tried(result: OptimizationResult) -> None:
    """Every text that was tried, on the development half."""
    with st.expander(t("optimize.tried", n=len(result.tried))):
        rows = [
            {
                t("optimize.column_text"): origin_text(candidate.origin),
                t("scores.score"): None if candidate.score is None else round(candidate.score * 100, 1),
                t("optimize.column_rows"): candidate.rows,
            }
            for candidate in result.tried
        ]
        show_rows(rows)


def origin_text(origin: str) -> str:
    """What a text is, in words: the present one, other rules, examples."""
    kind, _, number = origin.partition(" ")
    return plain(t(f"optimize.origin_{kind}", number=number))
