"""Fit core/bot/several_questions.toml: which section answers one of several questions in a message?

    python -m benchmarks.fit_several_questions [--write]

Logistic regression on the messages of first_messages.toml that ask several things, of which the bot finds as many; for
each section that is found for a question, the log odds that it answers, by each of five wordings of the question.
Reported: how often the likeliest section is the right one, by eight-fold cross-validation over the messages, beside that of each
wording alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.bot_indexes import read_first_messages
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from core.base.bot_folder import load_bot
from core.bot.several_questions import JOINED_PASSAGES, features_by_wording, wordings
from core.documents.heading_names import last_heading
from core.retrieval.index_cache import Indexes
from core.text.message_questions import separate_questions

TARGET = Path(__file__).parents[1] / "core" / "bot" / "several_questions.toml"
ABOUT = """Logistic coefficients: does a section answer one of several questions in a message, by the log odds of five wordings?
Fitted by benchmarks/fit_several_questions.py on benchmarks/first_messages.toml."""
FOLDS = 8
STRENGTH = 0.3  # C of the regression


class Asked(NamedTuple):
    """One of several questions: the features of each section found, shape (sections, wordings), and which is right."""

    message: int
    values: np.ndarray
    right: np.ndarray


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    names, found = asked()
    for place, name in enumerate(names):
        print(f"{name} alone: {np.mean([one.right[one.values[:, place].argmax()] for one in found]):.3f}")
    hits: list[bool] = []
    for fold in range(FOLDS):
        model = fit([one for one in found if one.message % FOLDS != fold])
        hits += [
            bool(one.right[model.decision_function(one.values).argmax()])
            for one in found
            if one.message % FOLDS == fold
        ]
    print(f"all five, n={len(found)}: {np.mean(hits):.3f}")
    if options.write:
        write_coefficients(TARGET, ABOUT, {"section": coefficients(fit(found), names)})


def asked() -> tuple[list[str], list[Asked]]:
    """The names of the wordings, and all questions."""
    stored = read_first_messages()
    indexes = Indexes()
    names: list[str] = []
    found: list[Asked] = []
    for bot, kinds in stored.items():
        index = indexes.get(load_bot(bot))
        for number, (message, *sections) in enumerate(kinds["two"]):
            questions = separate_questions(message)
            for place, (document, heading, *_) in enumerate(sections) if len(questions) == len(sections) else ():
                texts = wordings(message, questions, place)
                names = list(texts)
                features = features_by_wording(
                    {name: index.search(text, JOINED_PASSAGES) for name, text in texts.items()}
                )
                right = [of == document and last_heading(above).startswith(heading) for of, above in features]
                values = np.array([list(each.values()) for each in features.values()])
                found.append(Asked(number, values, np.array(right)))
    return names, found


def fit(found: list[Asked]) -> Any:
    values, right = np.concatenate([one.values for one in found]), np.concatenate([one.right for one in found])
    return LogisticRegression(C=STRENGTH, max_iter=1000).fit(values, right)


if __name__ == "__main__":
    main()
