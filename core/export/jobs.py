"""Exports in the background, so that a page does not wait for a large file or hold it in memory."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from core.base.files import replacing
from core.base.jobs import Job, Jobs
from core.export.run_export import Export, Format


class FileExport(Job[str]):
    """A file being written: `done` conversations of `total`; the result is its path."""

    def __init__(self, export: Export, path: Path, form: Format, table: str) -> None:
        super().__init__()
        self.total = export.run.total
        self._export, self._path, self._table = export, path, table
        self._form: Format = form

    def work(self) -> str:
        """Write the file."""
        with replacing(self._path) as out:
            replace(self._export, on_progress=self.count).write(self._form, out, self._table)
        return str(self._path)


class SheetsExport(Job[str]):
    """A run being sent to Google Sheets; the result is the address of the spreadsheet."""

    def __init__(self, export: Export, spreadsheet: str) -> None:
        super().__init__()
        self.total = export.run.total
        self._export, self._spreadsheet = export, spreadsheet

    def work(self) -> str:
        """Send the run."""
        return replace(self._export, on_progress=self.count).to_sheets(self._spreadsheet)


class ExportJobs(Jobs[tuple[str, ...], FileExport | SheetsExport]):
    """The exports of one server; its files are in a folder that goes with it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)  # of a server that died

    def path(self, key: tuple[str, ...]) -> Path:
        """Where the file of a key is written."""
        return self._folder / f"{abs(hash(key)):x}"

    def close(self, patience: float = 0.0) -> None:
        """Stop what is under way and remove the files."""
        super().close(patience)
        shutil.rmtree(self._folder, ignore_errors=True)
