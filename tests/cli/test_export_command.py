"""The export command: several forms at once, standard output, and what cannot be written."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from core.__main__ import main
from core.base.settings import settings
from core.store.store import open_store
from tests.support.export_runs import an_awkward_run
from tests.support.small_bot import small_bot


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder with one run."""
    small_bot(tmp_path / "knowledge")
    monkeypatch.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    monkeypatch.delenv("KIKU_GOOGLE_SERVICE_ACCOUNT", raising=False)
    settings.cache_clear()
    an_awkward_run(open_store())
    yield tmp_path
    settings.cache_clear()


def test_several_forms_at_once(home: Path) -> None:
    names = {form: home / f"run.{form}" for form in ("xlsx", "csv", "jsonl", "html")}
    options = [part for form, file in names.items() for part in (f"--{form}", str(file))]
    assert main(["export", "r1", *options, "--language", "en"]) == 0
    assert openpyxl.load_workbook(names["xlsx"]).sheetnames[0] == "Conversations"
    assert names["csv"].read_bytes().startswith(b"\xef\xbb\xbf")
    assert json.loads(names["jsonl"].read_text("utf-8").splitlines()[0])["id"] == "r1"
    assert "Content-Security-Policy" in names["html"].read_text("utf-8")
    assert not [file.name for file in home.iterdir() if file.name.startswith(".run")]


def test_standard_output_takes_one_form(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["export", "r1", "--csv", "-", "--table", "scores"]) == 0
    rows = list(csv.reader(io.StringIO(capsysbinary.readouterr().out.decode("utf-8-sig"), newline="")))
    assert len(rows) == 1 + 5 * 3  # five turns, two criteria of one judge and the lack of another
    assert main(["export", "r1", "--csv", "-", "--jsonl", "-"]) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nope", "--csv", "-"], "There is no run 'nope'"),
        (["r1"], "Give at least one of"),
        (["r1", "--share", "a@example.com", "--xlsx", "a.xlsx"], "--share needs --sheets"),
        (["r1", "--xlsx", "{home}"], "is a folder"),
        (["r1", "--xlsx", "{home}/data/kiku.db/run.xlsx"], "could not be written"),
        (["r1", "--csv", "{home}/same", "--xlsx", "{home}/same"], "the same file"),
        (["r1", "--sheets", "a title"], "KIKU_GOOGLE_SERVICE_ACCOUNT"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["export", *(option.format(home=home) for option in options)]) == 2
    output = capsys.readouterr()
    assert message in output.err and len(output.err.splitlines()) == 1 and not output.out


def test_a_pipe_gets_the_whole_and_stays_a_pipe(home: Path) -> None:
    pipe, got = home / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert main(["export", "r1", "--csv", str(pipe)]) == 0
    reader.join(10)
    assert pipe.is_fifo() and got[0].startswith(b"\xef\xbb\xbf")


def test_a_link_leads_on_to_the_file_that_was_written(home: Path) -> None:
    link, real = home / "latest.csv", home / "kept.csv"
    real.write_text("old")
    link.symlink_to(real)
    assert main(["export", "r1", "--csv", str(link)]) == 0
    assert link.is_symlink() and real.read_bytes().startswith(b"\xef\xbb\xbf")
