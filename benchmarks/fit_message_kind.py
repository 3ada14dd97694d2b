"""Fit core/bot/message_kind/classifier.json and kind_by_meaning.json: what kind of small talk is a message, if any?

    python -m benchmarks.fit_message_kind [--write]

Multinomial logistic regression over the character n-grams of examples.toml. More requests are example questions of the
bundled bots: one of thirty is learned from, every second one as keywords too, the others are only tested on. Those of
several sections, short and vague as they are, pass for small talk most easily: of these two of three are learned from, if
they tell of nothing bad. Reported: five-fold cross-validation, and how many tested questions pass for small talk.
"""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from benchmarks.command_line import argument_parser
from benchmarks.fit_incidents import BOTS, questions
from benchmarks.judges_data import lines
from benchmarks.ngram_fit import fit, held_out, probabilities, write
from core.base.bot_folder import load_bot
from core.bot.message_kind.classifier import KINDS, MessageKind, kind_probabilities
from core.bot.message_kind.kind_by_meaning import kind_features
from core.bot.message_kind.kind_of_text import SMALL_TALK_FROM
from core.bot.message_kind.message_vector import vector_language
from core.documents.example_questions import read_example_questions
from core.text.distress.distress import distress_of
from core.text.language import content_words

FOLDER = Path(__file__).parents[1] / "core" / "bot" / "message_kind"
FOLLOW_UPS = sorted(Path(__file__).parent.glob("*follow_ups.jsonl"))
MORE = 7  # place of the first of those tested questions
STRENGTH = {"ja": 30.0, "en": 10.0}  # scikit-learn's C, of the fit by meaning
TESTED = 5_000  # tested questions of a language
EVERY = 30  # of the example questions to learn from, one in so many is


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    texts, kinds = examples()
    own = set(texts)
    asked = questions()
    learned = asked[::EVERY]
    tested = [text for place, text in enumerate(asked) if place % EVERY]
    learned += [" ".join(content_words(text)[:3]) for text in learned[::2]]
    vague = vague_questions()
    learned += [text for place, text in enumerate(vague) if place % 3]
    texts, kinds = [*texts, *learned], [*kinds, *["request"] * len(learned)]
    print(classification_report(kinds, held_out(texts, kinds, own, range(len(texts))), digits=2))
    known = fit(texts, kinds, own)
    for name, texts_of in (("tested", tested), ("vague tested", vague[::3])):
        requests = probabilities(known, texts_of)[:, list(known.logistic.classes_).index("request")]
        wrong = sum(chance <= 1 - SMALL_TALK_FROM for chance in requests)
        print(f"{wrong} of {len(texts_of)} {name} questions pass for small talk")
    if options.write:
        write(known, KINDS, FOLDER / "classifier.json", "fit_message_kind.py")
    by_meaning = fit_meaning(texts, kinds, own, tested, more_examples([*follow_ups(), *asked[MORE::EVERY]]))
    if options.write:
        about = "Fitted by benchmarks/fit_message_kind.py; by language, a row of weights for each kind, of the vector and of the log odds."
        stored = json.dumps({"about": about, **by_meaning}, separators=(",", ":"))
        (FOLDER / "kind_by_meaning.json").write_text(stored + "\n", "utf-8")


def fit_meaning(
    texts: list[str], kinds: list[str], own: set[str], tested: list[str], more: tuple[list[str], list[str]]
) -> dict[str, dict[str, Any]]:
    """The coefficients for each language; prints how well they tell small talk from requests. `more`: texts that no model
    of n-grams has seen, and their kinds."""
    chances = [*held_out_probabilities(texts, kinds, own), *map(kind_probabilities, more[0])]
    texts, kinds = [*texts, *more[0]], [*kinds, *more[1]]
    found: dict[str, dict[str, Any]] = {}
    for language, strength in STRENGTH.items():
        chosen = [place for place, text in enumerate(texts) if vector_language(text) == language]
        features = np.array([kind_features(texts[place], chances[place]) for place in chosen])
        wanted = [kinds[place] for place in chosen]
        model = LogisticRegression(C=strength, max_iter=3000)
        print(classification_report(wanted, cross_val_predict(model, features, wanted, cv=5), digits=2))
        model.fit(features, wanted)
        some = [text for text in tested if vector_language(text) == language][:TESTED]
        of_request = list(model.classes_).index("request")
        vectors = np.array([kind_features(text, kind_probabilities(text)) for text in some])
        requests = model.predict_proba(vectors)[:, of_request]
        print(
            f"{language}: {np.sum(requests <= 0.5)} of {len(some)} tested questions pass for small talk, {np.sum(requests <= 0.2)} surely"
        )
        order = [list(model.classes_).index(kind) for kind in KINDS]
        slopes, constants = np.asarray(model.coef_), np.asarray(model.intercept_)
        found[language] = {
            "intercepts": [round(float(value), 3) for value in constants[order]],
            "weights": [[round(float(value), 2) for value in row] for row in slopes[order]],
        }
    return found


def more_examples(requests: list[str]) -> tuple[list[str], list[str]]:
    """(texts, their kinds): the lines of meant_examples.toml, and some requests."""
    texts, kinds = examples("meant_examples.toml")
    return [*texts, *requests], [*kinds, *["request"] * len(requests)]


def follow_ups() -> list[str]:
    """Second messages of conversations."""
    return [row["text"] for file in FOLLOW_UPS for row in lines(file)]


def held_out_probabilities(texts: list[str], kinds: list[str], own: set[str]) -> list[Mapping[MessageKind, float]]:
    """The probability of each kind for each text by a model of n-grams that has not seen it (five-fold)."""
    found: list[Mapping[MessageKind, float]] = [{} for _ in texts]
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(texts, kinds):
        known = fit([texts[place] for place in train], [kinds[place] for place in train], own)
        classes = list(known.logistic.classes_)
        for place, row in zip(test, probabilities(known, [texts[place] for place in test]), strict=True):
            found[place] = {kind: float(row[classes.index(kind)]) for kind in KINDS}
    return found


def vague_questions() -> list[str]:
    """The example questions of several sections that tell of nothing bad."""
    asked = (one.question for name in BOTS for one in read_example_questions(load_bot(name)) if one.heading)
    times = Counter(asked)
    plain = [text for text, count in times.items() if count > 1]
    return [text for text in plain if not any(distress_of(text))]


def examples(file: str = "examples.toml") -> tuple[list[str], list[str]]:
    """(texts, their kinds)."""
    stored = tomllib.loads((FOLDER / file).read_text("utf-8"))
    pairs = [(line, kind) for kind, both in stored.items() for text in both.values() for line in text.split("\n")]
    return [line for line, _ in pairs if line], [kind for line, kind in pairs if line]


if __name__ == "__main__":
    main()
