"""Fit core/judges/groundedness/sufficiency.toml: do these passages hold the right answer?

    python -m benchmarks.fit_sufficiency --data DIR [--write]

Enough: the passages behind an answer (squad2, mtrag_un, dragonball, the bundled bots). Not enough: another paragraph of
the same article, the passages of another question, half of the sentences behind the answer. Every set weighs the same.
Reported: accuracy by set, held out by question and, in brackets, with the whole set left out of fitting.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.grounding_pairs import Pair, sufficiency_pairs
from core.judges.groundedness.sufficiency import FEATURES, look_up_reference
from core.judges.rules.answer_measures import question_of

TARGET = Path(__file__).parents[1] / "core" / "judges" / "groundedness" / "sufficiency.toml"
ABOUT = """\
Logistic coefficients: do the passages hold the right answer? Fitted by
benchmarks/fit_sufficiency.py --data DIR --write on squad2, mtrag_un and dragonball (development
halves) and the bundled bots: the passages behind an answer against others and half of them."""


def features(pair: Pair) -> tuple[float, ...]:
    """Those of the reference whose claims the passages hold best."""
    sample = pair.sample
    lookups = (look_up_reference(text, question_of(sample), sample.passages) for text in sample.reference)
    return max(
        (one.features for one in lookups if one.claims), key=lambda one: one[0] - one[2], default=(0.0, 0.0, 1.0, 0.0)
    )


def model(values: Any, labels: Any, sets: Any) -> LogisticRegression:
    """Every set weighs the same."""
    weights = np.array([1.0 / (sets == name).sum() for name in sets]) * len(sets) / len(set(sets))
    return LogisticRegression(C=1.0, max_iter=2_000).fit(values, labels, sample_weight=weights)


class Table:
    """All pairs: set, features, label, group of the question."""

    def __init__(self, data: Path) -> None:
        named = [(name, pair) for name, pairs in sufficiency_pairs(data).items() for pair in pairs]
        self.sets = np.array([name for name, _ in named])
        self.values = np.array([features(pair) for _, pair in named])
        self.labels = np.array([pair.label for _, pair in named])
        self.groups = np.array([pair.group for _, pair in named])

    def verdicts(self) -> Any:
        """Those of ten-fold cross-validation, each question on one side."""
        found = np.zeros(len(self.labels), dtype=bool)
        for train, test in GroupKFold(10).split(self.values, self.labels, self.groups):
            found[test] = self.fit(train).predict(self.values[test])
        return found

    def fit(self, chosen: Any) -> Any:
        return model(self.values[chosen], self.labels[chosen], self.sets[chosen])


def held_out(data: Path) -> Iterator[tuple[str, Any, Any, list[str]]]:
    """(set, labels, verdicts by cross-validation, groups) for every set."""
    table = Table(data)
    verdicts = table.verdicts()
    for name in dict.fromkeys(table.sets):
        mine = table.sets == name
        yield str(name), table.labels[mine], verdicts[mine], [str(group) for group in table.groups[mine]]


def main() -> None:
    options = argument_parser(__doc__, "--data", "--write").parse_args()
    table = Table(options.data)
    verdicts = table.verdicts()
    for name in dict.fromkeys(table.sets):
        mine = table.sets == name
        labels = table.labels[mine]
        apart = table.fit(~mine).predict(table.values[mine])
        right, also = (verdicts[mine] == labels).mean(), (apart == labels).mean()
        most = max(labels.mean(), 1 - labels.mean())
        print(f"{name:14} n={mine.sum():4} most frequent {most:.3f} accuracy {right:.3f} (set left out: {also:.3f})")
    print(f"all n={len(verdicts)} accuracy {(verdicts == table.labels).mean():.3f}")
    found = table.fit(np.ones(len(verdicts), dtype=bool))
    print(dict(zip(FEATURES, found.coef_[0].round(2), strict=True)))
    if options.write:
        write_coefficients(TARGET, ABOUT, {"sufficiency": coefficients(found, FEATURES)})


if __name__ == "__main__":
    main()
