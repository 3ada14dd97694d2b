"""A run as a CSV file that opens right in a spreadsheet.

UTF-8 with a byte order mark, no text taken for a formula, and no cell longer than Excel holds. The last columns say
which engine replied, which judged, and how far that judge agrees with people.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import repeat
from typing import BinaryIO

from core.analysis.provenance import agreement_with_people, speaker_name
from core.base.tables import escape_formula
from core.export.cells import MAX_EXCEL_LETTERS, fit_cell
from core.export.layout import CellValue, Layout, headings
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
        columns = [*layout.columns(sheet), *(layout.column(name, 0) for name in ("replied", "judged", "agreement"))]
        rows.writerow([_cell(heading, note) for heading in headings(columns)])
        t = layout.t
        engines = {
            judge: (speaker_name(t, origin.replied), speaker_name(t, origin.judged), agreement_with_people(t, origin))
            for judge, origin in layout.provenances.items()
        }
        for conversation in conversations:
            for row, judge in zip(layout.rows(sheet, conversation), _judges(layout, sheet, conversation), strict=False):
                rows.writerow([_cell(value, note) for value in (*row.cells, *engines[judge])])
    finally:
        text.detach()


def _judges(layout: Layout, sheet: str, conversation: ExportedConversation) -> Iterator[str]:
    """Whose verdict each row shows."""
    if sheet == "scores":
        return (verdict.judge for turn in conversation.turns for verdict in turn.verdicts)
    return repeat(layout.judge)


def _cell(value: CellValue, note: str) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, str):
        return escape_formula(fit_cell(value, MAX_EXCEL_LETTERS - 1, note))  # 1: an apostrophe may come
    return value
