"""Judges and people against people's verdicts on nq301_human: agreement and kappa with intervals, side by side.

    python -m benchmarks.agreement --data DIR

DIR holds nq301_human/dev.jsonl. People's verdict is the majority of two or three annotators; GPT-4's and BEM's verdicts are
in the data. The statistics are those of core/agreement (scikit-learn's; intervals by bootstrap over questions). Kiku's
correctness judge and the thresholds of the baselines are fitted on other questions (five parts), as in benchmarks/judges.py. The
intervals' coverage on simulated labels, and the corrected mean's, are in benchmarks/agreement_intervals.py; how quick
20,000 labels are in benchmarks/labels.py.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.metrics import accuracy_score, cohen_kappa_score

from benchmarks.command_line import argument_parser
from benchmarks.fit_correctness import SETS
from benchmarks.judges_correctness import lexical, ours, ratio, thresholded, token_f1
from benchmarks.judges_data import Row, correctness_rows, group
from core.agreement.agreement import JudgeAgreement, JudgeVerdict, judge_agreement, reviewer_agreement
from core.agreement.intervals import Statistic
from core.agreement.labels import Label, category

NAME = "nq301_human"


def main() -> None:
    data: Path = argument_parser(__doc__, "--data").parse_args().data
    rows = [row for name in SETS for row in correctness_rows(data, name)]
    mine = [n for n, row in enumerate(rows) if row.dataset == NAME]
    known = [rows[n] for n in mine]
    if not known:
        raise SystemExit(f"{data} has no {NAME}/dev.jsonl: give --data the folder that holds it.")
    said = {
        "Kiku correctness (held out)": ours(rows),
        "keyword overlap: token F1": thresholded(rows, [token_f1(row) for row in rows]),
        "keyword overlap: reference in answer": [lexical(row) for row in rows],
        "similarity: rapidfuzz ratio": thresholded(rows, [ratio(row) for row in rows]),
    }
    report(known, {name: [found[n] for n in mine] for name, found in said.items()})


def report(rows: list[Row], said: dict[str, list[bool]]) -> None:
    """Print a line for each judge, the two annotators, and what people agree on."""
    items = [str(row.other["id"]) for row in rows]
    group_of = {item: str(one) for item, one in zip(items, group(rows), strict=True)}
    truth = {item: "yes" if row.right else "no" for item, row in zip(items, rows, strict=True)}
    labels = [
        Label(item, f"annotator {n}", category(annotations, "yes_no") or "")
        for item, row in zip(items, rows, strict=True)
        for n, annotations in enumerate(row.other["annotators"], 1)
        if annotations
    ]
    judges = {
        "GPT-4 (in the data)": [row.other["gpt4_judge_text"].strip().lower().startswith("yes") for row in rows],
        "BEM (in the data)": [(row.other["bem_prob"] or 0.0) >= 0.5 for row in rows],
        **said,
    }
    people = reviewer_agreement(labels, "yes_no", group_of)
    voted = sum(people.truth.verdicts.get(item) == verdict for item, verdict in truth.items())
    print(f"{NAME}: {len(rows)} answers to {len(set(group_of.values()))} questions, {people.labels} labels")
    print(f"majority vote is the verdict in the data for {voted}, ties {len(people.truth.ties)}")
    print(f"between annotators: alpha {shown(people.alpha)}, agreeing pairs {shown(people.percent)}")
    for pair in people.pairs:
        print(
            f"{' and '.join(pair.reviewers):38} n {pair.n:4}  agreement {shown(pair.percent)}  kappa {shown(pair.kappa)}"
        )
    for (
        name
    ) in people.reviewers:  # the verdict is made of their labels, so they agree with it more than a stranger would
        mine = [JudgeVerdict(one.item, (one.label,)) for one in labels if one.reviewer == name]
        line(f"{name} against the verdict", judge_agreement(mine, truth, "yes_no", group_of))
    for name, verdicts in judges.items():
        each = [JudgeVerdict(item, ("yes" if one else "no",)) for item, one in zip(items, verdicts, strict=True)]
        found = judge_agreement(each, truth, "yes_no", group_of)
        line(name, found)
        said_there = [one.categories[0] for one in each]
        wanted = cohen_kappa_score([truth[item] for item in items], said_there)
        same = accuracy_score([truth[item] for item in items], said_there)
        assert abs((found.kappa.value or 0.0) - wanted) < 1e-12 and abs((found.percent.value or 0.0) - same) < 1e-12
    print("agreement and kappa of each judge are those of scikit-learn on the same rows")


def line(name: str, found: JudgeAgreement) -> None:
    print(
        f"{name:38} n {found.n:4}  agreement {shown(found.percent)}  kappa {shown(found.kappa)}  "
        f"balanced {shown(found.balanced_accuracy)}  misses {shown(found.misses)}  false alarms {shown(found.false_alarms)}"
    )


def shown(one: Statistic) -> str:
    if one.value is None:
        return "none"
    return f"{one.value:.3f}" + (f" [{one.low:.3f}, {one.high:.3f}]" if one.low is not None else "")


if __name__ == "__main__":
    main()
