"""Fit core/text/distress/moods.json: in what mood is a message written, if in any?

    python -m benchmarks.fit_moods [--write]

Multinomial logistic regression over the character n-grams of mood_examples.toml, each line with some of the words that
may stand in it. More messages in no mood are the example questions of the bundled bots, as for fit_incidents.py: of three
quarters one in four is learned from, the last quarter is only tested on. Reported: five-fold cross-validation, no line in
two folds, and how many tested questions pass for a mood.
"""

from __future__ import annotations

from collections import Counter

from sklearn.metrics import classification_report

from benchmarks.command_line import argument_parser
from benchmarks.fit_incidents import FOLDER, SMALL, STRENGTH, examples, plain_questions, training_set
from benchmarks.ngram_fit import fit, held_out, probabilities, write
from core.text.distress.classifiers import DANGER_FROM, MOOD_FROM, MOOD_IN_PART_FROM, MOODS, parts_of

FILE = "mood_examples.toml"


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    learned, asked = plain_questions()
    texts, kinds, groups, own = training_set(examples(FILE), learned)
    print(classification_report(kinds, held_out(texts, kinds, own, groups, STRENGTH), digits=2))
    known = fit(texts, kinds, own, STRENGTH)
    names = list(known.logistic.classes_)
    tested = [
        (part, MOOD_IN_PART_FROM if place else MOOD_FROM)
        for text in asked
        for place, part in enumerate([text, *parts_of(text)])
    ]
    rows = probabilities(known, [part for part, _ in tested])
    wrong: Counter[str] = Counter()
    for row, (_, threshold) in zip(rows, tested, strict=True):
        best = str(max((name for name in names if name != "none"), key=lambda name: row[names.index(name)]))
        wrong[best] += bool(row[names.index(best)] >= (DANGER_FROM if best == "danger" else threshold))
    print(f"of {len(asked)} tested questions and their parts pass for a mood: {dict(wrong)}")
    if options.write:
        write(known, MOODS, FOLDER / "moods.json", "fit_moods.py", SMALL)


if __name__ == "__main__":
    main()
