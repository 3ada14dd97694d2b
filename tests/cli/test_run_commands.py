"""The commands around runs: simulate and runs, also if a run is broken off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.base.settings import ROOT, settings
from core.store.store import Store, open_store

pytestmark = pytest.mark.usefixtures("home")

LONG = ["simulate", "--bot", "komachi", "--personas", "all", "--repeats", "50", "--json"]
TOTAL = 300  # conversations of it
STOPS = [(signal.SIGINT, 130, ("--fail-under", "0")), (signal.SIGTERM, 143, ())]


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The one run that `runs` knows of."""
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    (row,) = capsys.readouterr().out.splitlines()
    return json.loads(row)


def broken_off(by: signal.Signals, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A long simulation that gets a signal once it has finished a few of its conversations."""
    process = subprocess.Popen(
        [sys.executable, "-m", "core", *LONG, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        store, until = open_store(), time.monotonic() + 60
        while process.poll() is None and not _under_way(store) and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(by)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return subprocess.CompletedProcess(LONG, process.returncode, out, err)


def _under_way(store: Store) -> bool:
    return any(store.runs.progress(run.id).finished > 2 for run in store.runs.all())


def test_simulate_prints_its_summary_and_the_run_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", "--bot", "komachi", "--personas", "all", "--questions", "all", "--seed", "1", "--json"]
    assert main(command) == 0
    summary = json.loads(capsys.readouterr().out)
    design = {"run", "score", "conversations", "failed", "unscored", "criteria", "seconds", "calls", "tokens", "cost"}
    assert design <= set(summary) and (summary["conversations"], summary["failed"]) == (6, 0)
    assert 0 < summary["score"] <= 1 and summary["criteria"]["overall"] == summary["score"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["criteria"] == summary["criteria"]
    assert main(["runs", "--json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(listed) == 2 and {row["score"] for row in listed} == {summary["score"]}


def test_simulate_takes_questions_of_a_kind_and_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--bot", "komachi", "--questions", "faq", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["conversations"] == 2
    assert main(["simulate", "--bot", "komachi", "--personas", "all", "--limit", "1", "--max-turns", "1"]) == 0
    assert "1 conversations" in capsys.readouterr().out


def test_a_score_below_the_pass_mark_exits_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", "--bot", "komachi", "--questions", "q1", "--json", "--fail-under"]
    assert main([*command, "0"]) == 0
    assert main([*command, "1"]) in (0, 1)
    score = json.loads(capsys.readouterr().out.splitlines()[-1])["score"]
    assert main([*command, str(min(1.0, score + 0.01))]) == (1 if score < 1 else 0)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("by", "code", "arguments"), STOPS)
def test_a_stopped_simulation_stores_what_is_finished_and_never_passes(
    capsys: pytest.CaptureFixture[str], by: signal.Signals, code: int, arguments: tuple[str, ...]
) -> None:
    done = broken_off(by, *arguments)
    assert done.returncode == code and "Traceback" not in done.stderr
    summary = json.loads(done.stdout)
    row = listed(capsys)
    assert (row["status"], row["conversations"]) == ("stopped", TOTAL) and 2 < row["finished"] < TOTAL
    assert summary["stopped"] == TOTAL - row["finished"] and f"{row['finished']} of {TOTAL}" in done.stderr
    assert main(["runs"]) == 0
    assert f"{row['finished']}/{TOTAL} conversations" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_simulation_is_listed_as_interrupted_with_what_is_finished(capsys: pytest.CaptureFixture[str]) -> None:
    assert broken_off(signal.SIGKILL).returncode == -signal.SIGKILL
    row = listed(capsys)
    assert row["status"] == "interrupted" and 2 < row["finished"] < row["conversations"] == TOTAL
    progress = open_store().runs.progress(row["run"])
    assert progress.running == 0


def test_a_command_leaves_the_handler_of_sigterm_as_it_was() -> None:
    before = signal.getsignal(signal.SIGTERM)
    main(["runs"])
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_simulation_without_a_usable_index_leaves_no_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "data").mkdir()
    (home / "data" / "chroma").write_text("in the way")
    assert main(["simulate", "--bot", "komachi"]) == 2
    printed = capsys.readouterr()
    assert "chroma" in printed.err and printed.err.count("\n") == 1 and printed.out == ""
    assert open_store().runs.all() == []


TABLE = "質問,回答,模範解答\n期限は?,翌月の10日です。,翌月の10日です。\n期限は?,20日です。,翌月の10日です。\n"


def test_a_table_of_answers_is_judged_row_by_row(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.csv").write_text(TABLE, "cp932")
    assert main(["judge", "correctness", "--in", str(home / "a.csv")]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["id"], row["label"]) for row in rows] == [("1", "Yes"), ("2", "No")]


def test_a_judged_file_is_kept_as_a_run_and_judged_further(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.csv").write_text(TABLE, "utf-8")
    command = ["judge", "correctness", "--in", str(home / "a.csv"), "--keep", "--json"]
    assert main(command) == 2 and "--bot" in capsys.readouterr().err
    assert main([*command, "--bot", "komachi"]) == 0
    shown_text = json.loads(capsys.readouterr().out)
    assert (shown_text["judged"], shown_text["criteria"]) == (2, {"correctness.correctness": 0.5})
    assert main(["judge-run", shown_text["run"], "string_distance", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["scored"].values()) == {2}
    assert main(["judge-run", "nowhere", "turn"]) == 2 and "no run" in capsys.readouterr().err


def test_examples_and_options_reach_the_judges(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "a.csv").write_text(
        TABLE.replace("翌月の10日です。,翌月", "翌月の10日です。本社は東京です。,翌月", 1), "utf-8"
    )
    assert main(["judge", "qa", "--in", str(home / "a.csv")]) == 0
    assert main(["judge", "qa", "--strict", "--in", str(home / "a.csv")]) == 0
    labels = [json.loads(line)["label"] for line in capsys.readouterr().out.splitlines()]
    assert labels == ["CORRECT", "INCORRECT", "INCORRECT", "INCORRECT"]
    (home / "e.jsonl").write_text('{"judge": "qa"}\n', "utf-8")
    assert main(["judge", "qa", "--examples", str(home / "e.jsonl"), "--in", str(home / "a.csv")]) == 2
    assert "label" in capsys.readouterr().err


def test_a_run_of_the_embedded_engine_is_resumed_without_a_model_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "--bot", "komachi", "--limit", "1", "--json"]) == 0
    run = listed(capsys)["run"]
    monkeypatch.setenv("KIKU_ENGINE", "openai")
    settings.cache_clear()
    assert main(["resume", run, "--json"]) == 0
    assert main(["resume", run, "--engine", "openai"]) == 2 and "no key" in capsys.readouterr().err
