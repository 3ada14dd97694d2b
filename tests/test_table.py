"""Answers from anywhere: files in three formats, columns by many names."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from core.base.errors import BadInput
from core.run.mapping import answers_of, guess_mapping
from core.run.table import columns_of, read_table

CSV = "番号,質問,回答,模範解答\n1,期限は?,10日です,10日\n\n2,=1+1,,"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_a_csv_is_read_whatever_excel_wrote(encoding: str) -> None:
    rows = read_table("a.csv", CSV.encode(encoding))
    assert [row["質問"] for row in rows] == ["期限は?", "=1+1"]
    assert guess_mapping(columns_of(rows)) == {
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
        (answer,) = answers_of(rows := read_table("a.jsonl", data.encode()), guess_mapping(columns_of(rows)))
        assert answer.sample.contexts == ("one", "two") and answer.sample.reference == ("x", "y") and answer.id == "1"


def test_a_cell_may_hold_a_list_as_json_or_one_item_a_line() -> None:
    rows = [{"question": "q", "answer": "a", "keypoints": "one\ntwo", "contexts": '["a b", "c"]', "reference": "x\ny"}]
    (answer,) = answers_of(rows, guess_mapping(columns_of(rows)))
    assert answer.sample.keypoints == ("one", "two") and answer.sample.contexts == ("a b", "c")
    assert answer.sample.reference == ("x\ny",)


def test_a_history_is_told_by_its_roles() -> None:
    rows = [
        {
            "question": "q",
            "answer": "a",
            "history": [{"role": "user", "content": "hi"}, {"role": "bot", "text": "ho"}, 3],
        }
    ]
    (answer,) = answers_of(rows, guess_mapping(columns_of(rows)))
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
def test_what_cannot_be_read_is_told(name: str, data: bytes, key: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_table(name, data)
    assert caught.value.key == key


def test_question_and_answer_must_have_columns() -> None:
    with pytest.raises(BadInput, match="answer"):
        answers_of([{"question": "q"}], {"question": "question"})
