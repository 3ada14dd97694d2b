"""Whatever goes wrong, a person reads one sentence; the traceback is in the log, without keys."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.crash_log import FILE, crash
from core.base.settings import ROOT, settings
from core.cli import runs
from core.store import database
from core.store.store import open_store
from tests.support.stored_runs import a_run

pytestmark = pytest.mark.usefixtures("home")


def _run_command(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(command)
    return code, capsys.readouterr().err


def test_an_error_that_nobody_foresaw_ends_with_a_sentence_and_a_reference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: object) -> int:
        raise LookupError("deep inside")

    monkeypatch.setattr(runs, "run", fail)
    code, said = _run_command(capsys, "runs")
    assert code == 70 and len(said.splitlines()) == 1 and "Traceback" not in said
    reference = said.rpartition("reference ")[2].strip(" .\n")
    log = (settings().data_dir / FILE).read_text("utf-8")
    assert reference in log and "deep inside" in log and "Traceback" in log


def test_the_log_holds_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "tok-12345-very-secret")
    error = crash(ValueError("refused tok-12345-very-secret"))
    log = (settings().data_dir / FILE).read_text("utf-8")
    assert "refused" in log and "very-secret" not in log and "very-secret" not in str(error)


@pytest.mark.parametrize("command", [("ask", "a\udcff", "--bot", "hinata"), ("resume", "\udcff")])
def test_an_argument_that_is_not_utf8_is_named(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    code, said = _run_command(capsys, *command)
    assert code == 2 and f"argument {2} is not UTF-8" in said


def test_a_file_that_leads_to_itself_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    rows = tmp_path / "in.jsonl"
    rows.write_text('{"id": 1, "text": "q"}\n', "utf-8")
    code, said = _run_command(capsys, "assess", "--in", str(rows), "--out", str(tmp_path / "a"))
    assert code == 2 and "a could not be written" in said


def test_a_number_of_too_many_digits_in_a_bots_file_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    file = settings().knowledge_dir / "big" / "bot.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'name = "b"\nlanguage = "en"\nbig = {"9" * 6_000}\n', "utf-8")
    code, said = _run_command(capsys, "ask", "hello", "--bot", "big")
    assert code == 2 and "too many digits" in said


def test_a_database_that_another_process_keeps_locked_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    other = sqlite3.connect(str(store.db.engine.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with store.db.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=20")
    try:
        with pytest.raises(database.DatabaseUnavailable) as caught, store.db.write():
            pass
    finally:
        other.close()
    assert caught.value.key == "database_busy"


def test_the_log_begins_anew_when_it_is_large() -> None:
    file = settings().data_dir / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x" * 3_000_000)
    crash(ValueError("again"))
    assert os.path.getsize(file) < 100_000 and file.with_suffix(".log.1").is_file()


def _shell(command: str) -> tuple[int, str]:
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        ("runs > /dev/full", 2, "no space left"),
        ("runs >&-", 2, "standard output is closed"),
        ("rewrite --in - --out - <&-", 0, ""),
    ],
)
def test_a_stream_that_is_closed_or_full_is_one_sentence(streams: str, code: int, said: str) -> None:
    store = open_store()
    a_run(store, "r1")
    found = _shell(f"{sys.executable} -m core {streams}")
    assert found[0] == code and said in found[1] and len(found[1].splitlines()) <= 1


def test_signs_that_the_output_cannot_show_are_written_as_escapes() -> None:
    code, said = _shell(f"PYTHONIOENCODING=ascii {sys.executable} -m core ask 期限は --bot komachi")
    assert (code, said) == (0, "")


def test_a_log_that_is_no_file_is_not_waited_for() -> None:
    settings().data_dir.mkdir(parents=True, exist_ok=True)
    os.mkfifo(settings().data_dir / FILE)
    assert "the log cannot be written" in str(crash(LookupError("deep inside")))


@pytest.mark.parametrize("folder", ["~nobody-of-that-name/x", "x" * 5_000])
@pytest.mark.parametrize("setting", ["KIKU_DATA_DIR", "KIKU_KNOWLEDGE_DIR"])
def test_a_folder_that_cannot_be_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, setting: str, folder: str
) -> None:
    monkeypatch.setenv(setting, folder)
    settings.cache_clear()
    code, said = _run_command(capsys, "runs")
    monkeypatch.undo()
    settings.cache_clear()
    assert code == 2 and setting in said and ("cannot be found" in said or "too long" in said)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_database_that_is_no_file_is_named(capsys: pytest.CaptureFixture[str], make: Callable[[Path], None]) -> None:
    settings().data_dir.mkdir(parents=True, exist_ok=True)
    make(settings().data_dir / "kiku.db")
    code, said = _run_command(capsys, "runs")
    assert code == 2 and "kiku.db in the data folder" in said and "Move it away" in said


def test_help_that_cannot_be_written_is_no_success() -> None:
    for command in (["--help"], ["ask", "--help"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([sys.executable, "-m", "core", *command], stdout=full, stderr=-1, text=True, cwd=ROOT)
        assert done.returncode == 2 and "no space left" in done.stderr


def test_long_ids_are_cut_and_long_numbers_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, said = _run_command(capsys, "resume", "x" * 50_000)
    assert code == 2 and len(said) < 300
    rows, labels = tmp_path / "scores.jsonl", tmp_path / "labels.jsonl"
    rows.write_text('{"id": "%s", "value": 7, "label": ""}\n' % ("x y " * 20_000), "utf-8")
    labels.write_text('{"id": "1", "reviewer": "a", "label": "yes"}\n', "utf-8")
    code, said = _run_command(capsys, "agreement", "--scores", str(rows), "--labels", str(labels))
    assert code == 2 and len(said) < 2_100 and said.endswith("Give --threshold.\n")
    rows.write_text('{"id": 1, "text": %s}\n' % ("9" * 5_000), "utf-8")
    code, said = _run_command(capsys, "assess", "--in", str(rows), "--out", "-")
    assert code == 2 and "a number has too many digits" in said


def test_a_reader_that_is_gone_does_not_pass_a_failed_run(home: Path) -> None:
    scenarios = "id,question,intent,facts,reference,kind\npool,プールは何時まで開いていますか?,プールが閉まる時刻,,プールは21時まで開いています。,faq\n"
    (home / "knowledge" / "komachi" / "questions.csv").write_text(scenarios, "utf-8")
    simulate = f"{sys.executable} -m core simulate --bot komachi --limit 1 --fail-under 0.99"
    code, said = _shell(f"{simulate} | true; exit ${{PIPESTATUS[0]}}")
    assert code == 1 and "below the pass mark" in said and len(said.splitlines()) == 1
    code, said = _shell(f"{sys.executable} -m core --help | true; exit ${{PIPESTATUS[0]}}")
    assert (code, said) == (0, "")
