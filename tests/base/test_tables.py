"""Answers from anywhere: files in three formats, columns by many names."""

from __future__ import annotations

import io
import json
from datetime import datetime

import openpyxl
import pandas as pd
import pytest

from core.base.errors import BadInput
from core.base.tables import columns_of, guess_columns, read_table
from core.runs.judging.answer_files import NAMES, answers_of

CSV = "番号,質問,回答,模範解答\n1,期限は?,10日です,10日\n\n2,=1+1,,"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_a_csv_is_read_whatever_excel_wrote(encoding: str) -> None:
    rows = read_table("a.csv", CSV.encode(encoding))
    assert [row["質問"] for row in rows] == ["期限は?", "=1+1"]
    assert guess_columns(columns_of(rows), NAMES) == {
        "id": "番号",
        "question": "質問",
        "answer": "回答",
        "reference": "模範解答",
    }


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_other_delimiters_and_line_breaks_in_quotes(delimiter: str) -> None:
    text = delimiter.join(["question", "answer"]) + "\n" + delimiter.join(['"a\nb"', '"x, y; z"'])
    assert read_table("a.csv", text.encode()) == [{"question": "a\nb", "answer": "x, y; z"}]


def test_a_workbook_keeps_numbers_as_they_are_written() -> None:
    out = io.BytesIO()
    pd.DataFrame({"question": ["q"], "answer": ["001"], "note": [None]}).to_excel(out, index=False)
    assert read_table("a.xlsx", out.getvalue()) == [{"question": "q", "answer": "001", "note": ""}]


def test_json_lines_and_json_lists_hold_lists() -> None:
    row = {"question": "q", "answer": "a", "contexts": ["one", {"text": "two", "score": 1}], "reference": ["x", "y"]}
    for data in (json.dumps(row), json.dumps([row])):
        (answer,) = answers_of(rows := read_table("a.jsonl", data.encode()), guess_columns(columns_of(rows), NAMES))
        assert answer.sample.contexts == ("one", "two") and answer.sample.reference == ("x", "y") and answer.id == "1"


def test_a_cell_may_hold_a_list_as_json_or_one_item_a_line() -> None:
    rows = [{"question": "q", "answer": "a", "keypoints": "one\ntwo", "contexts": '["a b", "c"]', "reference": "x\ny"}]
    (answer,) = answers_of(rows, guess_columns(columns_of(rows), NAMES))
    assert answer.sample.keypoints == ("one", "two") and answer.sample.contexts == ("a b", "c")
    assert answer.sample.reference == ("x\ny",)


def test_a_history_is_recognised_by_its_roles() -> None:
    rows = [
        {
            "question": "q",
            "answer": "a",
            "history": [{"role": "user", "content": "hi"}, {"role": "bot", "text": "ho"}, 3],
        }
    ]
    (answer,) = answers_of(rows, guess_columns(columns_of(rows), NAMES))
    assert [(said.role, said.text) for said in answer.sample.history] == [("user", "hi"), ("assistant", "ho")]


@pytest.mark.parametrize(
    ("name", "data", "key"),
    [
        ("a.pdf", b"x", "table_kind"),
        ("a", b"x", "table_kind"),
        ("a.csv", b"question\n", "no_rows"),
        ("a.csv", b"", "no_rows"),
        ("a.csv", bytes([0x81, 0xFF, 0xFF, 0xFE]), "table_encoding"),
        ("a.jsonl", b"{", "broken_file"),
        ("a.jsonl", b"[" * 100_000, "broken_file"),
        ("a.jsonl", b"3", "broken_file"),
        ("a.xlsx", b"PK not a workbook", "broken_file"),
    ],
)
def test_what_cannot_be_read_is_reported(name: str, data: bytes, key: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_table(name, data)
    assert caught.value.key == key


def test_question_and_answer_must_have_columns() -> None:
    with pytest.raises(BadInput, match="answer"):
        answers_of([{"question": "q"}], {"question": "question"})


def book(*sheets: tuple[str, list[list[object]]]) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets:
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def test_columns_that_differ_by_blanks_or_case_are_all_kept() -> None:
    rows = read_table("a.csv", b"question,Answer,answer ,answer,answer\nq,1,2,3,4\n")
    assert rows == [{"question": "q", "Answer": "1", "answer (2)": "2", "answer": "3", "answer (3)": "4"}]
    assert guess_columns(columns_of(rows), NAMES)["answer"] == "answer"
    assert guess_columns(["QUESTION", "Answer", "ANSWER"], NAMES) == {"question": "QUESTION", "answer": "Answer"}


@pytest.mark.parametrize("row", ["q,a,b", '"q\nq",a,b', "q,a,,b"])
def test_a_surplus_cell_is_reported_with_its_row(row: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_table("a.csv", f"question,answer\nx,y,,\n\n{row}\n".encode())
    assert (caught.value.key, caught.value.details["why"]) == ("broken_file", "table_surplus")
    assert caught.value.details["row"] == 4


def test_formulas_without_results_are_reported_by_column() -> None:
    with pytest.raises(BadInput) as caught:
        read_table("a.xlsx", book(("s", [["question", "answer"], ["q", "=A1"], ["q", "=A2"]])))
    assert caught.value.details["why"] == "table_formulas"
    assert (caught.value.details["n"], caught.value.details["columns"]) == (2, "B")


def test_titles_above_the_header_and_empty_sheets_are_passed_over() -> None:
    table = [["アンケート"], [], ["question", "answer"], ["q", datetime(2026, 4, 1)], [1.0, datetime(2026, 4, 1, 9)]]
    rows = read_table("a.xlsx", book(("表紙", [["はじめに"]]), ("回答", table), ("other", [["a", "b"], ["c", "d"]])))
    assert rows == [{"question": "q", "answer": "2026-04-01"}, {"question": "1", "answer": "2026-04-01 09:00:00"}]
    assert rows.sheet == "回答" and rows.unread == ("表紙", "other")


def test_any_damage_to_a_workbook_is_reported() -> None:
    data = book(("s", [["question", "answer"], ["q" * 999, "a"]]))
    shown_text = {key_of(data[:place] + b"\xff" * 40 + data[place + 40 :]) for place in range(0, len(data), 97)}
    assert "broken_file" in shown_text and shown_text <= {"", "broken_file", "no_rows", "table_bytes"}


def key_of(data: bytes) -> str:
    """What the workbook is refused for; any other error is raised."""
    try:
        read_table("a.xlsx", data)
    except BadInput as error:
        return error.key
    return ""


def test_a_very_long_cell_is_read() -> None:
    assert len(read_table("a.csv", b"question,answer\nq," + b"a" * 300_000)[0]["answer"]) == 300_000


@pytest.mark.parametrize(
    "text",
    [
        "question,answer\rq,a\r",
        '"question, long";answer\nq;a',
        "sep=;\nquestion;answer\r\nq;a",
        '"a,b\nc,d";answer\nq;a',
    ],
)
def test_line_ends_and_delimiters_of_other_programs(text: str) -> None:
    assert list(read_table("a.csv", text.encode())[0].values()) == ["q", "a"]


def test_json_of_other_programs() -> None:
    row = {"question": "q", "answer": "a"}
    assert read_table("a.json", json.dumps(row, indent=2).encode()) == [row]
    assert read_table("a.jsonl", (json.dumps(row) + "\r" + json.dumps(row)).encode()) == [row, row]
    (found,) = read_table("a.jsonl", b'{"question": "\\ud800", "answer": NaN, "n": [Infinity]}')
    assert found == {"question": "\ufffd", "answer": None, "n": [None]}


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("one\ntwo", ("one\ntwo",)),
        ("one\nmore\r\n \r\n\ntwo", ("one\nmore", "two")),
        ("['p1', \"it's\"]", ("p1", "it's")),
        ('{"text": "t"}', ("t",)),
        ([{"page_content": "p", "metadata": {}}, {"content": "c"}], ("p", "c")),
        ({"text": "t"}, ("t",)),
        ("[1] as it says", ("[1] as it says",)),
        ("{'a'}", ("{'a'}",)),
        ("[" * 5000, ("[" * 5000,)),
    ],
)
def test_passages_in_one_cell(cell: object, contexts: tuple[str, ...]) -> None:
    (answer,) = answers_of(
        [{"question": "q", "answer": "a", "contexts": cell}], guess_columns(["question", "answer", "contexts"], NAMES)
    )
    assert tuple(text.strip() for text in answer.sample.contexts) == contexts


def test_roles_in_any_case_and_no_system_messages() -> None:
    said = "[{'role': 'System', 'content': 's'}, {'role': 'User', 'content': [{'text': 'u'}]}, {'role': 'AI', 'text': 'b'}]"
    (answer,) = answers_of(
        [{"question": "q", "answer": "a", "history": said}], guess_columns(["question", "answer", "history"], NAMES)
    )
    assert [(one.role, one.text) for one in answer.sample.history] == [("user", "u"), ("assistant", "b")]


def test_an_id_used_twice_is_numbered() -> None:
    rows = [{"id": name, "question": "q", "answer": "a"} for name in ("a", "a", "a#2", "", "4")]
    assert [one.id for one in answers_of(rows, guess_columns(columns_of(rows), NAMES))] == [
        "a",
        "a#3",
        "a#2",
        "4",
        "4#2",
    ]
