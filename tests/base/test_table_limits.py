"""Tables and documents that would fill the memory are refused in a sentence."""

from __future__ import annotations

import io
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest

from core.base.errors import BadInput
from core.base.tables import MAX_BYTES, MAX_COLUMNS, read_table
from core.documents.documents import MAX_HEADINGS, decode


def _error(name: str, data: bytes) -> str:
    with pytest.raises(BadInput) as caught:
        read_table(name, data)
    assert name in str(caught.value)
    return caught.value.key


def _workbook(**cells: object) -> bytes:
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_columns_are_counted_before_anything_is_built() -> None:
    assert _error("wide.csv", b"question," * 20_000 + b"\nq,\n") == "table_columns"
    assert _error("wide.jsonl", ("{" + ",".join(f'"c{n}": 1' for n in range(MAX_COLUMNS + 1)) + "}").encode()) == (
        "table_columns"
    )
    assert _error("wide.xlsx", _workbook(A1="question", B1="answer", XFD1="far")) == "table_columns"


def test_cells_are_counted_over_all_rows() -> None:
    row = b"," * (MAX_COLUMNS - 1) + b"\n"
    assert _error("long.csv", b"question,answer\n" + row * 5_100) == "table_cells_most"


def test_a_cell_far_below_does_not_make_a_row_of_every_row_above() -> None:
    assert len(read_table("far.xlsx", _workbook(A1="question", B1="answer", A2="q", B2="a", A200000="last"))) == 2


def test_a_workbook_that_unpacks_to_too_much_is_not_unpacked() -> None:
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as packed, packed.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(MAX_BYTES // 1_000_000 + 1):
            part.write(b" " * 1_000_000)
    assert len(out.getvalue()) < 1_000_000
    assert _error("bomb.xlsx", out.getvalue()) == "table_bytes"


def test_a_merged_range_of_the_whole_sheet_is_not_filled_with_cells() -> None:
    book = openpyxl.Workbook()
    book.active.append(["question", "answer"])
    book.active.append(["q", "a"])
    packed, out = io.BytesIO(), io.BytesIO()
    book.save(packed)
    with ZipFile(packed) as old, ZipFile(out, "w") as new:
        for part in old.namelist():
            merged = b'</sheetData><mergeCells count="1"><mergeCell ref="A3:XFD1048576"/></mergeCells>'
            new.writestr(part, old.read(part).replace(b"</sheetData>", merged))
    assert len(read_table("merged.xlsx", out.getvalue())) == 1


def test_a_document_with_too_many_headings_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput) as caught:
        decode("long.md", b"# a\n\nb\n\n" * (MAX_HEADINGS + 1))
    assert caught.value.key == "long_document" and "5,000" in str(caught.value)
    assert decode("fine.md", b"# a\n\nb\n\n" * MAX_HEADINGS)
