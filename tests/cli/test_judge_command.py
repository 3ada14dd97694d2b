"""The command `judge`: rows by any names, judges that print, and Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from tests.cli.test_commands import pipe, rows_of


def test_judge_takes_rows_as_other_tools_write_them(home: Path) -> None:
    rows = [
        {
            "user_input": "期限はいつですか",
            "response": "10日です。",
            "ground_truth": "10日",
            "retrieved_contexts": ["10日"],
        },
        {"id": None, "question": "q", "answer": None, "contexts": "期限は10日です。", "keypoints": "10日\n翌月"},
        {"id": 7, "question": "q", "answer": "a", "history": [{"role": "system", "content": "s"}], "asked_back": None},
        {"id": 7, "question": "q", "answer": "a", "persona": None, "messages": "[]"},
    ]
    scores = pipe(["judge", "correctness"], home, rows)
    assert [row["id"] for row in scores] == [1, 2, 7, "7#2"]
    assert scores[0]["value"] == 1 and scores[1]["value"] is None and scores[1]["error"]


def own_judge(home: Path, source: str) -> None:
    file = home / "knowledge" / "komachi" / "judges" / "mine.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        f"import sys\nfrom core.judges.custom.python_judges import judge\n@judge\ndef mine(sample):\n{source}", "utf-8"
    )


def test_what_a_judge_prints_is_not_among_the_results(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_judge(
        home, "    print('one')\n    sys.stdout.write('two')\n    return 1, '\\ud800'\nsys.stdout.write('three')\n"
    )
    (home / "in.jsonl").write_text('{"question": "q", "answer": "a"}\n', "utf-8")
    assert main(["judge", "custom:mine", "--bot", "komachi", "--in", str(home / "in.jsonl")]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["value"] == 1 and all(word in printed.err for word in ("one", "two", "three"))


def test_a_judge_that_fails_on_every_row_ends_with_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_judge(home, "    return 1 / (len(sample.answer) - 1)\n")
    file, command = home / "in.jsonl", ["judge", "custom:mine", "--bot", "komachi", "--in", str(home / "in.jsonl")]
    file.write_text('{"question": "q", "answer": "a"}\n' * 3, "utf-8")
    assert main(command) == 2
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3 and printed.err.count("\n") == 1
    assert "No answer was scored" in printed.err and "division by zero" in printed.err
    file.write_text('{"question": "q", "answer": "a"}\n{"question": "q", "answer": "ab"}\n', "utf-8")
    assert main(command) == 0


def test_ctrl_c_keeps_the_finished_verdicts_in_a_file_of_their_own(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_judge(
        home,
        "    if sample.answer == 'b':\n        import os, signal, threading\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n        threading.Event().wait()\n    return 1\n",
    )
    rows = [{"question": "q", "answer": answer} for answer in "abc"]
    (home / "in.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    out = home / "out.jsonl"
    assert main(["judge", "custom:mine", "--bot", "komachi", "--in", str(home / "in.jsonl"), "--out", str(out)]) == 130
    assert not out.exists() and [row["id"] for row in rows_of(home / "out.jsonl.partial")] == [1]
    assert "out.jsonl.partial" in capsys.readouterr().err


def test_more_rows_than_a_table_may_have_are_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = home / "many.jsonl"
    file.write_text("{}\n" * 200_001, "utf-8")
    assert main(["judge", "turn", "--in", str(file), "--out", "-"]) == 2
    assert "many.jsonl has 200,001 rows; the limit is 200,000" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "text"), [("in.jsonl", '{"id": 1, "foo": "x"}\n'), ("in.csv", "foo,bar\nx,y\n")])
def test_a_file_without_questions_is_no_success(
    home: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (home / name).write_text(text, "utf-8")
    for more in ([], ["--bot", "komachi", "--keep"]):
        assert main(["judge", "correctness", "--in", str(home / name), *more]) == 2
        said = capsys.readouterr().err
        assert f"{name} has no question" in said and "foo" in said


def test_a_kept_judging_that_scores_nothing_is_no_success(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "in.jsonl").write_text('{"question": "q", "answer": "a"}\n' * 2, "utf-8")
    command = ["--bot", "komachi", "--in", str(home / "in.jsonl"), "--keep"]
    assert main(["judge", "criteria:helpfulness", *command]) == 2
    printed = capsys.readouterr()
    assert "2 of 2 answers judged, 2 of them without a score" in printed.out
    assert "No answer was scored" in printed.err and "言語モデルが必要です" in printed.err
    own_judge(home, "    raise ValueError('bad')\n")
    assert main(["judge", "turn", "custom:mine", *command]) == 0
    assert "custom:mine scored nothing: " in capsys.readouterr().err
    assert main(["simulate", "--bot", "komachi", "--judges", "custom:mine", "--limit", "1"]) == 3
    assert "custom:mine scored nothing: " in capsys.readouterr().err
