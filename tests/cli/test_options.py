"""Options that cannot work are told before anything is done; bars are held without errors of rounding."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.__main__ import main
from core.runs.resume import ResumedRun
from core.store.store import open_store
from tests.support.stored_runs import a_run

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sure"], "--sure needs --fail-under"),
        (["--max-missing", "0.2"], "--max-missing needs --fail-under"),
        (["--junit", "{home}/file/x.xml"], "could not be written"),
        (["--junit", "{home}"], "is a folder"),
        (["--junit", "-"], "standard output has the summary"),
        (["--judges", ","], "--judges ',' has no names"),
        (["--questions", " , "], "has no names"),
        (["--personas", ","], "--personas ',' has no names"),
        (["--seed", "99999999999999999999"], "“--seed” must be less than"),
    ],
)
def test_options_that_cannot_work_are_reported_before_any_conversation(
    capsys: pytest.CaptureFixture[str], home: Path, options: list[str], said: str
) -> None:
    (home / "file").write_text("in the way")
    arguments = [option.format(home=home) for option in options]
    assert main(["simulate", "--bot", "komachi", *arguments]) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out
    assert open_store().runs.all() == []


def test_a_mean_that_is_below_the_pass_mark_by_rounding_only_reaches_it() -> None:
    store = open_store()
    a_run(store, "old")
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE scores SET value = 0.7 - 1.1e-16")
    assert main(["resume", "old", "--fail-under", "0.7"]) == 0
    assert main(["resume", "old", "--fail-under", "0.701"]) == 1


@pytest.mark.parametrize(("total", "said"), [(2, "too few scenarios"), (12, "starts at 0.758")])
def test_a_few_perfect_conversations_are_not_surely_above_a_pass_mark(
    capsys: pytest.CaptureFixture[str], total: int, said: str
) -> None:
    store = open_store()
    a_run(store, "old", total=total)
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE scores SET value = 1.0")
    assert main(["resume", "old", "--fail-under", "0.9"]) == 0
    assert main(["resume", "old", "--fail-under", "0.9", "--sure"]) == 1
    assert said in capsys.readouterr().err


def test_too_many_verdicts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(open_store(), "old")
    assert main(["judge-run", "old", "turn", "--repeats", "1000000000"]) == 2
    assert "Choose 1 to 100" in capsys.readouterr().err


def test_nobody_is_told_to_resume_a_complete_run() -> None:
    assert ResumedRun(0, ("prompt",)).warning == ""
    assert "prompt" in ResumedRun(1, ("prompt",)).warning
