"""Fit core/bot/small_talk/classifier.json: what kind of small talk is a message, if any?

    python -m benchmarks.fit_small_talk --data DIR [--write]

Multinomial logistic regression over the character n-grams of examples.toml. More requests come from the questions in
localgovfaq/, jsquad/, squad2/ and mtrag/ of DIR, as they are and as keywords: three of four are learned from, the fourth
is only tested on. Reported: five-fold cross-validation, and how many tested questions pass for small talk.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import StratifiedKFold

from core.bot.small_talk.classifier import KINDS, grams
from core.bot.small_talk.small_talk import LIKELY
from core.text.language import content_words

FOLDER = Path(__file__).parents[1] / "core" / "bot" / "small_talk"
SETS = {"localgovfaq": "query", "jsquad": "question", "squad2": "question", "mtrag": "question"}
FROM_EACH = 200  # questions of a set that are read
SMALL = 3  # tenths: n-grams with no weight as large are left out


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    texts, kinds = examples()
    asked = questions(options.data)
    tested = asked[::4]
    learned = [text for place, text in enumerate(asked) if place % 4]
    texts, kinds = [*texts, *learned], [*kinds, *["request"] * len(learned)]
    print(classification_report(kinds, held_out(texts, kinds), digits=2))
    known = fit(texts, kinds)
    requests = chances(known, tested)[:, list(known.logistic.classes_).index("request")]
    wrong = sum(chance <= 1 - LIKELY for chance in requests)
    print(f"{wrong} of {len(tested)} tested questions pass for small talk")
    if options.write:
        write(known)


def examples() -> tuple[list[str], list[str]]:
    """(texts, their kinds)."""
    stored = tomllib.loads((FOLDER / "examples.toml").read_text("utf-8"))
    pairs = [(line, kind) for kind, both in stored.items() for text in both.values() for line in text.split("\n")]
    return [line for line, _ in pairs if line], [kind for line, kind in pairs if line]


def questions(data: Path) -> list[str]:
    """Questions that people asked for an answer."""
    rows = ((name, json.loads(line)) for name in SETS for line in (data / name / "dev.jsonl").open(encoding="utf-8"))
    found: dict[str, list[str]] = {name: [] for name in SETS}
    for name, row in rows:
        if len(found[name]) < FROM_EACH:
            found[name].append(row[SETS[name]])
    asked = [text for texts in found.values() for text in texts]
    return [*asked, *(" ".join(content_words(text)[:3]) for text in asked[::2])]


class Known(NamedTuple):
    """A fitted model with the n-grams that it reads, by their place among all."""

    vectors: Any
    places: Any
    logistic: Any


def fit(texts: list[str], kinds: list[str]) -> Known:
    """n-grams that two or more texts of examples.toml have, weighted among all n-grams of a text."""
    own = set(examples()[0])
    analyzer: Any = grams  # sklearn takes a function, too
    vectors: Any = TfidfVectorizer(analyzer=analyzer).fit(texts)
    values = vectors.transform(texts)
    ours = values[[place for place, text in enumerate(texts) if text in own]]
    places = np.flatnonzero(np.asarray((ours > 0).sum(axis=0)).ravel() >= 2)
    return Known(vectors, places, LogisticRegression(C=60, max_iter=800).fit(values[:, places], kinds))


def chances(known: Known, texts: list[str]) -> Any:
    """Probabilities, shape (texts, kinds in the model's order)."""
    return known.logistic.predict_proba(known.vectors.transform(texts)[:, known.places])


def held_out(texts: list[str], kinds: list[str]) -> list[str]:
    """The kind of each text by a model that has not seen it."""
    predicted = [""] * len(texts)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(texts, kinds):
        known = fit([texts[place] for place in train], [kinds[place] for place in train])
        best = chances(known, [texts[place] for place in test]).argmax(axis=1)
        for place, kind in zip(test, best, strict=True):
            predicted[place] = str(known.logistic.classes_[kind])
    return predicted


def write(known: Known) -> None:
    order = [list(known.logistic.classes_).index(kind) for kind in KINDS]
    weights = np.rint(10 * known.logistic.coef_[order]).astype(int)
    names = known.vectors.get_feature_names_out()
    rows = [
        [str(names[place]), round(float(known.vectors.idf_[place]), 2), *map(int, weights[:, column])]
        for column, place in enumerate(known.places)
        if np.abs(weights[:, column]).max() >= SMALL
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    intercepts = json.dumps([round(float(value), 3) for value in known.logistic.intercept_[order]])
    about = "Fitted by benchmarks/fit_small_talk.py; each row: n-gram, idf, tenths of its weight for each kind."
    head = f'{{"about": "{about}",\n"intercepts": {intercepts},\n"unknown_idf": {known.vectors.idf_.max():.2f},\n'
    (FOLDER / "classifier.json").write_text(f'{head}"grams": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
