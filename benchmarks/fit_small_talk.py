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

from sklearn.metrics import classification_report

from benchmarks.ngram_fit import chances, fit, held_out, write
from core.bot.small_talk.classifier import KINDS
from core.bot.small_talk.small_talk import LIKELY
from core.text.language import content_words

FOLDER = Path(__file__).parents[1] / "core" / "bot" / "small_talk"
SETS = {"localgovfaq": "query", "jsquad": "question", "squad2": "question", "mtrag": "question"}
FROM_EACH = 200  # questions of a set that are read


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    texts, kinds = examples()
    own = set(texts)
    asked = questions(options.data)
    tested = asked[::4]
    learned = [text for place, text in enumerate(asked) if place % 4]
    texts, kinds = [*texts, *learned], [*kinds, *["request"] * len(learned)]
    print(classification_report(kinds, held_out(texts, kinds, own, range(len(texts))), digits=2))
    known = fit(texts, kinds, own)
    requests = chances(known, tested)[:, list(known.logistic.classes_).index("request")]
    wrong = sum(chance <= 1 - LIKELY for chance in requests)
    print(f"{wrong} of {len(tested)} tested questions pass for small talk")
    if options.write:
        write(known, KINDS, FOLDER / "classifier.json", "fit_small_talk.py")


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


if __name__ == "__main__":
    main()
