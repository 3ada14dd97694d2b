"""The command compare, and what makes a simulation pass in CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from core.__main__ import main
from core.base.bot_edits import save_bot
from core.base.bot_folder import load_bot
from core.store.store import open_store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_run, a_score

pytestmark = pytest.mark.usefixtures("home")


def simulated(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """A run of everybody about everything; gives its id."""
    capsys.readouterr()
    assert (
        main(["simulate", "--bot", "komachi", "--personas", "all", "--repeats", "2", "--seed", "1", "--json", *options])
        == 0
    )
    return str(json.loads(capsys.readouterr().out)["run"])


def rescored(run: str, values: list[float | None], version: str = "") -> None:
    """Other verdicts on the first turns of a run, in the version they had unless told."""
    store = open_store()
    for row, value in zip(store.conversations.of_run(run), values, strict=False):
        for turn in store.conversations.turns(row.id):
            old = next(score.version for score in turn.scores if score.judge == "turn")
            score = a_score(0.0, version=version or old).model_copy(update={"value": value})
            store.scores.add(turn.id, [score])


def compare_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["compare", *arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def junit_cases(file: Path) -> list[Any]:
    return [case for suite in JUnitXml.fromfile(str(file)) for case in suite]


def test_the_same_bot_twice_is_noise_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = simulated(capsys), simulated(capsys, "--seed", "2")
    code, found = compare_json(capsys, a, b, "--fail-if-worse")
    assert (code, found["noise_floor"], found["pairs"]) == (0, True, 12)
    assert [change["name"] for change in found["changes"]] == ["seed"]
    spread(a, b)
    assert main(["compare", a, b]) == 0
    text = capsys.readouterr().out
    assert "noise, both" in text and text.count("Judge: embedded engine; agreement with people: ") == 2


def test_the_same_seed_twice_says_nothing_about_noise(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = simulated(capsys), simulated(capsys)
    assert main(["compare", a, b]) == 0 and "another seed" in capsys.readouterr().err


def test_a_worse_version_fails_only_when_asked_and_beyond_the_margin(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    a = simulated(capsys, "--questions", "q1,q2,q3")
    save_bot(load_bot("komachi"), {"prompt": "短く"})
    b = simulated(capsys, "--questions", "q1,q2,q3")
    rescored(a, [1.0] * 12)
    rescored(b, [0.8] * 12)
    code, found = compare_json(capsys, a, b, "--fail-if-worse")
    assert (code, found["verdict"], found["clusters"]) == (0, "cannot_tell", 3), "three scenarios are too few"
    spread(a, b)
    code, found = compare_json(capsys, a, b, "--fail-if-worse")
    assert (code, found["verdict"], found["clusters"], found["pairs"]) == (1, "worse", 12, 12)
    assert found["difference"] == pytest.approx(-0.2) and len(found["worse"]) == 12
    assert [change["name"] for change in found["changes"]] == ["prompt"] and not found["noise_floor"]
    assert compare_json(capsys, a, b)[0] == 0
    assert compare_json(capsys, a, b, "--fail-if-worse", "--margin", "0.25")[0] == 0
    assert main(["compare", a, b]) == 0
    assert "B is worse than A (-0.200" in capsys.readouterr().out
    file = home / "c.xml"
    assert compare_json(capsys, a, b, "--junit", str(file))[0] == 0
    verdict, *cases = junit_cases(file)
    assert len(cases) == 12 and all(case.system_out == "1.000 -> 0.800, worse" for case in cases)
    assert not any(case.result for case in (verdict, *cases)), "nobody asked"
    assert compare_json(capsys, a, b, "--junit", str(file), "--fail-if-worse")[0] == 1
    verdict, *cases = junit_cases(file)
    assert isinstance(verdict.result[0], Failure) and verdict.classname == "verdict"
    assert "B is worse than A (-0.200" in verdict.result[0].message and "got worse: 12" in verdict.result[0].text
    assert not any(case.result for case in cases), "the rule is about all of them"


def spread(*runs: str) -> None:
    """Let every conversation be about a scenario of its own."""
    from sqlalchemy import update

    from core.store.schema import CONVERSATIONS

    for run in runs:
        with open_store().db.write() as connection:
            for number in range(1, 13):
                mine = (CONVERSATIONS.c.run_id == run) & (CONVERSATIONS.c.number == number)
                connection.execute(update(CONVERSATIONS).where(mine).values(scenario_id=f"s{number}"))


def test_more_failures_than_before_never_pass(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "before")
    a_run(store, "after", failed=1)
    code, found = compare_json(capsys, "before", "after", "--fail-if-worse")
    assert (code, found["pairs"], found["broken"]["failed_b"]) == (1, 3, 1)
    assert compare_json(capsys, "after", "before", "--fail-if-worse")[0] == 0


def test_a_fragment_of_pairs_never_passes(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "before")
    a_run(store, "after", left=3, ending="stopped")
    assert main(["compare", "before", "after", "--fail-if-worse"]) == 3
    assert "Only 1 pair of 4 conversations of A and 4 of B could be compared" in capsys.readouterr().err
    assert main(["compare", "after", "before", "--fail-if-worse"]) == 3, "in either direction"
    code, found = compare_json(capsys, "before", "after", "--fail-if-worse", "--min-paired", "0.25")
    assert (code, found["compared"]) == (0, {"a": 0.25, "b": 0.25})
    assert compare_json(capsys, "before", "after")[0] == 0, "nobody asked"
    assert main(["compare", "before", "after", "--min-paired", "0.25"]) == 2
    assert "--min-paired needs --fail-if-worse" in capsys.readouterr().err


def test_runs_of_other_scenarios_pass_only_where_half_is_common(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = simulated(capsys), simulated(capsys, "--questions", "q1")
    assert main(["compare", a, b, "--fail-if-worse"]) == 3
    assert "less than --min-paired 0.5" in capsys.readouterr().err
    assert main(["compare", a, simulated(capsys, "--questions", "q1,q2"), "--fail-if-worse"]) == 0


def test_turns_of_failed_conversations_are_reported_where_they_count_and_where_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = open_store()
    a_run(store, "before")
    a_run(store, "after", failed=1)
    store.scores.add(store.conversations.add_turn("after-4", 1, a_turn()), [a_score(0.4)])
    main(["resume", "after", "--fail-under", "0.6", "--max-missing", "0.5", "--json"])
    said = capsys.readouterr()
    assert json.loads(said.out)["unfinished"] == {"conversations": 1, "turns": 1}
    assert "1 turn that 1 of them had finished is included in the score" in said.err
    assert compare_json(capsys, "before", "after")[1]["broken"]["turns"] == 2, "one of each side"


def test_what_cannot_be_compared_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(open_store(), "old")
    a_run(open_store(), "other")
    a_run(open_store(), "open", ending="running")
    for names, said in (
        (("old", "nowhere"), "no run"),
        (("old", "old"), "twice"),
        (("old", "open"), "still running"),
        (("old", "other", "--judge", "qa"), "Choose one of turn overall"),
        (("old", "other", "--criterion", "beauty"), "Choose one of"),
    ):
        assert main(["compare", *names, "--fail-if-worse"]) == 2
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1, error


def test_judges_of_different_versions_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    a_run(open_store(), "old")
    a_run(open_store(), "new")
    store = open_store()
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE scores SET version = 'v2' WHERE turn_id > 4")
    assert main(["compare", "old", "new"]) == 2
    assert "different versions" in capsys.readouterr().err


def test_nothing_in_common_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = simulated(capsys, "--questions", "q1"), simulated(capsys, "--questions", "q2")
    assert main(["compare", a, b]) == 2 and "no conversation in common" in capsys.readouterr().err


def test_a_pass_mark_is_missed_if_too_much_has_no_score(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    store = open_store()
    a_run(store, "half", failed=2)
    command = ["resume", "half", "--fail-under", "0.1", "--json"]
    assert main(command) == 1
    assert "2 of 4 conversations failed or have no score" in capsys.readouterr().err
    assert main([*command, "--max-missing", "0.5"]) == 0
    assert "2 of 4" in capsys.readouterr().err, "told even if it passes"
    assert main([*command, "--max-missing", "0.5", "--fail-under", "0.9"]) == 1


def test_sure_asks_for_the_lower_bound(capsys: pytest.CaptureFixture[str]) -> None:
    run = simulated(capsys)
    spread(run)
    rescored(run, [1.0, 1.0, 1.0, 0.4, 0.4, 0.4] * 2)
    assert main(["resume", run, "--fail-under", "0.6"]) == 0
    assert main(["resume", run, "--fail-under", "0.6", "--sure"]) == 1
    assert "its 95 % confidence interval starts at" in capsys.readouterr().err
    assert main(["resume", run, "--fail-under", "0.4", "--sure"]) == 0


def test_conversations_are_junit_tests(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    file = home / "run.xml"
    simulated(capsys, "--junit", str(file), "--fail-under", "0")
    assert len(junit_cases(file)) == 13 and not any(case.result for case in junit_cases(file))
    store = open_store()
    a_run(store, "mixed", failed=1)
    first, second = store.conversations.of_run("mixed")[:2]
    low = a_score(0.2).model_copy(update={"reasons": "理由\x00\x0b<b>"})
    store.scores.add(store.conversations.turns(first.id)[0].id, [low])
    with store.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE scores SET value = NULL WHERE turn_id = ?", (store.conversations.turns(second.id)[0].id,)
        )
    main(["resume", "mixed", "--junit", str(file), "--fail-under", "0.5"])
    results = {case.name.split()[0]: case for case in junit_cases(file)}
    kinds = [type(results[name].result[0]) if results[name].result else None for name in ("q1", "q2", "q3", "q4")]
    assert kinds == [None, Skipped, None, Error]
    assert results["q1"].system_out.startswith("score 0.200 < 0.5\nturn 1, overall: 4 理由<b>")
    assert "モデルが倒れました" in results["q4"].result[0].message


def test_a_junit_file_that_cannot_be_written_is_reported(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "file").write_text("in the way")
    a_run(open_store(), "old")
    a_run(open_store(), "new")
    assert main(["compare", "old", "new", "--junit", str(home / "file" / "x.xml")]) == 2
    assert "could not be written" in capsys.readouterr().err


def test_a_run_whose_process_was_killed_can_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    a_run(store, "old")
    a_run(store, "killed", ending="running")
    with store.db.write() as connection:
        connection.exec_driver_sql(
            "UPDATE runs SET owner = 'gone', leased_until = '2020-01-01 00:00:00.000000' WHERE id = 'killed'"
        )
    assert compare_json(capsys, "old", "killed")[1]["pairs"] == 4


def test_the_margin_is_part_of_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    a = simulated(capsys)
    b = simulated(capsys, "--no-clarify")
    spread(a, b)
    rescored(b, [0.1] * 12)
    assert main(["compare", a, b, "--margin", "0.05"]) == 0
    assert " than A by more than 0.05" in capsys.readouterr().out


def test_an_error_that_is_kept_in_parts_is_a_sentence_in_reports(home: Path) -> None:
    store, files = open_store(), (home / "run.xml", home / "pairs.xml")
    a_run(store, "old")
    a_run(store, "new", failed=1)
    parts = json.dumps({"key": "external_slow", "details": {}, "text": "The bot gave no reply."})
    with store.db.write() as connection:
        connection.exec_driver_sql("UPDATE conversations SET error = ? WHERE status = 'failed'", (parts,))
    assert main(["resume", "new", "--junit", str(files[0]), "--fail-under", "0.1"]) == 1
    assert main(["compare", "old", "new", "--junit", str(files[1]), "--fail-if-worse"]) == 1
    for file in files:
        broken = [case for case in junit_cases(file) if any(isinstance(one, Error) for one in case.result)]
        assert len(broken) == 1 and broken[0].result[0].message.endswith("The bot gave no reply.")
        assert "external_slow" not in file.read_text()
    main(["export", "new", "--csv", str(home / "run.csv"), "--jsonl", str(home / "run.jsonl")])
    for name in ("run.csv", "run.jsonl"):
        written = (home / name).read_text("utf-8-sig")
        assert "The bot gave no reply." in written and "external_slow" not in written
