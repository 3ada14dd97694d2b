"""Fit core/bot/message_kind/classifier.json: what kind of small talk is a message, if any?

    python -m benchmarks.fit_small_talk [--write]

Multinomial logistic regression over the character n-grams of examples.toml. More requests are example questions of the
bundled bots: one of thirty is learned from, every second one as keywords too, the others are only tested on. Those of
several sections, short and vague as they are, pass for small talk most easily: of these two of three are learned from, if
they tell of nothing bad. Reported: five-fold cross-validation, and how many tested questions pass for small talk.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from pathlib import Path

from sklearn.metrics import classification_report

from benchmarks.fit_incidents import BOTS, questions
from benchmarks.ngram_fit import fit, held_out, probabilities, write
from core.base.bot_folder import load_bot
from core.bot.message_kind.classifier import KINDS
from core.bot.message_kind.message_kind import SMALL_TALK_FROM
from core.documents.example_questions import read_example_questions
from core.text.distress.distress import distress_of
from core.text.language import content_words

FOLDER = Path(__file__).parents[1] / "core" / "bot" / "message_kind"
EVERY = 30  # of the example questions to learn from, one in so many is


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
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
        write(known, KINDS, FOLDER / "classifier.json", "fit_small_talk.py")


def vague_questions() -> list[str]:
    """The example questions of several sections that tell of nothing bad."""
    asked = (one.question for name in BOTS for one in read_example_questions(load_bot(name)) if one.heading)
    times = Counter(asked)
    plain = [text for text, count in times.items() if count > 1]
    return [text for text in plain if not any(distress_of(text))]


def examples() -> tuple[list[str], list[str]]:
    """(texts, their kinds)."""
    stored = tomllib.loads((FOLDER / "examples.toml").read_text("utf-8"))
    pairs = [(line, kind) for kind, both in stored.items() for text in both.values() for line in text.split("\n")]
    return [line for line, _ in pairs if line], [kind for line, kind in pairs if line]


if __name__ == "__main__":
    main()
