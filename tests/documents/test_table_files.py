"""Files of tables (.csv, .tsv) as documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Hit
from core.bot.choices.section_names import section_choices
from core.documents.document_checks import document_problems
from core.documents.documents import Document, add_document, document_text, read_documents, skipped_files, unreadable
from core.documents.passages import MAX_PASSAGE_CHARACTERS, passages
from core.documents.table_files import table_file_text, table_title

FEES = "手続き,手数料,備考\n再発行,500円,当日\n変更,無料,\n"
TABLE = "| 手続き | 手数料 | 備考 |\n| --- | --- | --- |\n| 再発行 | 500円 | 当日 |\n| 変更 | 無料 |  |\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_a_table_is_read_whatever_excel_wrote(encoding: str):
    assert document_text("fees.csv", FEES.encode(encoding)) == TABLE
    assert document_text("fees.TSV", FEES.replace(",", "\t").encode(encoding)) == TABLE
    assert document_text("fees.csv", FEES.replace(",", ";").encode(encoding)) == TABLE


def test_signs_of_western_europe_are_no_japanese_letters():
    assert (
        "| Café | £4.50 |" in document_text("menu.csv", "Item,Price,Note\nCafé,£4.50,€ too\n".encode("cp1252")) + " |"
    )
    assert "don’t" in document_text("rules.csv", "Rule,Note\ndon’t run,£5\n".encode("cp1252"))


def test_quoted_cells_stay_whole_and_empty_rows_and_columns_are_left_out():
    text = 'Item,,Price,Note\n\n"Box, small",,4.50,"a | b\nsecond line"\n,,,\n"Say ""hi""",,1,\n'
    assert document_text("a.csv", text.encode()).splitlines()[2:] == [
        "| Box, small | 4.50 | a \\| b second line |",
        '| Say "hi" | 1 |  |',
    ]


def test_titles_above_and_notes_below_the_table_are_text():
    text = "Prices 2026,,\n,,\nItem,Price,Note\nBox,4.50,\n* with VAT,,\n"
    assert document_text("a.csv", text.encode()).split("\n\n") == [
        "Prices 2026",
        "| Item | Price | Note |\n| --- | --- | --- |\n| Box | 4.50 |  |",
        "* with VAT\n",
    ]


def test_two_columns_without_a_header_are_names_with_values_and_one_column_is_lines():
    assert document_text("a.csv", b"Desk,555 0100\nPorter,555 0101\n") == "- Desk: 555 0100\n- Porter: 555 0101\n"
    assert document_text("a.csv", b"First line\n\nSecond line\n") == "First line\nSecond line"


def test_a_torn_table_or_one_of_unknown_letters_gives_one_sentence_and_stays(
    fresh_settings: pytest.MonkeyPatch, tmp_path: Path
):
    files = {
        "torn.csv": (b"a,b\n1,2,3\n", "row 2 has 3 cells, but the header has 2; delete lines above the table"),
        "open.csv": (b'a,b\n"1,2\n', "a quotation mark is not closed"),
        "bytes.csv": (bytes([0x81, 0xFF, 0xFF, 0xFE, 0]), "Save it as UTF-8"),
    }
    fresh_settings.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path))
    folder = tmp_path / "desk"
    (folder / "documents").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "Desk"\nlanguage = "en"\n', "utf-8")
    (folder / "questions.csv").write_text("question\nWhere?\n", "utf-8")
    for name, (data, sentence) in files.items():
        with pytest.raises(BadInput, match=sentence):
            add_document(load_bot("desk"), name, data)
        (folder / "documents" / name).write_bytes(data)
    bot = load_bot("desk")
    assert sorted(unreadable(bot)) == sorted(one.name for one in skipped_files(bot)) == sorted(files)
    assert [one.why.key for one in skipped_files(bot)] == ["table_encoding", "broken_file", "broken_file"]
    assert read_documents(bot) == []  # questions.csv of the bot's folder is none
    assert {file.name: file.read_bytes() for file in (folder / "documents").iterdir()} == {
        name: data for name, (data, _) in files.items()
    }
    add_document(bot, "fees.csv", FEES.encode("cp932"))
    assert read_documents(bot) == [Document("fees.csv", TABLE)]


def test_a_table_stands_under_the_name_of_its_file_and_each_piece_has_the_header():
    rows = "".join(f"Seat {number},{number}.50,for one person and a month\n" for number in range(60))
    cut = passages(
        Document("02_price-list.csv", document_text("02_price-list.csv", f"Item,Price,Note\n{rows}".encode()))
    )
    assert len(cut) > 1 and all(len(one.text) <= MAX_PASSAGE_CHARACTERS + 100 for one in cut)
    assert {(one.title, one.heading, one.text.split("\n")[0]) for one in cut} == {
        ("price list", "price list", "| Item | Price | Note |")
    }
    assert document_problems(cut) == []  # a table needs no headings
    assert section_choices([Hit(passage=cut[0], score=1.0)]) == ("price list",)


def test_capitals_and_marks_above_a_table_are_no_headings():
    text = document_text("a.csv", "■ PRICES,\n■ OF 2026,\nItem,Price\nBox,4.50\n".encode())
    assert [one.heading for one in passages(Document("a.csv", text))] == ["a"]


def test_utf_16_that_does_not_say_so_is_no_text() -> None:
    with pytest.raises(BadInput, match="neither UTF-8 nor Shift_JIS"):
        table_file_text("prices.csv", "item,price\nbox,1\n".encode("utf-16-le"))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("n05-quoted-newlines.csv", "n05 quoted newlines"),
        ("2026-04-01-fees.csv", "2026-04-01 fees"),
        ("a  b.csv", "a b"),
    ],
)
def test_hyphens_between_words_and_doubled_spaces_are_spaces_in_a_title(name: str, title: str) -> None:
    assert table_title(name) == title
