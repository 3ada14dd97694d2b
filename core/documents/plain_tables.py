"""Tables of plain text, with bars, tabs or columns of spaces between the cells, as Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from core.text.markdown import is_rule

# Lines with the same number of cells that are a table, by what is between the cells
MIN_ROWS_WITH_TABS, MIN_ROWS_WITH_SPACES, MIN_ROWS_WITH_BARS = 2, 3, 2
MIN_ROWS_WITH_ONE_BAR = 3  # the same, of lines of two cells without a rule below the first
_SPACES = re.compile(r"(?<=\S)(?: {2,}|\u3000{2,})(?=\S)")
_BAR = re.compile(r"(?<!\\)\||｜")
_BULLET = re.compile(r"(?:[-*•・●○◦■□◆]|\d{1,2}[.)）])\s*\t")  # of a list, as Word writes it to plain text
_ITEM = re.compile(r"[-*+•・●○◦■□◆>#]\s")
_FENCE = re.compile(r"\s{0,3}```")
_RULE = re.compile(r"(?:(?![-=]{3})[-=:+|｜ ])*[-=]{3}[-=:+|｜ ]*+")
_DIGIT = re.compile(r"\d")


def with_markdown_tables(lines: Sequence[str]) -> list[str]:
    """The lines, those of tables in plain text as lines of Markdown tables; of a table without names of columns, two
    cells as a name and a value ("Thornby: 6:00 to 20:00"), more as they are."""
    found: list[str] = []
    for (kind, _), group in groupby(zip(lines, _kinds(lines), strict=True), key=lambda pair: pair[1]):
        run = [line for line, _ in group]
        if kind == "tabs" and len(run) >= MIN_ROWS_WITH_TABS:
            run = _as_table([line.strip().split("\t") for line in run], run)
        elif kind == "spaces" and len(run) >= MIN_ROWS_WITH_SPACES:
            run = _as_table([_SPACES.split(line.strip()) for line in run], run)
        elif kind == "bars" and len(run) >= MIN_ROWS_WITH_BARS:
            run = _with_bars(run)
        found.extend(run)
    return found


def _kinds(lines: Sequence[str]) -> list[tuple[str, int]]:
    """(separator between the cells of a line, or "", number of separators) of each line; code has no cells."""
    kinds: list[tuple[str, int]] = []
    in_code = False
    for place, line in enumerate(lines):
        if _FENCE.match(line):
            in_code = not in_code
        if in_code:
            kinds.append(("", 0))
        elif kinds and kinds[-1][0] == "bars" and _RULE.fullmatch(line) and _has_bars(lines[place + 1 : place + 2]):
            kinds.append(kinds[-1])
        else:
            kinds.append(_kind(line))
    return kinds


def _kind(line: str) -> tuple[str, int]:
    plain = line.strip()
    if plain.startswith("|") or _BULLET.match(plain):
        return "", 0
    if "\t" in plain:
        return "tabs", 0  # an empty last cell may be missing
    if _has_bars([plain]):
        return "bars", 0
    cells = len(_SPACES.split(plain))
    return ("spaces", cells) if cells > 1 else ("", 0)


def _has_bars(lines: Sequence[str]) -> bool:
    """Whether there are lines, and all are rows with bars between the cells and none before the first."""
    return bool(lines) and all(
        _BAR.search(line) and not line.lstrip().startswith(("|", "｜")) and not _ITEM.match(line.lstrip())
        for line in lines
    )


def _with_bars(lines: list[str]) -> list[str]:
    """A table with bars between the cells, or the lines as they are: those of a table have as many cells each, and a rule
    below the first or more than a few rows."""
    has_rule = is_rule(lines[1]) or bool(_RULE.fullmatch(lines[1]))
    rows = [
        [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip())]
        for place, line in enumerate(lines)
        if not (_RULE.fullmatch(line) or (has_rule and place == 1))
    ]
    if all(not row[-1] for row in rows):  # a bar at the end of each line
        rows = [row[:-1] for row in rows]
    columns = len(rows[0])
    if columns < 2 or any(len(row) > columns if has_rule else len(row) != columns for row in rows):
        return lines
    if has_rule:
        return markdown_table([[*row, *[""] * (columns - len(row))] for row in rows])
    least = MIN_ROWS_WITH_ONE_BAR if columns == 2 else MIN_ROWS_WITH_BARS
    return _as_table(rows, lines) if len(rows) >= least else lines


def _as_table(rows: list[list[str]], lines: list[str]) -> list[str]:
    rows = [[cell.strip() for cell in cells] for cells in rows]
    columns = max(map(len, rows))
    if columns == 2 and any(map(_DIGIT.search, rows[0])):  # no names of columns
        return names_with_values(rows) if all(len(cells) == 2 for cells in rows) else lines
    if sum(bool(_DIGIT.match(cell)) for cell in rows[0]) > columns / 2:
        return lines
    return markdown_table([[*cells, *[""] * (columns - len(cells))] for cells in rows])


def names_with_values(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of two cells as the items of a list: "- Thornby: 6:00 to 20:00"."""
    return ["- " + ": ".join(cells) for cells in rows]


def markdown_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table; rows: those of cells, all as long, the header first."""
    texts = ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows]
    return [texts[0], "|" + " --- |" * len(rows[0]), *texts[1:]]
