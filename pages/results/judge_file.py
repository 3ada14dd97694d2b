"""Judge answers that were given anywhere: bring a file, say what its columns hold, choose judges, read the charts."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.tables import SUFFIXES, Cells, columns_of, read_table
from core.base.types import Bot
from core.runs.answer_files import FIELDS, Field, answers_of, guess_mapping
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.judge_picker import judge_options, pick_judges, watch_judging
from pages.components.run_progress import results_link
from pages.components.services import need_store, services
from pages.components.session import engine
from pages.i18n.translate import language, t

SHOWN = 5  # rows of the preview
LONGEST = 300  # characters of a cell in it
NEEDED: tuple[Field, ...] = ("question", "answer")
store = need_store()


@st.cache_data(show_spinner=False, max_entries=4)
def table_of(name: str, data: bytes) -> list[Cells]:
    """The rows of an uploaded file."""
    return read_table(name, data)


def preview(rows: list[Cells]) -> None:
    """The first rows, as text."""
    st.caption(t("file.rows", n=f"{len(rows):,}", shown=min(SHOWN, len(rows))))
    shown = [{name: str(row.get(name, ""))[:LONGEST] for name in columns_of(rows)} for row in rows[:SHOWN]]
    st.dataframe(pd.DataFrame(shown), hide_index=True)


def mapping_of(rows: list[Cells], file: str) -> dict[Field, str]:
    """Which column holds what: guessed by the names, changed by hand."""
    columns = columns_of(rows)
    guessed = guess_mapping(columns)
    st.markdown(f"**{t('file.mapping')}**")
    cells = [cell for _ in range(0, len(FIELDS), 4) for cell in st.columns(4)]  # in rows, so that they stack in order
    chosen: dict[Field, str] = {}
    for place, field in enumerate(FIELDS):
        known = guessed.get(field, "")
        label = t(f"file.{field}") + (" *" if field in NEEDED else "")
        options = ["", *columns]
        chosen[field] = cells[place].selectbox(
            label,
            options,
            index=options.index(known) if known else 0,
            format_func=lambda name: name or "—",
            key=f"map-{field}-{file}-{hash(tuple(columns))}",
        )
    return {field: column for field, column in chosen.items() if column}


def judge(bot: Bot, name: str, rows: list[Cells], mapping: dict[Field, str]) -> None:
    """The judges, and the start."""
    names = pick_judges(bot, f"file-{bot.id}", ("correctness",) if "reference" in mapping else ("turn",))
    options = judge_options(names, "file")
    if st.button(t("file.start", n=f"{len(rows):,}"), type="primary", icon=":material/gavel:", disabled=not names):
        with show_errors():
            how = {"language": language(), **options}
            answers = answers_of(rows, mapping)
            job = services().judgings.file(bot, name, answers, names, how, engine())
            st.query_params["run"] = job.run_id
            st.rerun()


def under_way(bot: Bot) -> None:
    """The judging that was started here: its progress, then the way to its charts."""
    job = services().judgings.get(st.query_params.get("run", ""))
    run = store.run(job.run_id) if job else None
    if job is None or run is None or run.bot != bot.id:
        return
    with st.container(border=True):
        st.markdown(f"**{t('file.judging')}**")
        if job.running:
            watch_judging(job, "stop-file")
        else:
            how = "file.done" if job.done == job.total else "file.broken_off"
            st.markdown(t(how, done=f"{job.done:,}", total=f"{job.total:,}"))
            results_link(job.run_id, bot.id)


top, bot = choose_bot()
heading(t("file.title"), t("file.lead"), place=top)
under_way(bot)
with st.container(border=True), show_errors():
    file = st.file_uploader(t("file.choose"), [suffix[1:] for suffix in SUFFIXES], key="answers-file")
    if file is None:
        st.caption(t("file.formats"))
    else:
        rows = table_of(file.name, file.getvalue())
        preview(rows)
        judge(bot, file.name, rows, mapping_of(rows, file.name))
