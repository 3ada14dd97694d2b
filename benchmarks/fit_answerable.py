"""Fit core/bot/answer/answerable.toml: do the passages that were found answer the question?

    python -m benchmarks.fit_answerable --data DIR [--write]

Answerable: rows of the bundled question files in scope. Not answerable: their out_of_scope rows, the other Japanese
bot's questions (both ways), and for English questions of SQuAD 2.0 asked of the Harbor bot. Reported: each bot with
ten-fold cross-validation, and needless refusals against wrong answers at the stored threshold.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from core.base.bot_folder import load_bot
from core.bot.answer.answerable import FEATURES, features
from core.retrieval.index import Indexes
from core.simulation.scenarios import read_scenarios
from core.text.language import content_words

TARGET = Path(__file__).parents[1] / "core" / "answer" / "answerable.toml"
THRESHOLD = {"lexical": 0.25, "hybrid": 0.3}
BOTS = {"lexical": (("hinata", "minato"), ("minato", "hinata")), "hybrid": (("harbor", ""),)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    outside = [json.loads(line)["question"] for line in (options.data / "squad2/dev.jsonl").open()][:80]
    indexes = Indexes()
    models = {kind: fit(kind, examples(indexes, kind, outside)) for kind in FEATURES}
    if options.write:
        write(models)


def asked(name: str) -> list[tuple[str, bool]]:
    return [(s.intent or s.question, s.kind != "out_of_scope") for s in read_scenarios(load_bot(name))]


def examples(indexes: Indexes, kind: str, outside: list[str]) -> list[tuple[str, dict[str, float], bool]]:
    found: list[tuple[str, dict[str, float], bool]] = []
    for name, other in BOTS[kind]:
        index = indexes.get(load_bot(name))
        negatives = [text for text, _ in asked(other)] if other else outside
        for text, label in [*asked(name), *((text, False) for text in negatives)]:
            hits = index.search(text, 6)
            if hits:
                weights = {term: index.lexical.idf(term) for term in content_words(text)}
                found.append((name, features(text, hits, weights), label))
    return found


def fit(kind: str, rows: list[tuple[str, dict[str, float], bool]]) -> dict[str, float]:
    names = FEATURES[kind]
    values: Any = np.array([[found[name] for name in names] for _, found, _ in rows])
    labels = np.array([label for _, _, label in rows])
    chances = cross_val_predict(LogisticRegression(), values, labels, cv=10, method="predict_proba")[:, 1]
    for name in dict.fromkeys(name for name, _, _ in rows):
        mine = np.array([name == row[0] for row in rows])
        report(name, labels[mine], chances[mine], THRESHOLD[kind])
    model = LogisticRegression().fit(values, labels)
    weights = {name: float(value) for name, value in zip(names, model.coef_[0], strict=True)}
    return {"threshold": THRESHOLD[kind], "intercept": float(model.intercept_[0]), **weights}


def report(name: str, labels: Any, chances: Any, threshold: float) -> None:
    refused = float(np.mean(chances[labels] < threshold))
    answered = float(np.mean(chances[~labels] >= threshold))
    auc = roc_auc_score(labels, chances)
    print(f"{name:8} n={len(labels)} AUC {auc:.3f} refused needlessly {refused:.3f} answered wrongly {answered:.3f}")


def write(models: dict[str, dict[str, float]]) -> None:
    document = tomlkit.document()
    document.add(tomlkit.comment("Logistic coefficients: do the passages found answer the question?"))
    document.add(
        tomlkit.comment("Fitted by benchmarks/fit_answerable.py on the bundled question files (in scope against")
    )
    document.add(
        tomlkit.comment("out of scope and other bots' questions) and, for English, SQuAD 2.0 development questions.")
    )
    for name, values in models.items():
        document[name] = {key: round(value, 4) for key, value in values.items()}
    TARGET.write_text(tomlkit.dumps(document), "utf-8")


if __name__ == "__main__":
    main()
