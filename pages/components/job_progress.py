"""A job in the background of the server: its progress with a button to stop it, and why the last one ended early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.base.jobs import Job, PaidJob
from pages.components.appearance import show_error
from pages.components.cost import spending_text
from pages.components.widgets import action_button
from pages.i18n.translate import t


@st.fragment(run_every=1.0)
def watch(is_going: Callable[[], bool], draw: Callable[[], object]) -> None:
    """Draw once a second while something is going on; then the page runs again."""
    if not is_going():
        st.rerun()
    draw()


def watch_job(job: PaidJob[Any], section: str) -> None:
    """The progress of a job and what it costs until it ends. section: of the texts `running` and `progress`."""

    def draw() -> None:
        with st.container(border=True):
            st.markdown(f"**{t(f'{section}.running')}**")
            st.progress(_share(job))
            counted = t(f"{section}.progress", done=f"{job.done:,}", total=f"{job.total:,}")
            st.caption(f"{counted} · {spending_text(job.spent)}")
            action_button(t("run.stop"), "stop", job.stop)

    watch(lambda: job.running, draw)


def draw_progress(job: Job[Any], key: str, stop_key: str) -> None:
    """The progress of a job, with a text that has `done` and `total`, and a button that stops it."""
    st.progress(_share(job), t(key, done=f"{job.done:,}", total=f"{job.total:,}"))
    action_button(t("run.stop"), "stop", job.stop, key=stop_key)


def _share(job: Job[Any]) -> float:
    return min(1.0, job.done / job.total) if job.total else 0.0


def show_early_end(job: Job[Any] | None, section: str) -> None:
    """Why a job ended without a result; nothing if it did not. section: of the text `stopped`."""
    if job is None or job.running:
        return
    if job.error:
        show_error(job.error)
    elif job.stopped.is_set():
        st.info(t(f"{section}.stopped"), icon=":material/pause_circle:")
