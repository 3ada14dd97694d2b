"""Fit core/bot/clarify/missing_subject.toml: does a first message name a subject of its own?

    python -m benchmarks.fit_missing_subject [--write]

Logistic regression on first_messages.toml: messages without a subject against clear, brief and undocumented ones (of
"ask" many are neither, so none is taken), once with the bots' example questions and once without.
Reported: each bot by a fit on the two others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import Questions, indexes_of, read_first_messages
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.first_messages import sections_of
from core.bot.clarify.missing_subject import SUBJECTLESS_FROM, missing_subject_features

TARGET = Path(__file__).parents[1] / "core" / "bot" / "clarify" / "missing_subject.toml"
ABOUT = """Logistic coefficients: does a first message name no subject of its own?
Fitted by benchmarks/fit_missing_subject.py on benchmarks/first_messages.toml: sections with and without example questions."""
FEATURES = ("weight", "words", "own", "title", "unknown", "entropy", "top")
KINDS = ("subjectless", "brief", "answer", "refuse")
STRENGTH = 0.3  # C of the regression, on features in standard deviations


class Row(NamedTuple):
    """A message of a bot, and what kind it is."""

    bot: str
    kind: str
    features: dict[str, float]


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    found: dict[str, dict[str, float]] = {}
    for name in ("without_examples", "with_examples"):
        with TemporaryDirectory() as folder:
            rows = list(
                read_rows("without_examples" if name == "without_examples" else "with_unanswered", Path(folder))
            )
        report(name, rows)
        found[name] = coefficients(fitted(rows), FEATURES)
    if options.write:
        write_coefficients(TARGET, ABOUT, found)


def read_rows(questions: Questions, folder: Path) -> Iterator[Row]:
    stored = read_first_messages()
    for name, (_, index) in indexes_of(stored, questions, folder).items():
        for kind in KINDS:
            for each in stored[name][kind]:
                message = each if isinstance(each, str) else each[0]
                yield Row(name, kind, missing_subject_features(message, index, sections_of(index, message)))


def fitted(rows: list[Row]) -> object:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    return model.fit(values_of(rows), [row.kind == "subjectless" for row in rows])


def values_of(rows: list[Row]) -> np.ndarray:
    return np.array([[row.features[name] for name in FEATURES] for row in rows])


def report(name: str, rows: list[Row]) -> None:
    """AUC on the bot left out, and the share of each kind that counts as a message without a subject."""
    ordered: list[Row] = []
    chances: list[float] = []
    for bot in dict.fromkeys(row.bot for row in rows):
        model = fitted([row for row in rows if row.bot != bot])
        own = [row for row in rows if row.bot == bot]
        ordered += own
        chances += [float(chance) for chance in model.predict_proba(values_of(own))[:, 1]]  # pyright: ignore
    auc = roc_auc_score([row.kind == "subjectless" for row in ordered], chances)
    shares = (
        f"{kind} {np.mean([chance >= SUBJECTLESS_FROM for row, chance in zip(ordered, chances, strict=True) if row.kind == kind]):.2f}"
        for kind in KINDS
    )
    print(f"{name} n={len(rows)} AUC {auc:.3f}; without a subject: {', '.join(shares)}")


if __name__ == "__main__":
    main()
