"""Downloads of a run in every format, and its export to Google Sheets; large files are written in the background."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import Final, Literal

import streamlit as st

from core.base.bot_folder import find_bot
from core.base.settings import settings
from core.base.tables import MIME
from core.export.google_sheets import service_account_email
from core.export.jobs import ExportJobs, FileExport, SheetsExport
from core.export.layout import ROWS
from core.export.run_export import FORMATS, Export, Format
from core.retrieval.index import Index
from core.store.rows import RunRow
from pages.components.appearance import show_error, show_errors
from pages.components.job_progress import draw_progress, watch
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.widgets import choose, download_button
from pages.i18n.translate import language, t

SMALL_RUN = 200  # conversations up to which a file is written while the user waits
SHEETS: Final = "sheets"


@st.cache_resource(show_spinner=False, on_release=lambda exports: exports.close())
def export_jobs() -> ExportJobs:
    return ExportJobs(settings().data_dir / "exports")


def show_export_menu(run: RunRow) -> None:
    with st.popover(t("export.title"), icon=":material/download:", key=f"export-{run.id}"):
        forms: tuple[Format | Literal["sheets"], ...] = (*FORMATS, SHEETS)
        names: dict[Format | Literal["sheets"], str] = {name: t(f"export.form_{name}") for name in forms}
        helps = [t(f"export.form_{name}_help") for name in names]
        key = f"export-form-{run.id}-{language()}"
        form = choose(t("export.form"), names, control="radio", captions=helps, key=key)
        if form == SHEETS:
            _show_sheets_export(run)
        else:
            _show_download(run, form, _choose_table(run) if form == "csv" else ROWS[0])


def _choose_table(run: RunRow) -> str:
    names, key = {name: t(f"export.sheet_{name}") for name in ROWS}, f"export-table-{run.id}-{language()}"
    return choose(t("export.table"), names, control="radio", horizontal=True, key=key)


def _show_download(run: RunRow, form: Format, table: str) -> None:
    """The download of a file: at once if the run is small, else when it has been written in the background."""
    export, name = _export(run), f"{run.id}-{table}.csv" if form == "csv" else f"{run.id}.{form}"
    key = f"{run.id}-{form}-{table}-{language()}"
    options = {"mime": MIME.get(form, "text/html"), "key": f"get-{key}"}
    if run.total <= SMALL_RUN:
        download_button(t("export.download"), partial(_bytes, export, form, table), name, **options)
        return
    newest = services().store.scores.newest()
    job_key = (run.id, form, table, language(), *map(str, newest))
    job = export_jobs().get(job_key)
    if job and job.result and Path(job.result).is_file():
        opened = partial(Path(job.result).open, "rb")  # Streamlit reads and closes it
        download_button(t("export.download"), opened, name, **options)
        return
    if _show_job(job, key):
        return
    if st.button(t("export.make", n=f"{run.total:,}"), icon=":material/play_arrow:", key=f"make-{key}"):
        export_jobs().start(job_key, FileExport(export, export_jobs().path(job_key), form, table))
        st.rerun()


def _export(run: RunRow) -> Export:
    now = settings()
    index = partial(_index, run.bot)
    return Export(services().store, run.id, language(), now.pass_mark, now.alert_mark, index=index)


def _index(bot: str) -> Index | None:
    """The index of a run's bot; None if the bot was deleted."""
    known_bot = find_bot(bot)
    return services().index_of(known_bot) if known_bot else None


def _bytes(export: Export, form: Format, table: str) -> bytes:
    out = io.BytesIO()
    export.write(form, out, table)
    return out.getvalue()


def _show_job(job: FileExport | SheetsExport | None, key: str) -> bool:
    """Show the error of the last export, or the progress of a running one; whether one runs."""
    if job and job.error:
        show_error(job.error)
    if not job or not job.pending:
        return False
    watch(lambda: job.pending, lambda: draw_progress(job, "export.making", f"stop-{key}"))
    return True


def _show_sheets_export(run: RunRow) -> None:
    """Send a run to a spreadsheet shared with the owner's service account, or say how to set one up."""
    if not settings().google_service_account:
        st.info(t("export.sheets_how"), icon=":material/info:")
        return
    with show_errors():
        mail = service_account_email(Path(settings().google_service_account).expanduser())
        st.caption(t("export.sheets_share"))
        st.code(mail, language=None)
        where = st.text_input(t("export.sheets_where"), key=f"sheets-where-{run.id}", placeholder="https://…").strip()
        key = (run.id, SHEETS)
        job = export_jobs().get(key)
        if job and job.result:
            st.success(f"{t('export.sheets_done')} {plain(job.result)}", icon=":material/check:")
        label = t("export.sheets_send")
        if _show_job(job, f"{run.id}-sheets"):
            return
        if st.button(label, icon=":material/upload:", disabled=not where, key=f"send-{run.id}"):
            export_jobs().start(key, SheetsExport(_export(run), where))
            st.rerun()
