"""The command `agreement`: scores against labels, and one sentence for what cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import cohen_kappa_score

from core.__main__ import main

Rows = list[dict[str, Any]]


def arguments(folder: Path, scores: Rows, labels: Rows) -> list[str]:
    for name, rows in (("scores", scores), ("labels", labels)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return ["agreement", "--scores", str(folder / "scores.jsonl"), "--labels", str(folder / "labels.jsonl")]


def people(n: int = 30) -> Rows:
    return [
        {"id": item, "reviewer": who, "label": "yes" if (item + (who == "b" and item % 7 == 0)) % 3 else "no"}
        for item in range(n)
        for who in "ab"
    ]


def test_scores_and_labels_become_agreement_with_intervals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores: Rows = [{"id": n, "value": 0.9 if n % 4 else 0.1, "label": "", "persona": "xy"[n % 2]} for n in range(32)]
    scores[5]["value"] = None
    assert main([*arguments(tmp_path, scores, people()), "--json", "--by", "persona"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reviewers"] == 2 and found["unscored"] == 1 and found["without_label"] == 2
    assert found["ties"] == 3 and found["n"] == 26  # of 30: 3 ties, 1 without a value
    for name in ("percent", "kappa", "alpha"):
        assert found[name]["low"] <= found[name]["value"] <= found[name]["high"]
    compared = [n for n in range(30) if n % 7 and n != 5] + [
        n for n in range(0, 30, 7) if (n % 3 > 0) == ((n + 1) % 3 > 0)
    ]
    wanted = cohen_kappa_score([n % 3 > 0 for n in compared], [n % 4 > 0 for n in compared])
    assert found["kappa"]["value"] == pytest.approx(wanted)
    assert set(found["by"]) == {"x", "y"} and sum(part["n"] for part in found["by"].values()) == 26


def test_what_judge_writes_can_be_given_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = [
        {"id": n, "judge": "correctness", "criterion": criterion, "value": float(n % 3 > 0), "label": "CORRECT"}
        for n in range(20)
        for criterion in ("correctness", "other")
    ]
    files = arguments(tmp_path, scores, people(20))
    assert main(files) == 2 and "Choose one with --criterion" in capsys.readouterr().err
    assert main([*files, "--criterion", "correctness"]) == 0
    assert "agreement                1.000" in capsys.readouterr().out
    assert main([*files, "--criterion", "correctness", "--fail-under", "0.99"]) == 1


def test_grades_are_compared_with_quadratic_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels: Rows = [{"id": n, "reviewer": "a", "label": n % 5 + 1} for n in range(25)]
    scores: Rows = [{"id": n, "value": (n % 5) / 4 if n % 2 else ((n + 1) % 5) / 4} for n in range(25)]
    assert main([*arguments(tmp_path, scores, labels), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    judged = [n % 5 + 1 if n % 2 else (n + 1) % 5 + 1 for n in range(25)]
    wanted = cohen_kappa_score([n % 5 + 1 for n in range(25)], judged, weights="quadratic")
    assert found["scale"] == "grades" and found["kappa"]["value"] == pytest.approx(wanted)
    assert found["alpha"] == {"value": None, "low": None, "high": None}


@pytest.mark.parametrize(
    ("scores", "labels", "said"),
    [
        ([{"id": 1, "value": 1}], [], "The labels have no rows"),
        ([{"id": 1, "value": 1}], [{"id": 2, "reviewer": "a", "label": "yes"}], "No item has both"),
        ([{"id": 1}], [{"id": 1, "reviewer": "a", "label": "yes"}], "scores.jsonl, row 1"),
        ([{"id": 1, "value": 1}], [{"id": 1, "label": "yes"}], "labels.jsonl, row 1: “reviewer” is missing"),
        ([{"id": 1, "value": 1}], [{"id": 1, "reviewer": " ", "label": "yes"}], "name the reviewer"),
        ([{"id": 1, "value": 4}], [{"id": 1, "reviewer": "a", "label": "yes"}], "not between 0 and 1"),
        ([{"id": 1, "label": "meh"}], [{"id": 1, "reviewer": "a", "label": "yes"}], "not yes or no"),
        ([{"id": 1, "value": 1}], [{"id": 1, "reviewer": "a", "label": "7"}], "not a grade"),
        ([{"id": 1, "value": 1}], [{"id": 1, "reviewer": "a", "label": ""}], "No label says anything"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scores: Rows, labels: Rows, said: str
) -> None:
    assert main([*arguments(tmp_path, scores, labels), "--json"]) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out


def test_an_arbiter_has_to_be_one_of_the_reviewers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = arguments(tmp_path, [{"id": n, "value": 1} for n in range(9)], people(9))
    assert main([*files, "--arbiter", "z"]) == 2 and "Choose one of a, b" in capsys.readouterr().err
    assert main([*files, "--arbiter", "a"]) == 0 and "0 ties" in capsys.readouterr().out


def test_choices_between_two_replies_in_a_label_export_are_no_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores: Rows = [{"id": n, "value": 0.9 if n % 3 else 0.1, "label": ""} for n in range(30)]
    choices: Rows = [
        {"id": n, "reviewer": "a", "label": "", "better": "this", "other_id": f"x{n}"} for n in range(30)
    ]  # fmt: skip
    found: list[str] = []
    for labels in (people(), people() + choices):
        assert main([*arguments(tmp_path, scores, labels), "--json"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]
