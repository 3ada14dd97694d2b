"""A run written in any format: workbook, CSV, JSON Lines, HTML report, Google Sheets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from core.analysis.failures.entries import Failures
from core.analysis.failures.find import find_failures
from core.analysis.provenance import provenance
from core.analysis.run_totals import RunTotals, run_totals
from core.base.bot_folder import find_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.translate import translator
from core.base.types import OVERALL, Language
from core.export.csv import write_csv
from core.export.google_sheets import write_google_sheets
from core.export.html import write_html
from core.export.jsonl import write_jsonl
from core.export.layout import ExportRow, Layout
from core.export.sheets import rows_of
from core.export.xlsx import write_xlsx
from core.judges.registry import lower_is_better
from core.retrieval.index import Index
from core.store.export_records import ExportedConversation, ExportedRun, RunJudge
from core.store.main_scores import main_judge
from core.store.store import Store

Format = Literal["xlsx", "csv", "jsonl", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
OnProgress = Callable[[int], object]


@dataclass(frozen=True)
class Export:
    """Writes one run in a language; raises BadInput if there is no such run.

    pass_mark: of the run, alert_mark: of a single answer, 0 to 1; on_progress: called after each conversation with the
    number written so far, stops the export by raising; index: gives the index of the bot's documents, called by formats
    that list what to fix (`find_failures`).
    """

    store: Store
    run_id: str
    language: Language
    pass_mark: float
    alert_mark: float
    on_progress: OnProgress = lambda count: None
    index: Callable[[], Index | None] = lambda: None  # then causes are found without the documents

    @cached_property
    def run(self) -> ExportedRun:
        """The run with its plan and snapshot."""
        return self.store.records.run(self.run_id)

    @cached_property
    def judges(self) -> dict[str, RunJudge]:
        """Its judges with their criteria."""
        return self.store.records.judges(self.run.id)

    @cached_property
    def judge(self) -> str:
        """The judge that stands for the run: the one of turns, else its first."""
        return main_judge(self.judges)

    @cached_property
    def layout(self) -> Layout:
        """The columns and rows of all sheets."""
        criterion = self.judges[self.judge].main_criterion if self.judge in self.judges else OVERALL
        lower_criteria = lower_is_better(self.judge, find_bot(self.run.bot))
        marks = (None, None) if criterion in lower_criteria else (self.pass_mark, self.alert_mark)
        judges = self.judges or (self.judge,)
        provenances = {judge: provenance(self.store, self.run, judge) for judge in judges}
        t = translator(self.language)
        return Layout(self.run, t, self.judge, criterion, *marks, lower_criteria, provenances)

    @cached_property
    def totals(self) -> RunTotals:
        """What the run comes to."""
        layout = self.layout
        return run_totals(self.store, self.run, layout.judge, layout.criterion, layout.pass_mark)

    @cached_property
    def failures(self) -> Failures:
        """The turns that lost points, each with its cause, as the page *What to fix* lists them at first."""
        return find_failures(self.store, self.run.id, index=None if self.run.is_answer_file else self.index())

    def write(self, form: Format, out: BinaryIO, sheet: str = "conversations") -> None:
        """Write the run in one form; `sheet` says of which table a CSV file is (`core.export.layout.ROWS`)."""
        if form == "xlsx":
            write_xlsx(out, self.layout, self.rows())
        elif form == "csv":
            write_csv(out, self.layout, self.conversations(), sheet)
        elif form == "jsonl":
            write_jsonl(out, self.layout, self.conversations(records=True))
        elif form == "html":
            write_html(out, self.layout, self.conversations(records=True), self.totals, self.failures)
        else:
            raise ValueError(f"unknown export format {form!r}")

    def to_sheets(self, where: str, share: str = "") -> str:
        """Send the run to Google Sheets (`core.export.google_sheets.write_google_sheets`) and give the address of the spreadsheet.

        Raises BadInput also if no service account is set.
        """
        if not settings().google_service_account:
            message = (
                "No Google service account is set. Set KIKU_GOOGLE_SERVICE_ACCOUNT to its JSON key file and try again."
            )
            raise BadInput(message, "no_service_account")
        key_file = Path(settings().google_service_account).expanduser()
        return write_google_sheets(key_file, where, self.layout, self.rows(), share)

    def rows(self) -> Iterator[tuple[str, ExportRow]]:
        """The rows of a workbook's sheets."""
        return rows_of(self.layout, self.conversations(), self.totals, self.failures)

    def conversations(self, records: bool = False) -> Iterator[ExportedConversation]:
        """The conversations, one by one."""
        for count, conversation in enumerate(self.store.records.conversations(self.run.id, records=records), 1):
            yield conversation
            self.on_progress(count)
