"""Fit core/judges/correctness/correctness.toml: small trees over the measures of core/judges/correctness/reference_features.py.

    python -m benchmarks.fit_correctness --data DIR [--write]

DIR holds evouna/, nq301_human/, answer_equivalence/ and pedants_challenge/, each with dev.jsonl. Prints agreement and kappa
from cross-validation in which all answers to one question are on the same side (benchmarks/judges.py prints those of the
whole judge, which reads long references by other rules); --write fits on all rows and stores that.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import GroupKFold

from benchmarks.command_line import argument_parser
from benchmarks.judges_data import Row, correctness_rows, group
from core.judges.correctness.reference_features import best_of
from core.judges.correctness.short_reference import is_right, tree_of

TARGET = Path(__file__).parents[1] / "core" / "judges" / "correctness" / "correctness.toml"
SETS = ("evouna", "nq301_human", "answer_equivalence", "pedants_challenge")
WEIGHT = {"nq301_human": 1.5, "answer_equivalence": 2.5}  # few rows, of other kinds than the many
FOLDS = 5
SETTINGS: dict[str, Any] = {
    "n_estimators": 180, "max_depth": 3, "learning_rate": 0.06, "subsample": 0.7, "min_samples_leaf": 20,
    "max_features": 0.4, "random_state": 0,
}  # fmt: skip


def main() -> None:
    options = argument_parser(__doc__, "--data", "--write").parse_args()
    rows = [row for name in SETS for row in correctness_rows(options.data, name)]
    measured = matrix(rows)
    chances = held_out(rows, measured)
    said = verdicts(measured, chances)
    for name in SETS:
        count, agreement, kappa = figure(rows, said, name)
        print(f"{name:20} n={count} agreement {agreement:.3f} kappa {kappa:.3f}")
    if options.write:
        write(fit(rows, *measured), measured)


def matrix(rows: list[Row]) -> tuple[list[str], Any]:
    """(the names of the measures, one line of measures a row)."""
    found = [best_of(row.question, row.answer, row.reference)[1] for row in rows]
    names = sorted(found[0])
    return names, np.array([[one[name] for name in names] for one in found], dtype=np.float32)


def fit(rows: list[Row], names: list[str], measured: Any) -> Any:
    weights = [WEIGHT.get(row.dataset, 1.0) for row in rows]
    return GradientBoostingClassifier(**SETTINGS).fit(measured, [row.right for row in rows], sample_weight=weights)


def held_out(rows: list[Row], measured: tuple[list[str], Any]) -> Any:
    """The chance of each row from a model fitted on other questions."""
    names, values = measured
    chances = np.zeros(len(rows))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(values, groups=group(rows)):
        chances[test] = fit([rows[n] for n in train], names, values[train]).predict_proba(values[test])[:, 1]
    return chances


def verdicts(measured: tuple[list[str], Any], chances: Any) -> list[bool]:
    """What the judge says, given the chances."""
    names, values = measured
    return [is_right(dict(zip(names, map(float, row), strict=True)), c) for row, c in zip(values, chances, strict=True)]


def figure(rows: list[Row], said: list[bool], name: str) -> tuple[int, float, float]:
    right, found = zip(
        *((row.right, one) for row, one in zip(rows, said, strict=True) if row.dataset == name), strict=True
    )
    agreement = float(np.mean(np.array(right) == np.array(found)))
    return len(right), agreement, float(cohen_kappa_score(right, found))


def write(model: Any, measured: tuple[list[str], Any]) -> None:
    names, values = measured
    trees = [text_of(one[0].tree_, names) for one in model.estimators_]
    first = float(np.log(model.init_.class_prior_[1] / model.init_.class_prior_[0]))
    lines = [
        "# Trees whose leaves add up to the log odds that people call an answer right by a short reference.",
        "# Read a tree as: if the measure is at most the bound, the first part, else the second.",
        "# Fitted by: python -m benchmarks.fit_correctness --data DIR --write (scikit-learn's gradient boosting,",
        f"# {SETTINGS['n_estimators']} trees of depth {SETTINGS['max_depth']}) on public answers with people's verdicts, development halves.",
        "# How well they agree with people: docs/judges.md.",
    ]
    lines += [f"bias = {first:.4f}", "trees = [", *(f'  "{text}",' for text in trees), "]", ""]
    check(trees, first, model, names, values)
    TARGET.write_text("\n".join(lines), "utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")


def text_of(tree: Any, names: list[str], node: int = 0) -> str:
    if tree.children_left[node] < 0:
        return f"{float(tree.value[node].ravel()[0]) * SETTINGS['learning_rate']:.4f}"
    low, high = (text_of(tree, names, child) for child in (tree.children_left[node], tree.children_right[node]))
    if low == high:
        return low
    low, high = (f"({part})" if "?" in part else part for part in (low, high))
    return f"{names[tree.feature[node]]} <= {tree.threshold[node]:.5g} ? {low} : {high}"


def check(trees: list[str], bias: float, model: Any, names: list[str], values: Any) -> None:
    """The text says what the model says: another verdict on at most one row in 200 (bounds are rounded)."""
    grown = [tree_of(text) for text in trees]
    some = values[:: max(1, len(values) // 2_000)]
    ours = [
        bias + math.fsum(tree(dict(zip(names, map(float, row), strict=True))) for tree in grown) > 0 for row in some
    ]
    differ = float(np.mean(np.array(ours) != (model.predict_proba(some)[:, 1] > 0.5)))
    if differ > 0.005:
        raise SystemExit(f"The stored trees differ from the fitted ones on {differ:.1%} of the rows.")


if __name__ == "__main__":
    main()
