"""Fit core/retrieval/fusion.toml: how much each signal counts in a search.

    python -m benchmarks.fit_fusion --data DIR [--write]

DIR holds localgovfaq/, jsquad/ (Japanese) and squad2/ (English). The weights maximise the likelihood of the right
passages under a softmax over the sums of the signals (listwise, as ListNet: Cao et al. 2007, ICML), none below 0, with
the same weight for each data set. Three of four questions are fitted on; the share of the others whose best passage is
right is reported. Without data for Chinese its words decide alone.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.search import Query, jsquad, localgovfaq, squad2
from core.retrieval.fusion import FLAT
from core.retrieval.index import Index, Indexes
from core.text.questions import without_courtesy

TARGET = Path(__file__).parents[1] / "core" / "retrieval" / "fusion.toml"
ABOUT = """Weights of what speaks for a passage (core/retrieval/fusion.py).
Fitted by benchmarks/fit_fusion.py: Japanese on the development halves of localgovfaq and jsquad, English on squad2.
Chinese has no such data: words alone."""
JA = ("words", "coverage", "letters")
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ja_headings": ((*JA, "headings", "near"), ("localgovfaq", "jsquad")),
    "ja": (JA, ("localgovfaq", "jsquad")),
    "en": ((*JA, "vectors"), ("squad2",)),
}
LOADERS = {"localgovfaq": localgovfaq, "jsquad": jsquad, "squad2": squad2}
CANDIDATES = 60  # passages that compete in the fit
L2 = 0.01
Array = NDArray[np.float64]
Case = tuple[dict[str, Array], NDArray[np.bool_]]  # signals in standard deviations, and which passages are right


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        indexes = Indexes(Path(scratch))
        sets = {name: cases(indexes, name, *load(options.data / name)) for name, load in LOADERS.items()}
    fitted = {table: fit(table, names, [sets[name] for name in used]) for table, (names, used) in TABLES.items()}
    if options.write:
        write(fitted)


def cases(indexes: Indexes, name: str, documents: Any, queries: list[Query]) -> list[Case]:
    """The signals of each question for all passages."""
    index: Index = indexes.of_documents(name, documents)
    of = np.array([passage.document for passage in index.passages])
    found: list[Case] = []
    for query, wanted in queries:
        signals = {key: standard(scores) for key, scores in index.signals(without_courtesy(query)).items()}
        found.append((signals, np.isin(of, wanted)))
    return [case for case in found if case[1].any()]


def standard(scores: Any) -> Array:
    spread = float(scores.std())
    return np.asarray((scores - scores.mean()) / (spread if spread > FLAT else 1.0), dtype=np.float64)


def fit(table: str, names: Sequence[str], sets: list[list[Case]]) -> dict[str, float]:
    """The weights by name."""
    learned: list[tuple[Array, NDArray[np.bool_], float]] = []
    for one in sets:
        for place, (signals, right) in enumerate(one):
            if place % 4 != 3:
                values = np.array([signals[name] for name in names])
                rival = np.union1d(np.argsort(-values.sum(axis=0))[:CANDIDATES], np.flatnonzero(right))
                learned.append((values[:, rival], right[rival], 1 / len(one)))

    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = L2 * float(weights @ weights), 2 * L2 * weights
        for values, right, share in learned:
            sums = weights @ values
            chances = np.exp(sums - sums.max())
            chances /= chances.sum()
            hit = chances * right
            total -= share * float(np.log(hit.sum()))
            slope -= share * (values @ (hit / hit.sum() - chances))
        return total, slope

    found = minimize(loss, np.full(len(names), 0.5), jac=True, bounds=[(0, None)] * len(names)).x
    held_out = [case for one in sets for place, case in enumerate(one) if place % 4 == 3]
    best = [right[np.argmax(sum(w * s[n] for w, n in zip(found, names, strict=True)))] for s, right in held_out]
    print(f"{table:12} held out n={len(held_out)} best passage right {np.mean(best):.3f}", flush=True)
    return {name: round(float(weight), 3) for name, weight in zip(names, found, strict=True)}


def write(fitted: dict[str, dict[str, float]]) -> None:
    """Write the weights; that of example questions is kept, since these data sets have none."""
    stored = tomllib.loads(TARGET.read_text("utf-8"))
    document = tomlkit.document()
    for line in ABOUT.splitlines():
        document.add(tomlkit.comment(line))
    for name, weights in {**fitted, "zh": {"words": 1.0}}.items():
        examples = {"examples": stored[name]["examples"]} if "examples" in stored.get(name, {}) else {}
        document[name] = {**weights, **examples}
    TARGET.write_text(tomlkit.dumps(document), "utf-8")


if __name__ == "__main__":
    main()
