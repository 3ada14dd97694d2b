"""`agreement`: how far a judge agrees with people's labels."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from core.agreement.agreement import (
    JudgeAgreement,
    JudgeVerdict,
    ReviewerAgreement,
    judge_agreement,
    reviewer_agreement,
)
from core.agreement.matched_rows import MatchedRows, ScoreChoice, match_scores_to_labels
from core.base.errors import BadInput
from core.cli.input_rows import LabelRow, ScoredRow
from core.cli.json_lines import read_rows
from core.cli.output import print_result


def run(arguments: argparse.Namespace) -> int:
    """Print the agreement; exit 1 if it is not surely as high as --fail-under asks for."""
    if arguments.scores == arguments.labels == "-":
        raise BadInput("--scores and --labels cannot both be standard input. Give the path of one of them.")
    scores = [row.model_dump() for row in read_rows(arguments.scores, ScoredRow)]
    rows = [row.model_dump() for row in read_rows(arguments.labels, LabelRow)]
    # without choices between two replies
    labels = [row for row in rows if not (row.get("better") and row.get("other_id"))]
    choice = ScoreChoice(arguments.judge, arguments.criterion, arguments.threshold, arguments.lower)
    files = match_scores_to_labels(scores, labels, choice, arguments.arbiter)
    people = reviewer_agreement(files.labels, files.scale, files.group_of, arguments.arbiter)

    def against_people(verdicts: Sequence[JudgeVerdict]) -> JudgeAgreement:
        return judge_agreement(verdicts, people.truth.verdicts, files.scale, files.group_of)

    judge = against_people(files.verdicts)
    if not judge.n:
        raise BadInput(
            "No item has both a score and a verdict of people. Check that the ids of both files are the same."
        )
    result = as_json(files, judge, people)
    if arguments.by:
        parts = {name: against_people(verdicts) for name, verdicts in files.parts(arguments.by).items()}
        result["by"] = {name: {"n": agreement.n, **_judged(agreement)} for name, agreement in parts.items()}
    print_result(json.dumps(result, ensure_ascii=False) if arguments.json else as_text(result, arguments.by))
    if arguments.fail_under is None:
        return 0
    return 0 if judge.kappa.low is not None and judge.kappa.low >= arguments.fail_under else 1


def as_json(files: MatchedRows, judge: JudgeAgreement, people: ReviewerAgreement) -> dict[str, Any]:
    judged = (verdict.item for verdict in files.verdicts if verdict.item in people.truth.verdicts)
    return {
        "n": judge.n,
        "reviewers": len(people.reviewers),
        **_judged(judge),
        "alpha": people.alpha._asdict(),
        "scale": files.scale,
        "labels": people.labels,
        "reviewer_percent": people.percent._asdict(),
        "yes_share": people.yes_share._asdict(),
        "ties": len(people.truth.ties),
        "cannot_say": len(people.truth.undecided),
        "unscored": len(files.unscored),
        "without_label": len(files.without_label),
        "without_score": len(files.without_score),
        "clusters": len({files.group_of.get(item) or ("", item) for item in judged}),
        "confusion": judge.confusion,
        "pairs": [
            {
                "reviewers": list(pair.reviewers),
                "n": pair.n,
                "percent": pair.percent._asdict(),
                "kappa": pair.kappa._asdict(),
            }
            for pair in people.pairs
        ],
    }


def as_text(result: dict[str, Any], by: str) -> str:
    lines = [
        f"{result['n']} items, {result['labels']} labels by {result['reviewers']} reviewers;"
        f" {result['ties']} ties and {result['cannot_say']} that nobody could say are left out"
    ]
    names = {
        "percent": "agreement", "kappa": "kappa", "balanced_accuracy": "balanced accuracy", "misses": "misses",
        "false_alarms": "false alarms", "alpha": "alpha between reviewers", "yes_share": "share of yes",
    }  # fmt: skip
    lines += [f"{title:24} {_text(result[name])}" for name, title in names.items() if result[name]["value"] is not None]
    for name, part in result.get("by", {}).items():
        lines.append(
            f"{by} {name}: {part['n']} items, agreement {_text(part['percent'])}, kappa {_text(part['kappa'])}"
        )
    left_out = {
        "unscored": "items without a value",
        "without_label": "scores without a label",
        "without_score": "labels without a score",
    }
    lines += [f"{result[name]} {reason} are left out" for name, reason in left_out.items() if result[name]]
    return "\n".join(lines)


def _judged(judge: JudgeAgreement) -> dict[str, Any]:
    names = ("percent", "kappa", "balanced_accuracy", "misses", "false_alarms")
    return {name: getattr(judge, name)._asdict() for name in names}


def _text(numbers: dict[str, float | None]) -> str:
    value, low, high = (numbers[name] for name in ("value", "low", "high"))
    if value is None:
        return "not defined"
    return f"{value:.3f}" + (f" [{low:.3f}, {high:.3f}]" if low is not None else " (too few for an interval)")
