"""`index`: which documents it leaves out, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.settings import settings


@pytest.fixture
def documents(home: Path) -> Path:
    """The documents folder of a bot with one good document."""
    folder = settings().knowledge_dir / "leave"
    (folder / "documents").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "x"\nlanguage = "ja"\n', "utf-8")
    (folder / "documents" / "a.md").write_text("# 休暇\n\n年に10日です。\n", "utf-8")
    return folder / "documents"


def test_documents_that_are_left_out_are_named_with_the_reason(documents: Path, capsys: pytest.CaptureFixture[str]):
    (documents / "letters.md").write_bytes(b"\xff\xfe")
    (documents / "long.md").write_text("# a\n\nb\n\n" * 6_000, "utf-8")
    (documents / "slides.pdf").write_bytes(b"%PDF")
    (documents / ".hidden").write_bytes(b"")
    assert main(["index", "--bot", "leave", "--json"]) == 0
    output = capsys.readouterr()
    counts = json.loads(output.out)
    assert counts["documents"] == 1 and len(counts["left_out"]) == 3
    assert "letters.md is not UTF-8" in output.err and "long.md is too large" in output.err
    assert "slides.pdf is not a .md, .txt, .csv or .tsv file" in output.err and "hidden" not in output.err


def test_a_table_is_a_document_and_a_torn_one_is_named(documents: Path, capsys: pytest.CaptureFixture[str]):
    (documents / "fees.csv").write_bytes("手続き,手数料\n再発行,500円\n".encode("cp932"))
    (documents / "torn.csv").write_text("a,b\n1,2,3\n", "utf-8")
    assert main(["index", "--bot", "leave", "--json"]) == 0
    output = capsys.readouterr()
    counts = json.loads(output.out)
    assert (counts["documents"], counts["passages"], counts["remarks"]) == (2, 2, [])
    assert (
        "torn.csv cannot be read (row 2 has 3 cells, but the header has 2; delete lines above the table," in output.err
    )
    assert main(["ask", "再発行の手数料はいくらですか", "--bot", "leave"]) == 0
    assert "500円" in capsys.readouterr().out


def test_a_document_without_text_is_named(documents: Path, capsys: pytest.CaptureFixture[str]):
    (documents / "zero.md").write_bytes(b"")
    assert main(["index", "--bot", "leave"]) == 0
    assert "1 document holds no text and cannot be found: zero.md" in capsys.readouterr().err


def test_nothing_is_said_where_nothing_is_left_out(documents: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["index", "--bot", "leave"]) == 0
    assert "left out" not in capsys.readouterr().err


def test_what_could_be_mended_is_told_in_plain_words(documents: Path, capsys: pytest.CaptureFixture[str]):
    long = "この文は長さを合わせるためのものです。" * 60
    (documents / "plain.txt").write_text(long, "utf-8")
    (documents / "rules.md").write_text(f"# 規則\n\n## 貸し出し\n{long}\n\n## その他\n傘もあります。\n", "utf-8")
    assert main(["index", "--bot", "leave", "--json"]) == 0
    output = capsys.readouterr()
    assert {remark["kind"] for remark in json.loads(output.out)["remarks"]} == {
        "no_headings",
        "long_section",
        "weak_heading",
    }
    assert "without headings" in output.err and "plain.txt" in output.err
    assert "rules.md › 貸し出し" in output.err and "rules.md › その他" in output.err and "a.md" not in output.err
