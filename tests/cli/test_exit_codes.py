"""The exit status, the sentence and the JUnit report of a command tell one story."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from core.__main__ import main
from core.store.schema import SCORES
from core.store.store import Store, open_store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score

pytestmark = pytest.mark.usefixtures("home")


def ended(capsys: pytest.CaptureFixture[str], home: Path, *command: str) -> tuple[int, str, Any, list[Any]]:
    """Exit status, standard error, the test of the whole, and the other tests; both stories are checked against each other."""
    capsys.readouterr()
    file = home / "report.xml"
    code = main([*command, "--junit", str(file)])
    report = JUnitXml.fromfile(str(file))
    cases = [case for suite in report for case in suite]
    whole = next(case for case in cases if case.classname in ("pass_mark", "verdict"))
    kinds = [type(one) for one in whole.result]
    assert kinds == ([] if code == 0 else [Failure] if code == 1 else [Error])
    assert (code == 0) == (report.failures + report.errors == 0)
    return code, capsys.readouterr().err, whole, [case for case in cases if case is not whole]


def unscored(store: Store, run: str) -> None:
    """No verdict of the run could be read."""
    turns = [turn.id for row in store.conversations.of_run(run) for turn in store.conversations.turns(row.id)]
    with store.db.write() as connection:
        connection.execute(SCORES.update().where(SCORES.c.turn_id.in_(turns)).values(value=None))


def test_a_low_score_of_one_conversation_fails_nothing_if_the_mean_reaches_the_pass_mark(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    store = open_store()
    a_run(store, "r")
    turn = store.conversations.turns("r-1")[0].id
    store.scores.add(turn, [a_score(0.1)])
    code, _, _, tests = ended(capsys, home, "resume", "r", "--fail-under", "0.6")
    assert code == 0 and [bool(case.system_out) for case in tests] == [True, False, False, False]
    code, said, whole, tests = ended(capsys, home, "resume", "r", "--fail-under", "0.7")
    assert code == 1 and "The score 0.625 is below the pass mark 0.7." in said
    assert whole.result[0].message == "The score 0.625 is below the pass mark 0.7."
    assert "0.100  q1 calm #1" in whole.result[0].text and not any(case.result for case in tests)


def test_sure_fails_the_pass_mark_and_no_conversation(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    store = open_store()
    a_run(store, "r")
    store.scores.add(store.conversations.turns("r-1")[0].id, [a_score(0.1)])
    code, _, whole, tests = ended(capsys, home, "resume", "r", "--fail-under", "0.6", "--sure")
    assert code == 1 and "The score 0.625 reaches the pass mark 0.6, but" in whole.result[0].message
    assert not any(case.result for case in tests)


def test_too_much_missing_makes_errors_of_what_broke_off(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    a_run(open_store(), "r", failed=1)
    code, _, whole, tests = ended(capsys, home, "resume", "r", "--fail-under", "0.5")
    assert code == 1 and "more than --max-missing 0.1" in whole.result[0].message
    assert [type(case.result[0]) for case in tests if case.result] == [Error]
    code, _, _, tests = ended(capsys, home, "resume", "r", "--fail-under", "0.5", "--max-missing", "0.5")
    assert code == 0 and [type(case.result[0]) for case in tests if case.result] == [Skipped]


def test_a_stopped_run_is_inconclusive_in_the_report_too(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store()
    a_run(store, "r", left=3, ending="stopped")
    monkeypatch.setattr("core.runs.runner.Runner.resume", lambda *_: Said())
    monkeypatch.setattr("core.cli.resume.follow_run", lambda *_: 0)
    code, said, whole, _ = ended(capsys, home, "resume", "r")
    assert (
        code == 3
        and "Resume it with: python -m core resume r" in said
        and "Resume it with: python -m core resume r" in whole.result[0].message
    )
    code, said, _, tests = ended(capsys, home, "resume", "r", "--fail-under", "0", "--max-missing", "1")
    assert code == 0 and sum(isinstance(case.result[0], Skipped) for case in tests if case.result) == 3
    unscored(store, "r")
    code, said, _, _ = ended(capsys, home, "resume", "r")
    assert (
        code == 3 and "No conversation could be scored." in said and "Resume it with: python -m core resume r" in said
    )
    code, said, _, _ = ended(capsys, home, "resume", "r", "--fail-under", "0")
    assert (
        code == 1 and "No conversation could be scored." in said and "Resume it with: python -m core resume r" in said
    )


class Said:
    warning = ""


def test_a_finished_run_without_any_score_is_inconclusive_or_misses_its_pass_mark(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    store = open_store()
    a_run(store, "r")
    unscored(store, "r")
    code, said, _, tests = ended(capsys, home, "resume", "r")
    assert (code, said) == (3, "No conversation could be scored.\n")
    assert all(isinstance(case.result[0], Skipped) for case in tests)
    assert ended(capsys, home, "resume", "r", "--fail-under", "0", "--max-missing", "1")[0] == 1


@pytest.mark.parametrize(
    ("score", "bar", "said"),
    [
        (0.2, "0.2000001", "The score 0.200 is below the pass mark 0.2000001."),
        (0.69996, "0.7", "The score 0.69996 is below the pass mark 0.7."),
        (0.5, "0.7", "The score 0.500 is below the pass mark 0.7."),
    ],
)
def test_a_score_is_printed_with_the_digits_that_differ_from_the_pass_mark(
    capsys: pytest.CaptureFixture[str], score: float, bar: str, said: str
) -> None:
    store = open_store()
    a_run(store, "r")
    with store.db.write() as connection:
        connection.execute(SCORES.update().values(value=score))
    assert main(["resume", "r", "--fail-under", bar]) == 1
    assert said in capsys.readouterr().err


def test_a_version_that_only_fails_is_worse(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    store = open_store()
    a_run(store, "before")
    a_run(store, "after", failed=4)
    code, said, whole, tests = ended(capsys, home, "compare", "before", "after", "--fail-if-worse")
    assert code == 1 and "B failed more often: 4 of 4 common conversations, A 0." in said
    assert "B failed more often" in whole.result[0].message and all(isinstance(case.result[0], Error) for case in tests)
    capsys.readouterr()
    assert main(["compare", "before", "after", "--fail-if-worse", "--json", "--judge", "turn"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["judge"], found["pairs"]) == ("cannot_tell", "turn", 0)
    assert found["broken"]["failed_b"] == 4 and found["criteria"] == [] and found["detectable"] is None
    code, said, _, tests = ended(capsys, home, "compare", "before", "after")
    assert code == 0 and "B failed more often" in said and all(isinstance(case.result[0], Skipped) for case in tests)
    assert main(["compare", "before", "after"]) == 0
    spoken = capsys.readouterr().out
    assert "none of 4 common conversations is done on both sides" in spoken
    assert "changed: nothing except how conversations ended" in spoken
    assert ended(capsys, home, "compare", "after", "before", "--fail-if-worse")[0] == 3, "nothing is known of B"
    assert main(["compare", "before", "after", "--fail-if-worse", "--judge", "nobody"]) == 2


def test_nothing_to_compare_on_either_side_is_inconclusive(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    store = open_store()
    for run in ("a", "b"):
        a_run(store, run, failed=4)
    code, said, _, tests = ended(capsys, home, "compare", "a", "b", "--fail-if-worse")
    assert code == 3 and "No pair could be compared" in said and all(isinstance(t.result[0], Skipped) for t in tests)
    for run in ("c", "d"):
        a_run(store, run)
        unscored(store, run)
    code, said, _, _ = ended(capsys, home, "compare", "c", "d", "--fail-if-worse")
    assert code == 3 and "No pair could be compared" in said


def test_failures_count_where_the_judges_of_the_rest_cannot_be_compared(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    store = open_store()
    a_run(store, "before")
    last, _ = store.scores.newest()
    a_run(store, "after", failed=2)
    with store.db.write() as connection:
        connection.exec_driver_sql(f"UPDATE scores SET version = 'v2' WHERE id > {last}")
    assert ended(capsys, home, "compare", "before", "after", "--fail-if-worse")[0] == 1
    assert main(["compare", "before", "after"]) == 2 and "different versions" in capsys.readouterr().err


def test_a_judge_of_one_run_alone_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "before")
    a_run(store, "after")
    turns = [turn.id for row in store.conversations.of_run("after") for turn in store.conversations.turns(row.id)]
    with store.db.write() as connection:
        connection.execute(SCORES.delete().where(SCORES.c.turn_id.in_(turns)))
    assert main(["compare", "before", "after", "--fail-if-worse"]) == 2
    error = capsys.readouterr().err
    assert "turn scored only one of the two runs" in error and error.count("\n") == 1


def test_what_could_have_been_seen_is_not_known_where_nothing_differs(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    for run in ("a", "b"):
        long_run(run)
    assert main(["compare", "a", "b"]) == 0
    assert "smallest detectable difference: unknown, since no pair differs" in capsys.readouterr().out
    code, _, whole, _ = ended(capsys, home, "compare", "a", "b", "--margin", "0.05", "--fail-if-worse", "--json")
    assert code == 0 and "neither run is better by more than 0.05" in whole.system_out
    main(["compare", "a", "b", "--margin", "0.05", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["detectable"]) == ("within_margin", None)


def long_run(run: str) -> None:
    """Eight scenarios; the runs differ in their seed and in a setting, so that nobody calls them noise."""
    from core.runs.plan import Plan
    from core.store.database import now
    from core.store.rows import RunRow
    from tests.support.stored_runs import a_conversation

    store = open_store()
    plan = Plan(bot="komachi", seed=ord(run), max_turns=ord(run) % 3 + 1).model_dump(mode="json")
    row = RunRow(
        id=run, bot="komachi", name="", language="ja", status="running", seed=ord(run), max_turns=3, total=8,
        created_at=now(), plan=plan,
    )  # fmt: skip
    store.runs.create(row, {"engine": "embedded"}, [a_conversation(run, number) for number in range(1, 9)])
    for number in range(1, 9):
        store.conversations.start(f"{run}-{number}")
        store.scores.add(store.conversations.add_turn(f"{run}-{number}", 1, a_turn()), [a_score(0.8)])
        store.conversations.finish(f"{run}-{number}", "done", "")
    store.runs.finish(run, "done")
