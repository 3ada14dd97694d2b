"""A run as a CSV file that opens right in a spreadsheet.

UTF-8 with a byte order mark, no text taken for a formula, and no cell longer than Excel holds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import BinaryIO

from core.base.formulas import escape_formula
from core.export.cells import EXCEL, fit_cell
from core.export.layout import Layout, Value, headings
from core.store.export_records import ExportedConversation

BOM = b"\xef\xbb\xbf"


def write_csv(
    out: BinaryIO, layout: Layout, conversations: Iterable[ExportedConversation], sheet: str = "conversations"
) -> None:
    """One of the sheets with a row per conversation, turn or verdict (`core.export.layout.ROWS`)."""
    out.write(BOM)
    text = io.TextIOWrapper(out, "utf-8", newline="", write_through=True)
    try:
        rows = csv.writer(text, lineterminator="\r\n")
        note = layout.t("export.cut")
        rows.writerow([_cell(heading, note) for heading in headings(layout.columns(sheet))])
        for conversation in conversations:
            rows.writerows([_cell(value, note) for value in row.cells] for row in layout.rows(sheet, conversation))
    finally:
        text.detach()


def _cell(value: Value, note: str) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, float):
        return round(value, 6)
    return (
        escape_formula(fit_cell(value, EXCEL - 1, note)) if isinstance(value, str) else value
    )  # 1: an apostrophe may come
