"""Taking a run away: one button with every form; large files are written in the background first."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import streamlit as st

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.export.background import ExportJobs, FileExport, SheetsExport
from core.export.google_sheets import service_account_email
from core.export.layout import ROWS
from core.export.run_export import FORMATS, Export, Format
from core.store.records import RunRow
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import error_text, language, t
from pages.results.failure_data import index_of

if TYPE_CHECKING:
    from core.retrieval.index import Index

AT_ONCE = 200  # conversations that are written while the person waits
MIME = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "html": "text/html",
}
SHEETS = "sheets"


@st.cache_resource(show_spinner=False, on_release=lambda exports: exports.close())
def exports() -> ExportJobs:
    """What is being written on this server."""
    return ExportJobs(settings().data_dir / "exports")


def export_menu(run: RunRow) -> None:
    """A button that opens the forms in which a run can be taken away."""
    with st.popover(t("export.title"), icon=":material/download:", key=f"export-{run.id}"):
        names = {name: t(f"export.form_{name}") for name in (*FORMATS, SHEETS)}
        form = st.radio(
            t("export.form"),
            list(names),
            format_func=lambda name: names.get(name, name),
            captions=[t(f"export.form_{name}_help") for name in names],
            key=f"export-form-{run.id}-{language()}",
        )
        if form == SHEETS:
            _sheets(run)
        elif form:
            _file(run, form, _table(run) if form == "csv" else ROWS[0])


def _table(run: RunRow) -> str:
    """Which table a CSV file holds."""
    names = {name: t(f"export.sheet_{name}") for name in ROWS}
    chosen = st.radio(
        t("export.table"),
        ROWS,
        format_func=lambda name: names.get(name, name),
        horizontal=True,
        key=f"export-table-{run.id}-{language()}",
    )
    return str(chosen or ROWS[0])


def _file(run: RunRow, form: Format, table: str) -> None:
    """The file to download: at once where the run is small, else once it is written."""
    export, name = _export(run), f"{run.id}-{table}.csv" if form == "csv" else f"{run.id}.{form}"
    looks = {"file_name": name, "mime": MIME[form], "icon": ":material/download:", "on_click": "ignore"}
    key = f"{run.id}-{form}-{table}-{language()}"
    if run.total <= AT_ONCE:
        st.download_button(t("export.download"), lambda: _bytes(export, form, table), key=f"get-{key}", **looks)
        return
    stamp = services().store.newest_ids()
    of = (run.id, form, table, language(), *(str(one) for one in stamp))
    job = exports().get(of)
    if job and job.result and Path(job.result).is_file():
        path = job.result
        st.download_button(t("export.download"), lambda: _opened(path), key=f"get-{key}", **looks)
        return
    _show_error(job)
    if job and job.pending:
        _watch(job, key)
    elif st.button(t("export.make", n=f"{run.total:,}"), icon=":material/play_arrow:", key=f"make-{key}"):
        exports().start(of, FileExport(export, exports().path(of), form, table))
        st.rerun()


def _export(run: RunRow) -> Export:
    return Export(services().store, run.id, language(), settings().pass_mark, index=lambda: _index(run.bot))


def _index(bot: str) -> Index | None:
    """The index of a run's bot; none where the bot is gone."""
    with suppress(BadInput):
        return index_of(load_bot(bot))
    return None


def _bytes(export: Export, form: Format, table: str) -> bytes:
    out = io.BytesIO()
    export.write(form, out, table)
    return out.getvalue()


def _opened(path: str) -> BinaryIO:
    """The file, which Streamlit reads and closes."""
    return Path(path).open("rb")


def _watch(job: FileExport | SheetsExport, key: str) -> None:
    """How far a file is, looked at every second until it is there."""

    @st.fragment(run_every=1.0)
    def draw() -> None:
        if not job.pending:
            st.rerun()
        share = job.done / job.total if job.total else 0.0
        st.progress(min(1.0, share), t("export.making", done=f"{job.done:,}", total=f"{job.total:,}"))
        st.button(t("batch.stop"), icon=":material/stop:", key=f"stop-{key}", on_click=job.stop)

    draw()


def _show_error(job: FileExport | SheetsExport | None) -> None:
    if job and job.error:
        st.error(plain(error_text(job.error)), icon=":material/error:")


def _sheets(run: RunRow) -> None:
    """A run to a spreadsheet that is shared with the owner's service account; where there is none, how to get one."""
    if not settings().google_service_account:
        st.info(t("export.sheets_how"), icon=":material/info:")
        return
    with show_errors():
        mail = service_account_email(Path(settings().google_service_account).expanduser())
        st.caption(t("export.sheets_share"))
        st.code(mail, language=None)
        where = st.text_input(t("export.sheets_where"), key=f"sheets-where-{run.id}", placeholder="https://…")
        key = (run.id, SHEETS)
        job = exports().get(key)
        _show_error(job)
        if job and job.result:
            st.success(f"{t('export.sheets_done')} {plain(job.result)}", icon=":material/check:")
        if job and job.pending:
            _watch(job, f"{run.id}-sheets")
        elif st.button(
            t("export.sheets_send"), icon=":material/upload:", disabled=not where.strip(), key=f"send-{run.id}"
        ):
            exports().start(key, SheetsExport(_export(run), where.strip()))
            st.rerun()
