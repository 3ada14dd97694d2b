"""Downloads of a run in every format, and its export to Google Sheets; large files are written in the background."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import streamlit as st

from core.base.bot_folder import find_bot
from core.base.settings import settings
from core.base.tables import MIME
from core.export.google_sheets import service_account_email
from core.export.jobs import ExportJobs, FileExport, SheetsExport
from core.export.layout import ROWS
from core.export.run_export import FORMATS, Export, Format
from core.store.rows import RunRow
from pages.components.appearance import show_error, show_errors
from pages.components.job_progress import draw_progress, watch
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import language, t

if TYPE_CHECKING:
    from core.retrieval.index import Index

SMALL_RUN = 200  # conversations up to which a file is written while the user waits
SHEETS: Final = "sheets"


@st.cache_resource(show_spinner=False, on_release=lambda exports: exports.close())
def export_jobs() -> ExportJobs:
    """The exports of this server."""
    return ExportJobs(settings().data_dir / "exports")


def show_export_menu(run: RunRow) -> None:
    """Choose the format of a run's export, and download it."""
    with st.popover(t("export.title"), icon=":material/download:", key=f"export-{run.id}"):
        forms: tuple[Format | Literal["sheets"], ...] = (*FORMATS, SHEETS)
        names = {name: t(f"export.form_{name}") for name in forms}
        form = st.radio(
            t("export.form"),
            forms,
            format_func=lambda name: names.get(name, name),
            captions=[t(f"export.form_{name}_help") for name in forms],
            key=f"export-form-{run.id}-{language()}",
        )
        if form == SHEETS:
            _show_sheets_export(run)
        elif form:
            _show_download(run, form, _choose_table(run) if form == "csv" else ROWS[0])


def _choose_table(run: RunRow) -> str:
    """The table in a CSV file."""
    names = {name: t(f"export.sheet_{name}") for name in ROWS}
    chosen = st.radio(
        t("export.table"),
        ROWS,
        format_func=lambda name: names.get(name, name),
        horizontal=True,
        key=f"export-table-{run.id}-{language()}",
    )
    return str(chosen or ROWS[0])


def _show_download(run: RunRow, form: Format, table: str) -> None:
    """The download of a file: at once if the run is small, else when it has been written in the background."""
    export, name = _export(run), f"{run.id}-{table}.csv" if form == "csv" else f"{run.id}.{form}"
    key = f"{run.id}-{form}-{table}-{language()}"
    show_button = partial(
        st.download_button,
        t("export.download"),
        file_name=name,
        mime=MIME.get(form, "text/html"),
        icon=":material/download:",
        on_click="ignore",
        key=f"get-{key}",
    )
    if run.total <= SMALL_RUN:
        show_button(data=partial(_bytes, export, form, table))
        return
    newest = services().store.scores.newest()
    job_key = (run.id, form, table, language(), *map(str, newest))
    job = export_jobs().get(job_key)
    if job and job.result and Path(job.result).is_file():
        show_button(data=partial(Path(job.result).open, "rb"))  # Streamlit reads and closes it
        return
    _show_error(job)
    if job and job.pending:
        _watch_export(job, key)
    elif st.button(t("export.make", n=f"{run.total:,}"), icon=":material/play_arrow:", key=f"make-{key}"):
        export_jobs().start(job_key, FileExport(export, export_jobs().path(job_key), form, table))
        st.rerun()


def _export(run: RunRow) -> Export:
    return Export(
        services().store,
        run.id,
        language(),
        settings().pass_mark,
        settings().alert_mark,
        index=partial(_index, run.bot),
    )


def _index(bot: str) -> Index | None:
    """The index of a run's bot; None if the bot was deleted."""
    known_bot = find_bot(bot)
    return services().index_of(known_bot) if known_bot else None


def _bytes(export: Export, form: Format, table: str) -> bytes:
    out = io.BytesIO()
    export.write(form, out, table)
    return out.getvalue()


def _watch_export(job: FileExport | SheetsExport, key: str) -> None:
    watch(lambda: job.pending, lambda: draw_progress(job, "export.making", f"stop-{key}"))


def _show_error(job: FileExport | SheetsExport | None) -> None:
    if job and job.error:
        show_error(job.error)


def _show_sheets_export(run: RunRow) -> None:
    """Send a run to a spreadsheet shared with the owner's service account, or say how to set one up."""
    if not settings().google_service_account:
        st.info(t("export.sheets_how"), icon=":material/info:")
        return
    with show_errors():
        mail = service_account_email(Path(settings().google_service_account).expanduser())
        st.caption(t("export.sheets_share"))
        st.code(mail, language=None)
        where = st.text_input(t("export.sheets_where"), key=f"sheets-where-{run.id}", placeholder="https://…")
        key = (run.id, SHEETS)
        job = export_jobs().get(key)
        _show_error(job)
        if job and job.result:
            st.success(f"{t('export.sheets_done')} {plain(job.result)}", icon=":material/check:")
        if job and job.pending:
            _watch_export(job, f"{run.id}-sheets")
        elif st.button(
            t("export.sheets_send"), icon=":material/upload:", disabled=not where.strip(), key=f"send-{run.id}"
        ):
            export_jobs().start(key, SheetsExport(_export(run), where.strip()))
            st.rerun()
