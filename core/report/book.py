"""A run as sheets, row by row: what a workbook and Google Sheets have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.base.records import Talk
from core.report import small_sheets
from core.report.fix_light import LightFindings
from core.report.layout import ROWS, Column, Layout, Row
from core.report.tally import Tally, sums

SHEETS = ("conversations", "summary", "turns", "scores", "fix", "settings")  # in order


def columns_of(layout: Layout) -> dict[str, list[Column]]:
    """The sheets in order, each with its columns."""
    return {name: layout.columns(name) if name in ROWS else small_sheets.columns(layout, name) for name in SHEETS}


def rows_of(layout: Layout, talks: Iterable[Talk], low: LightFindings) -> Iterator[tuple[str, Row]]:
    """Every row with the name of its sheet: first those of the conversations as they come, then those of the small sheets.

    `talks` is gone through once.
    """
    tally = Tally(layout.judge, layout.criterion, layout.line, worst=0)
    for talk in tally.passing(talks):
        for name in ROWS:
            for row in layout.rows(name, talk):
                yield name, row
    found = sums(tally, tally.frame(tally.judge))
    small = {
        "summary": small_sheets.summary(layout, found, low),
        "fix": small_sheets.fix(layout, low),
        "settings": small_sheets.settings(layout),
    }
    for name, rows in small.items():
        for row in rows:
            yield name, row
