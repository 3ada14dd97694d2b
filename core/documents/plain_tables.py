"""Tables of plain text, with tabs or columns of spaces between the cells, as Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

# Lines that are a table if they have the same number of cells: with tabs between them, and with spaces.
MIN_ROWS_WITH_TABS = 2
MIN_ROWS_WITH_SPACES = 3
_SPACES = re.compile(r"(?<=\S)(?: {2,}|\u3000{2,})(?=\S)")
_BULLET = re.compile(r"(?:[-*•・●○◦■□◆]|\d{1,2}[.)）])\s*\t")  # of a list, as Word writes it to plain text
_DIGIT = re.compile(r"\d")


def with_markdown_tables(lines: Sequence[str]) -> list[str]:
    """The lines, those of tables in plain text as lines of Markdown tables; of a table without names of columns, two
    cells as a name and a value ("Thornby: 6:00 to 20:00"), more as they are."""
    found: list[str] = []
    for (kind, _), group in groupby(lines, key=_kind):
        run = list(group)
        if kind == "tabs" and len(run) >= MIN_ROWS_WITH_TABS:
            run = _as_table([line.strip().split("\t") for line in run], run)
        elif kind == "spaces" and len(run) >= MIN_ROWS_WITH_SPACES:
            run = _as_table([_SPACES.split(line.strip()) for line in run], run)
        found.extend(run)
    return found


def _kind(line: str) -> tuple[str, int]:
    """(what is between the cells of a line, or "", how many there are)."""
    plain = line.strip()
    if plain.startswith("|") or _BULLET.match(plain):
        return "", 0
    if "\t" in plain:
        return "tabs", 0  # an empty last cell may be missing
    cells = len(_SPACES.split(plain))
    return ("spaces", cells) if cells > 1 else ("", 0)


def _as_table(rows: list[list[str]], lines: list[str]) -> list[str]:
    rows = [[cell.strip() for cell in cells] for cells in rows]
    columns = max(map(len, rows))
    if columns == 2 and any(map(_DIGIT.search, rows[0])):  # no names of columns
        return ["- " + ": ".join(cells) for cells in rows] if all(len(cells) == 2 for cells in rows) else lines
    if sum(bool(_DIGIT.match(cell)) for cell in rows[0]) > columns / 2:
        return lines
    texts = ["| " + " | ".join(_escaped(cells, columns)) + " |" for cells in rows]
    return [texts[0], "|" + " --- |" * columns, *texts[1:]]


def _escaped(cells: list[str], columns: int) -> list[str]:
    return [cell.replace("|", "\\|") for cell in [*cells, *[""] * (columns - len(cells))]]
