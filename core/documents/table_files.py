"""Tables in files of their own (.csv, .tsv) as the text of a document: a Markdown table, with the notes around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.tables import check_surplus, csv_grid, header_row, is_filled, table_text
from core.documents.plain_tables import markdown_table, names_with_values
from core.text.language import script
from core.text.markdown import is_table_line, table_cells

TABLE_ENDINGS = (".csv", ".tsv")
MIN_COLUMNS_ABOVE_NOTE = 3  # from which a row at the end with one cell is a note below the table
TITLE_COLUMNS = 3  # columns that a title names
_VALUE = re.compile(r"[^\w]{0,2}[0-9０-９]")


def is_table_file(name: str) -> bool:
    """Whether a file is a table, by the ending of its name."""
    return name.lower().endswith(TABLE_ENDINGS)


def table_title(name: str, lines: Sequence[str] = ()) -> str:
    """The title of a table's file: its name without ending and leading number, with words separated.

    lines: of its text; a Japanese table with a name in Latin letters (kaigishitsu.csv) has its first columns in the title,
    since such a name says little.
    """
    stem = name.rpartition("/")[2].rpartition(".")[0]
    words = re.sub(r"_|(?<=\w)-(?=[^\W\d])|(?<=[^\W\d])-(?=\w)", " ", re.sub(r"^\d{1,3}[_\-. ]+(?=\S)", "", stem))
    title = " ".join(words.split()) or stem
    header = next((line for line in lines if is_table_line(line)), "")
    columns = [cell for cell in table_cells(header) if cell][:TITLE_COLUMNS] if header else []
    if not columns or script(title) != "en" or script("".join(columns)) == "en":
        return title
    return f"{title}（{'・'.join(columns)}など）"


def table_file_text(name: str, data: bytes) -> str:
    """The table of a file as a Markdown table, with the lines above and below it; "" for an empty one.

    The first row with two cells or more is the header; in a table of two columns without one, each row is a name and a
    value. Raises BadInput for an unknown encoding, an unclosed quotation mark, or a row with more cells than the
    header.
    """
    suffix = f".{name.rpartition('.')[2].lower()}"
    grid = [[" ".join(cell.split()) for cell in row] for row in csv_grid(name, table_text(name, data), suffix)]
    start = header_row(grid)
    if start is None:
        return ""
    header, rows = grid[start], [row for row in grid[start + 1 :] if any(row)]
    if _filled(header) == 1:  # one column: lines of text
        return "\n".join(cell for row in (header, *rows) for cell in row if cell)
    for number, row in enumerate(grid[start + 1 :], start + 2):
        check_surplus(name, number, row, len(header))
    below: list[str] = []
    while rows and _filled(header) >= MIN_COLUMNS_ABOVE_NOTE and rows[-1][0] and _filled(rows[-1]) == 1:
        below.insert(0, rows.pop()[0])
    above = [cell for row in grid[:start] for cell in row if cell]
    blocks = ("\n".join(lines) for lines in (above, _table(header, rows), below) if lines)
    return "\n\n".join(blocks) + "\n"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The table without empty columns."""
    padded = [[*row, *[""] * len(header)][: len(header)] for row in (header, *rows)]
    used = [place for place in range(len(header)) if any(row[place] for row in padded)]
    cells = [[row[place] for place in used] for row in padded]
    if len(used) == 2 and _VALUE.match(cells[0][1]) and all(all(row) for row in cells):
        return names_with_values(cells)
    return markdown_table(cells)


def _filled(row: Sequence[str]) -> int:
    return sum(map(is_filled, row))
