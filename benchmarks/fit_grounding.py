"""Fit core/judges/groundedness/risk.toml: which claims of an answer do people mark as hallucinated?

    python -m benchmarks.fit_grounding --data DIR [--write]

Claims of ragtruth_qa/dev.jsonl are labelled by the human spans that cover them; an answer is as risky as its riskiest
claim. Reported: F1 for hallucinated answers with nested cross-validation grouped by question (claims' weights from four
folds of five, the threshold from an inner cross-validation over these), repeated over splits, with a 95 % bootstrap
interval over questions. The stored threshold comes from one more such cross-validation over all rows.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold

from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines, resampled
from core.judges.groundedness.claims import FEATURES, Claim, claims_of

TARGET = Path(__file__).parents[1] / "core" / "judges" / "groundedness" / "risk.toml"
STRENGTH = 1.0  # inverse regularisation
SPLITS, REPEATS = 5, 10
SMOOTH = 5  # thresholds over which F1 is averaged before the best is taken
FAR = 200  # characters that a claim may stand before the last one found
Rows = list[dict[str, Any]]
Floats = NDArray[np.float64]


class Table:
    """Claims of all answers: features, whether a span covers them, the answer's number; labels and groups of answers."""

    def __init__(self, rows: Rows) -> None:
        found = [(row, number, claim) for number, row in enumerate(rows) for claim in claims(row)]
        self.features = np.array([claim.features for _, _, claim in found])
        self.certain = np.array([claim.refuted for _, _, claim in found])
        self.answer = np.array([number for _, number, _ in found])
        self.is_covered = np.concatenate([covered(row, claims(row)) for row in rows])
        self.labels = np.array([bool(row["hallucinated"]) for row in rows])
        self.groups = np.array([row["source_id"] for row in rows])

    def fit(self, answers: Any) -> LogisticRegression:
        """The model of claims, from the claims of these answers."""
        chosen = np.isin(self.answer, answers)
        return LogisticRegression(C=STRENGTH, max_iter=2_000).fit(self.features[chosen], self.is_covered[chosen])

    def scores(self, model: LogisticRegression) -> Floats:
        """The risk of every answer: that of its riskiest claim, 1 if one is refuted outright."""
        chances = np.where(self.certain, 1.0, model.predict_proba(self.features)[:, 1])
        found = np.zeros(len(self.labels))
        np.maximum.at(found, self.answer, chances)
        return found

    def folds(self, answers: Any, seed: int) -> Any:
        """Pairs (train, test) of answers, all answers to one question on one side."""
        cut = StratifiedGroupKFold(SPLITS, shuffle=True, random_state=seed)
        for train, test in cut.split(answers, self.labels[answers], self.groups[answers]):
            yield answers[train], answers[test]


def claims(row: dict[str, Any]) -> tuple[Claim, ...]:
    return claims_of(row["answer"], row["question"], passages(row["context"]))


def passages(context: str) -> tuple[str, ...]:
    """RAGTruth keeps its three passages in one text."""
    return tuple(part.strip() for part in re.split(r"passage \d+:", context) if part.strip())


def covered(row: dict[str, Any], found: tuple[Claim, ...]) -> Any:
    """Whether a span covers half of each claim, or lies in it for half of its own length."""
    marks, at = list[bool](), 0
    for claim in found:
        near = row["answer"].find(claim.text[:15], max(0, at - FAR))
        at = near if near >= 0 else at
        end = at + len(claim.text)
        spans = ((s["start"], s["end"]) for s in row["spans"])
        marks.append(any(min(end, b) - max(at, a) > 0.5 * min(len(claim.text), b - a) for a, b in spans))
    return np.array(marks, dtype=bool)


def out_of_fold(table: Table, answers: Any, seed: int) -> Floats:
    """Scores of answers by models that have not seen their question (zeros elsewhere)."""
    found = np.zeros(len(table.labels))
    for train, test in table.folds(answers, seed):
        found[test] = table.scores(table.fit(train))[test]
    return found


def best_threshold(scores: Floats, labels: Any) -> float:
    """The score at which F1, averaged over its neighbours, is highest."""
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(labels[order])
    f1 = 2 * hits / (np.arange(1, len(scores) + 1) + labels.sum())
    return float(scores[order][int(np.argmax(np.convolve(f1, np.ones(SMOOTH) / SMOOTH, "same")))])


def nested(table: Table, seed: int) -> tuple[Any, Floats]:
    """(verdict, score) of every answer: weights and threshold from other questions only."""
    everything = np.arange(len(table.labels))
    verdict, score = np.zeros(len(everything), dtype=bool), np.zeros(len(everything))
    for train, test in table.folds(everything, seed):
        limit = best_threshold(out_of_fold(table, train, seed)[train], table.labels[train])
        score[test] = table.scores(table.fit(train))[test]
        verdict[test] = score[test] >= limit
    return verdict, score


def f1_of(labels: Any, verdict: Any) -> float:
    hits = (labels & verdict).sum()
    return float(2 * hits / max(1, labels.sum() + verdict.sum()))


def interval(labels: Any, verdict: Any, groups: Any, draws: int = 2_000) -> tuple[float, float]:
    """95 % bootstrap interval of F1 over questions."""
    found = [f1_of(labels[rows], verdict[rows]) for rows in resampled(groups, draws, seed=7)]
    return float(np.percentile(found, 2.5)), float(np.percentile(found, 97.5))


def report(table: Table) -> None:
    """Print held-out figures."""
    results = [nested(table, seed) for seed in range(REPEATS)]
    f1 = [f1_of(table.labels, verdict) for verdict, _ in results]
    auc = [roc_auc_score(table.labels, score) for _, score in results]
    middle = results[int(np.argsort(f1)[len(f1) // 2])][0]
    low, high = interval(table.labels, middle, table.groups)
    share = table.labels.mean()
    print(
        f"ragtruth_qa n={len(table.labels)} hallucinated {share:.3f}; always 'hallucinated' F1 {2 * share / (1 + share):.3f}"
    )
    print(
        f"nested cross-validation x{REPEATS}: F1 {np.mean(f1):.3f} (sd over splits {np.std(f1):.3f}, 95 % {low:.3f}-{high:.3f})"
    )
    print(f"AUC {np.mean(auc):.3f}; published F1: GPT-4-turbo .456, fine-tuned Llama-2-13B .682")


def write(table: Table, model: Any, threshold: float) -> None:
    about = f"""\
Logistic coefficients: does a claim stand in the passages? Fitted by benchmarks/fit_grounding.py --data DIR --write
on the claims of RAGTruth's question answering (development half, {len(table.labels)} answers, human spans).
A claim counts as unsupported from the threshold on (chosen out of fold for the best F1 of answers)."""
    write_coefficients(TARGET, about, {"claim": {"threshold": threshold, **coefficients(model, FEATURES)}})


def main() -> None:
    options = argument_parser(__doc__, "--data", "--write").parse_args()
    table = Table(lines(options.data / "ragtruth_qa" / "dev.jsonl"))
    report(table)
    everything = np.arange(len(table.labels))
    thresholds = [best_threshold(out_of_fold(table, everything, seed), table.labels) for seed in range(REPEATS)]
    model = table.fit(everything)
    print(
        "threshold", round(float(np.median(thresholds)), 3), dict(zip(FEATURES, model.coef_[0].round(2), strict=True))
    )
    if options.write:
        write(table, model, float(np.median(thresholds)))


if __name__ == "__main__":
    main()
