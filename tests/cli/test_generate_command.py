"""The command `generate`: files from a bot's documents, a folder from seed documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.simulation.scenarios import parse_scenarios


def test_questions_of_a_bot_as_scenarios_and_with_all_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, rows = tmp_path / "q.csv", tmp_path / "q.jsonl"
    for out in (table, rows):
        assert main(["generate", "--bot", "harbor", "--out", str(out), "--count", "20", "--seed", "1"]) == 0
    scenarios = parse_scenarios(table.read_text("utf-8"))
    items = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert [one.question for one in scenarios] == [one["question"] for one in items]
    assert all(one.evidence for one in scenarios if one.kind == "faq")
    assert "20 questions" in capsys.readouterr().err


def test_a_folder_from_seed_documents_is_gone_on_with_and_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = "core/datasets/examples/en"
    arguments = ["generate", "--seed-documents", seeds, "--out", str(tmp_path / "set"), "--count", "2"]
    assert main(arguments) == 0
    first = (tmp_path / "set" / "items.jsonl").read_bytes()
    assert main(arguments) == 0
    assert (tmp_path / "set" / "items.jsonl").read_bytes() == first
    (questions := tmp_path / "set" / "questions.csv").write_text("question\nWhere?\n", "utf-8")
    assert main(arguments) == 0
    assert questions.with_stem("questions-2").read_text("utf-8") == "question\nWhere?\n"
    assert "questions-2.csv" in capsys.readouterr().err and len(list((tmp_path / "set").glob("*.csv"))) == 2
    assert main([*arguments, "--seed", "5"]) == 2
    assert "another test set" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_a_folder_without_documents_is_one_clear_line(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "--seed-documents", str(tmp_path / folder), "--out", str(tmp_path / "set")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_test_set_is_made_after_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# A\n\nThe fee is 5 dollars.\n")
    assert main(["generate", "--seed-documents", str(tmp_path), "--out", str(tmp_path / "set")]) == 2
    assert "modelled on one" in capsys.readouterr().err


def test_a_file_of_another_kind_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 \xff")
    assert main(["generate", "--seed-documents", str(tmp_path / "a.pdf"), "--out", str(tmp_path / "set")]) == 2
    assert "a.pdf is not a .md, .txt, .csv or .tsv file" in capsys.readouterr().err


def test_a_table_can_be_the_seed_document_and_is_gone_on_with(tmp_path: Path) -> None:
    seed, out = tmp_path / "fees.csv", tmp_path / "set"
    seed.write_text("Item,Fee,Deposit\nTrolley,5 dollars,20 dollars\nLadder,8 dollars,30 dollars\n")
    arguments = ["generate", "--seed-documents", str(seed), "--out", str(out), "--count", "1", "--language", "en"]
    assert main(arguments) == main(arguments)
    assert [file.name for file in (out / "seeds").glob("*")] in ([], ["fees.md"])


def test_a_document_without_facts_can_be_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed, out = tmp_path / "a.md", tmp_path / "set"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    arguments = ["generate", "--seed-documents", str(seed), "--out", str(out), "--count", "1"]
    seed.write_text("# A\n# B\n")
    assert main(arguments) == 2
    assert "a.md states no facts" in capsys.readouterr().err and (out / "notes.txt").read_text() == "mine"
    seed.write_text("# A\n\nThe fee is 5 dollars. The deposit is 20 dollars.\n")
    assert main(arguments) == 0


@pytest.mark.usefixtures("home")
def test_documents_that_are_left_out_are_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = home / "knowledge" / "komachi" / "documents"
    (documents / "old.md").write_bytes("# 休暇".encode("cp932"))
    assert main(["generate", "--bot", "komachi", "--out", str(home / "q.csv"), "--count", "2"]) == 0
    assert "komachi leaves out old.md, which cannot be read" in capsys.readouterr().err
    assert main(["ask", "交通費の精算の期限は", "--bot", "komachi"]) == 0
    assert "leaves out old.md" in capsys.readouterr().err
    for file in documents.iterdir():
        file.unlink()
    (documents / "handbook.pdf").write_bytes(b"%PDF")
    assert main(["simulate", "--bot", "komachi", "--limit", "1"]) == 0
    said = capsys.readouterr().err
    assert "komachi has no .md, .txt, .csv or .tsv documents" in said and "index --bot komachi" in said
