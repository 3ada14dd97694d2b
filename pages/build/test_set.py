"""Test sets: from seed documents step by step, straight from a bot's documents, or from a log of real questions."""

from __future__ import annotations

import streamlit as st

from core.datasets.dataset_jobs import DatasetJob, estimate
from core.datasets.seed_document.dataset import Dataset, Step
from core.datasets.seed_document.steps import StepState, states
from pages.build.test_set_contents import show_configurations, show_documents, show_items
from pages.build.test_set_review import show_document_questions, show_log
from pages.build.test_set_schema import show_schema
from pages.build.test_set_sources import choose_dataset, show_new
from pages.build.test_set_use import show_imported_files, show_uses
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.cost import cost_text, rough_duration
from pages.components.job_progress import show_early_end, watch_job
from pages.components.services import services
from pages.components.session import engine
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t

SECTIONS = {
    "schema": show_schema,
    "configurations": show_configurations,
    "documents": show_documents,
    "questions": show_items,
    "use": show_uses,
}


def show_steps(dataset: Dataset) -> None:
    """How far the test set is, the button that goes on, and one tab for each part."""
    step_states: dict[Step, StepState] = {state.step: state for state in states(dataset)}
    if job := services().datasets.running(str(dataset.folder)):
        watch_job(job, "test_set")
        return
    _show_states(step_states)
    _show_start(dataset, step_states)
    tabs = st.tabs([_tab_title(name, step_states) for name in SECTIONS])
    for tab, show in zip(tabs, SECTIONS.values(), strict=True):
        with tab:
            show(dataset)


def _tab_title(name: str, step_states: dict[Step, StepState]) -> str:
    stale = sum(state.stale for step, state in step_states.items() if step == name)
    title = t(f"test_set.tab_{name}")
    return f"{title} · {t('test_set.stale', n=stale)}" if stale else title


def _show_states(step_states: dict[Step, StepState]) -> None:
    """One line: what is there, what is stale. The steps of the questions stand together, as in their tab."""
    of_questions = [state for step, state in step_states.items() if step not in SECTIONS]
    with st.container(horizontal=True, gap="small"):  # a line breaks between two steps only
        for state in (state for step, state in step_states.items() if step in SECTIONS):
            parts = [state, *of_questions] if state.step == "questions" else [state]
            icon = "check_circle" if all(map(_is_done, parts)) else "radio_button_unchecked"
            texts = list(map(_state_text, parts))
            detail = t("test_set.step_parts", parts=t("common.comma").join(texts[1:])) if texts[1:] else ""
            st.markdown(f":material/{icon}: {texts[0]}{detail}", width="content")


def _is_done(state: StepState) -> bool:
    return bool(state.total) and state.done == state.total and not state.stale


def _state_text(state: StepState) -> str:
    count = f" {state.done:,}/{state.total:,}" if state.total else ""
    stale = f" :orange[({t('test_set.stale', n=state.stale)})]" if state.stale else ""
    return f"{t(f'test_set.step_{state.step}')}{count}{stale}"


def _show_start(dataset: Dataset, step_states: dict[Step, StepState]) -> None:
    approved, made = dataset.is_approved(), step_states["schema"].done > 0
    until: Step = "schema" if not (made or step_states["schema"].stale) or not approved else "quality"
    if until == "schema" and made and not step_states["schema"].stale:
        st.info(t("test_set.to_approve"), icon=":material/rule:")
        return
    expected = estimate(engine(), dataset)
    if until == "quality" and expected.items == 0 and not any(state.stale for state in step_states.values()):
        st.success(t("test_set.complete"), icon=":material/check_circle:")
        return
    label = t("test_set.make_schema") if until == "schema" else t("test_set.make_rest")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(label, type="primary", icon=":material/play_arrow:"):
            services().datasets.start(str(dataset.folder), DatasetJob(engine(), dataset, until))
            st.rerun()
        calls, time = expected.calls, rough_duration(expected.seconds)
        if calls.calls:
            st.caption(t("test_set.estimate", calls=f"{calls.calls:,}", money=cost_text(calls), time=time))
        else:
            st.caption(t("test_set.estimate_free", n=f"{expected.items:,}", time=time))
    show_early_end(services().datasets.get(str(dataset.folder)), "test_set")


SOURCES = ("seeds", "bot", "log", "file")
OF_A_BOT = {"bot": show_document_questions, "log": show_log}

heading(t("test_set.title"), t("test_set.lead"))
names = {name: t(f"test_set.source_{name}") for name in SOURCES}
source = choose_in_url("source", t("test_set.source"), names, control="segmented_control", required=True)
lead = t(f"test_set.source_{source}_help")
with show_errors():
    if source in OF_A_BOT:
        left, bot = choose_bot()
        left.caption(lead)
        OF_A_BOT[source](bot)
    else:
        st.caption(lead)
        dataset = None if source == "file" else choose_dataset()
        if source == "file":
            show_imported_files()
        elif dataset is None:
            show_new()
        else:
            show_steps(dataset)
