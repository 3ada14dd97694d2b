"""Judge the answers in a file: upload it, map its columns, choose judges."""

from __future__ import annotations

import streamlit as st

from core.base.tables import Cells, columns_of
from core.base.types import TURN_JUDGE, Bot
from core.runs.judging.answer_files import NAMES, Field, answers_of
from core.runs.judging.jobs import JudgingRequest
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.judge_picker import choose_judges, choose_switches, watch_judging_job
from pages.components.links import scores_link
from pages.components.services import need_store, services
from pages.components.session import engine
from pages.components.uploaded_table import choose_columns, upload_table
from pages.components.widgets import show_rows
from pages.i18n.translate import language, t

PREVIEW_ROWS = 5
PREVIEW_CHARACTERS = 300  # of a cell
REQUIRED: tuple[Field, ...] = ("question", "answer")
store = need_store()


def draw_preview(rows: list[Cells]) -> None:
    st.caption(t("file.rows", n=f"{len(rows):,}", shown=min(PREVIEW_ROWS, len(rows))))
    names = columns_of(rows)
    cells = [{name: str(row.get(name, ""))[:PREVIEW_CHARACTERS] for name in names} for row in rows[:PREVIEW_ROWS]]
    show_rows(cells)


def show_start(bot: Bot, name: str, rows: list[Cells], mapping: dict[Field, str]) -> None:
    names = choose_judges(bot, f"file-{bot.id}", ("correctness",) if "reference" in mapping else (TURN_JUDGE,))
    switches = choose_switches(names, "file")
    if st.button(t("file.start", n=f"{len(rows):,}"), type="primary", icon=":material/gavel:", disabled=not names):
        with show_errors():
            how = {"language": language(), **switches}
            answers = answers_of(rows, mapping)
            job = services().judging_jobs.judge_file(bot, name, answers, JudgingRequest(names, how, engine()))
            st.query_params["run"] = job.run_id
            st.rerun()


def show_file_job(bot: Bot) -> None:
    """Show the progress of the judging job that was started here, then a link to its scores."""
    job = services().judging_jobs.get(st.query_params.get("run", ""))
    run = store.runs.get(job.run_id) if job else None
    if job is None or run is None or run.bot != bot.id:
        return
    with st.container(border=True):
        st.markdown(f"**{t('file.judging')}**")
        if job.running:
            watch_judging_job(job, "stop-file")
        else:
            key = "file.done" if job.done == job.total else "file.broken_off"
            st.markdown(t(key, done=f"{job.done:,}", total=f"{job.total:,}"))
            scores_link(bot.id, job.run_id)


top, bot = choose_bot()
heading(t("file.title"), t("file.lead"), place=top)
show_file_job(bot)
with st.container(border=True), show_errors():
    uploaded = upload_table(t("file.choose"), "answers-file")
    if uploaded is None:
        st.caption(t("file.formats"))
    else:
        file, rows = uploaded
        draw_preview(rows)
        st.markdown(f"**{t('file.mapping')}**")
        mapping = choose_columns(uploaded, NAMES, REQUIRED, "file", per_row=4)
        show_start(bot, file, rows, mapping)
