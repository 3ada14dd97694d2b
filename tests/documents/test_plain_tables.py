"""Tables of plain text as Markdown tables."""

from core.documents.documents import Document
from core.documents.heading_names import last_heading
from core.documents.passages import passages
from core.documents.plain_tables import with_markdown_tables


def test_rows_with_tabs_are_a_table_with_the_first_as_names_of_columns():
    text = "基本料金です。\n口径\t金額 10%込\t用途\n13mm\t1,560円\t住宅\n20mm\t2,480円\n以上です。"
    assert with_markdown_tables(text.splitlines()) == [
        "基本料金です。",
        "| 口径 | 金額 10%込 | 用途 |",
        "| --- | --- | --- |",
        "| 13mm | 1,560円 | 住宅 |",
        "| 20mm | 2,480円 |  |",
        "以上です。",
    ]


def test_columns_of_spaces_are_a_table_or_names_with_values():
    prices = ["Size        To       Price", "Small       45 cm    3.45", "Medium      60 cm    4.95"]
    assert with_markdown_tables(prices)[2] == "| Small | 45 cm | 3.45 |"
    extras = ["Saturday delivery     3.00", "Signature             1.10", "Age check             2.40"]
    assert with_markdown_tables(extras)[0] == "- Saturday delivery: 3.00"


def test_bars_without_outer_ones_are_a_table():
    kept = ["Thing | Kept for | Then", "Keys | 3 months | destroyed", "Coats | 6 weeks | "]
    assert with_markdown_tables(["See below.", *kept, "", "End."]) == [
        "See below.",
        "| Thing | Kept for | Then |",
        "| --- | --- | --- |",
        "| Keys | 3 months | destroyed |",
        "| Coats | 6 weeks |  |",
        "",
        "End.",
    ]
    assert with_markdown_tables(["品目 | 金額", "--- | ---", "台車 | 300円"])[2] == "| 台車 | 300円 |"
    assert (
        with_markdown_tables(["Item | Fee |", "-----------", "Ladder \\| steps | 8 |"])[2] == "| Ladder \\| steps | 8 |"
    )
    assert with_markdown_tables(["種別｜金額｜備考", "大人｜300円｜税込"])[0] == "| 種別 | 金額 | 備考 |"
    hours = ["Mill Road | 8:00", "Thornby | 9:00", "Quayside | 10:00"]
    assert with_markdown_tables(hours)[1] == "- Thornby: 9:00"


def test_what_is_no_table_stays():
    for lines in (
        ["・\t本をなくしたとき", "・\t本を汚したとき"],
        ["1.\tOpen the app.", "2.\tPress Pay."],
        ["| a  | b |", "| - | - |", "| 1  | 2 |"],
        ["One sentence.  Another one.", "No second space."],
        ["1  Ireland   11.90  3", "2  Norway    13.90  4", "3  Canada    21.50  5"],  # no names of columns
        ["\tindented", "\tlines"],
        ["Home | Contact", "Prices | Imprint"],
        ["- a | b | c", "- d | e | f"],
        ["```", "cat a | sort | uniq", "cat b | sort | uniq", "```"],
        ["a | b | c", "d | e"],
    ):
        assert with_markdown_tables(lines) == lines


def test_a_bar_in_a_cell_is_escaped():
    assert with_markdown_tables(["a\tb|c", "d\te"])[0] == "| a | b\\|c |"


def test_passages_hold_the_table():
    found = passages(Document("prices.txt", "PRICES\n\n1. SIZES\n\nSize\tPrice\nSmall\t3.45\n"))
    assert "| Small | 3.45 |" in found[0].text


def test_a_number_before_a_japanese_heading_is_no_part_of_its_name():
    assert last_heading("７ 減免制度（福祉）") == "減免制度（福祉）"
    assert [last_heading(one) for one in ("3 か月の研修", "6 things", "12 月の予定")] == [
        "3 か月の研修",
        "6 things",
        "12 月の予定",
    ]
