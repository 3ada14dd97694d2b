"""Fit core/bot/evidence.toml: is a message's matter in the documents, and is the best section the right one?

    python -m benchmarks.fit_evidence --data DIR [--write]

Questions of localgovfaq/, jsquad/ (Japanese) and squad2/ (English) in DIR, each asked three times: of all passages, of
those without the right ones (what is near is still there), and of those of other titles alone. "certain": the best
passage is a right one. "documented": of the first against the third. Three of four questions are fitted on, the fourth
is tested. The thresholds are kept: they are a choice between refusing, offering and answering, not a fit.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.search import jsquad, localgovfaq, squad2
from core.base.types import Hit
from core.bot.evidence import FEATURES, evidence_features
from core.retrieval.index import Index, Indexes

TARGET = Path(__file__).parents[1] / "core" / "bot" / "evidence.toml"
SETS = {"ja": (("localgovfaq", localgovfaq), ("jsquad", jsquad)), "en": (("squad2", squad2),)}
LOOK = 80  # passages found, before the right ones are hidden
Example = tuple[
    dict[str, float], bool, bool, bool
]  # features; best is right; documented; not among others of its title


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    models: dict[str, dict[str, float]] = {}
    for script, sets in SETS.items():
        names = (*FEATURES, "vector") if script == "en" else FEATURES
        with tempfile.TemporaryDirectory() as scratch:
            found = [examples(Indexes(Path(scratch)), name, load(options.data / name)) for name, load in sets]
        models[f"certain_{script}"] = fit(f"certain {script}", names, [[(e[0], e[1]) for e in one] for one in found])
        documented = [[(e[0], e[2]) for e in one if e[3]] for one in found]
        models[f"documented_{script}"] = fit(f"documented {script}", names, documented)
    if options.write:
        write(models)


def examples(indexes: Indexes, name: str, given: Any) -> list[Example]:
    """Each question asked of all passages, without the right ones, and without those of their titles."""
    documents, queries = given
    index: Index = indexes.of_documents(name, documents)
    found: list[Example] = []
    for query, wanted in queries:
        hits = index.search(query, LOOK)
        titles = {passage.title for passage in index.passages if passage.document in wanted}
        near = [hit for hit in hits if hit.passage.document not in wanted]
        far = [hit for hit in hits if hit.passage.title not in titles]
        found += [example(query, hits, wanted, True, True)] if hits else []
        found += [example(query, near, wanted, False, False)] if near else []
        found += [example(query, far, wanted, False, True)] if far else []
    return found


def example(query: str, hits: Any, wanted: list[str], documented: bool, apart: bool) -> Example:
    best: Hit = hits[0]
    return evidence_features(query, hits), best.passage.document in wanted, documented, apart


def fit(label: str, names: tuple[str, ...], sets: list[list[tuple[dict[str, float], bool]]]) -> dict[str, float]:
    """Logistic regression; each data set has the same weight."""
    rows = [(row, 1 / len(one)) for one in sets for row in one]
    values = np.array([[features[name] for name in names] for (features, _), _ in rows])
    labels, weights = np.array([label for (_, label), _ in rows]), np.array([weight for _, weight in rows])
    held = np.arange(len(rows)) // 3 % 4 == 3
    middle, spread = values.mean(axis=0), values.std(axis=0)
    scaled = (values - middle) / spread
    model = LogisticRegression(C=1.0)
    model.fit(scaled[~held], labels[~held], sample_weight=weights[~held] * len(rows))
    auc = roc_auc_score(labels[held], model.predict_proba(scaled[held])[:, 1])
    print(f"{label:14} n={len(rows)} AUC on the held-out quarter {auc:.3f}", flush=True)
    slopes = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - slopes @ middle)
    return {"intercept": intercept, **{name: float(slope) for name, slope in zip(names, slopes, strict=True)}}


def write(models: dict[str, dict[str, float]]) -> None:
    stored = tomllib.loads(TARGET.read_text("utf-8")) if TARGET.is_file() else {}
    document = tomlkit.document()
    document.add(tomlkit.comment("Logistic coefficients: is the matter documented, is the best section the right one?"))
    document.add(
        tomlkit.comment("Fitted by benchmarks/fit_evidence.py on localgovfaq, jsquad and squad2; thresholds chosen.")
    )
    for name, values in models.items():
        rounded = {key: round(value, 4) for key, value in values.items()}
        document[name] = {"threshold": stored.get(name, {}).get("threshold", 0.5), **rounded}
    TARGET.write_text(tomlkit.dumps(document), "utf-8")


if __name__ == "__main__":
    main()
