"""A job in the background of the server: its progress with a button to stop it, and why the last one ended early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.runs.background import Job, PaidJob
from pages.components.appearance import show_error
from pages.components.cost import spending_text
from pages.i18n.translate import t


@st.fragment(run_every=1.0)
def watch_job(find: Callable[[], PaidJob[Any] | None], section: str) -> None:
    """The progress of a job until it ends, then the page runs again.

    find: gives the job under way, if any; section: of the texts `running`, `progress` and `stop`.
    """
    job = find()
    if job is None or not job.running:
        st.rerun()
        return
    with st.container(border=True):
        st.markdown(f"**{t(f'{section}.running')}**")
        st.progress(min(1.0, job.done / job.total) if job.total else 0.0)
        counted = t(f"{section}.progress", done=f"{job.done:,}", total=f"{job.total:,}")
        st.caption(f"{counted} · {spending_text(job.spent)}")
        st.button(t("run.stop"), icon=":material/stop:", on_click=job.stop)


def show_early_end(job: Job[Any] | None, section: str) -> None:
    """Why a job ended without a result; nothing if it did not. section: of the text `stopped`."""
    if job is None or job.running:
        return
    if job.error:
        show_error(job.error)
    elif job.stopped.is_set():
        st.info(t(f"{section}.stopped"), icon=":material/pause_circle:")
