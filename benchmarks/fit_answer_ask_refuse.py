"""Fit core/bot/answer_ask_refuse.toml: is a first message best answered at once, asked about, or refused?

    python -m benchmarks.fit_answer_ask_refuse [--write] [--questions without_examples with_examples with_unanswered]

Logistic regression on first_messages.toml: clear messages with their section, ambiguous ones, and ones that the documents
do not answer (those for which nothing is found are left out). One is to be answered at once if it is clear, and its
section is found first or the reply made without asking says what a right one says; a clear one with another section
first is better asked about. All is fitted three times: without the bots' example questions (for either language), with those
that one section answers, and with those too that several sections or none answers. Without them, the messages to written desks
(written_desks/response) and to four desks of other people's documents (benchmarks/desks) are among those fitted on, and the
latter count more; the projections of section_vectors.npz are trained on the other bots. The probabilities
of sections are those of fit_section_probability.py (run it first), by a fit on the other messages.
Reported: ten-fold cross-validation, and two more desks. Thresholds and what a response counts are kept: they are
choices between asking needlessly, answering wrongly and refusing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import Questions
from benchmarks.coefficients import coefficients, replace_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.first_messages import HELD_OUT_DESKS, KINDS, Row, examples, weights_of
from benchmarks.fit_section_probability import FOLDS, fit_on_first_messages
from core.bot.answer_ask_refuse import RESPONSES, WEIGHT_SIGNALS
from core.text.language import Script

TARGET = Path(__file__).parents[1] / "core" / "bot" / "answer_ask_refuse.toml"
ABOUT = """Logistic coefficients: what is the best response to a message that stands alone?
Fitted by benchmarks/fit_answer_ask_refuse.py on benchmarks/first_messages.toml. without_examples_*: for bots without, also on messages
to written desks and to four desks of other people; with_examples: with those that one section answers; with_unanswered: with those
too that several sections or none answers."""
OF_MESSAGE = ("documented", "unclear", "named", "section", "rival", "length", "nearest_example", "semantic")
# If the bot has example questions that no document answers
OF_OTHERS = ("unanswered", "shared", "unanswered_log_ratio")
OF_DOCUMENTS = ("documented", "right", "unclear", "word_count", "named", "section", "rival", "length")  # without these
OF_WORDS = ("unknown", "unknown_share", "unknown_names", "figures")  # and these
# And these, without example questions, in either language.
OF_LANGUAGE: dict[Script, tuple[str, ...]] = {
    "ja": ("breadth", "sentence", "share", "heading", "matched", *WEIGHT_SIGNALS),
    "en": ("breadth", "sentence", "share", "heading", "vector", "weight"),
}
# C of the regression, on features in standard deviations
STRENGTH = {"without_examples": 0.03, "with_examples": 1.0, "with_unanswered": 1.0}


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--questions", nargs="+", choices=get_args(Questions), default=get_args(Questions))
    options = arguments.parse_args()
    found: dict[str, dict[str, dict[str, float]]] = {}
    for questions in options.questions:
        rows = examples(questions)
        if questions != "with_examples":
            fit_on_first_messages(rows, questions)
        print(f"\n{questions}: {len(rows)} messages")
        if questions == "without_examples":
            for of, more in OF_LANGUAGE.items():
                names = (*OF_DOCUMENTS, *OF_WORDS, *more)
                found[f"without_examples_{of}"] = fit_responses([row for row in rows if row.of == of], questions, names)
        else:
            names = OF_MESSAGE if questions == "with_examples" else (*OF_MESSAGE, *OF_OTHERS)
            found[questions] = fit_responses(rows, questions, names)
    if options.write:
        replace_coefficients(TARGET, ABOUT, found)


def fit_responses(rows: list[Row], questions: Questions, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The coefficients of each response."""
    held_out, rows = [row for row in rows if row.desk in HELD_OUT_DESKS], fitted_on(rows)
    values, labels = matrix(rows, names), np.array([RESPONSES.index(row.response) for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH[questions], max_iter=3000))
    weights = {"logisticregression__sample_weight": weights_of(rows)}
    chances: Any = cross_val_predict(model, values, labels, cv=FOLDS, method="predict_proba", params=weights)
    print(f"log loss {log_loss(labels, chances):.3f}")
    for place, name in enumerate(RESPONSES):
        print(f"{name}: AUC {roc_auc_score(labels == place, chances[:, place]):.3f}")
    model.fit(values, labels, **weights)
    others: Any = model.predict_proba(matrix(held_out, names)) if held_out else None
    for ask in (0.7, 1.0, 1.4, 2.0, 3.0):
        for refuse in (1.0, 1.4, 2.0):
            counts = (1.0, ask, refuse)
            report(f"ask counts {ask}, refuse {refuse}", rows, (chances * counts).argmax(axis=1))
            if held_out:
                report("    held-out desks", held_out, (others * counts).argmax(axis=1))
    return {name: coefficients(model, names, place) for place, name in enumerate(RESPONSES)}


def matrix(rows: list[Row], names: Sequence[str]) -> NDArray[np.float64]:
    """The features by name, shape (rows, names)."""
    return np.array([[row.features[name] for name in names] for row in rows])


def fitted_on(rows: list[Row]) -> list[Row]:
    """The rows that are fitted on."""
    return [row for row in rows if row.desk not in HELD_OUT_DESKS]


def report(name: str, rows: list[Row], responses: NDArray[np.int64]) -> None:
    """Shares of each kind of message that are answered rightly, answered wrongly, asked about and refused."""
    parts: list[str] = []
    for kind in KINDS:
        of_kind = np.array([row.kind == kind for row in rows])
        answered = responses[of_kind] == 0
        right = np.array([row.response == "answer" for row in rows])[of_kind]
        asked, refused = (float((responses[of_kind] == place).mean()) for place in (1, 2))
        shares = f"right {(answered & right).mean():.2f} wrong {(answered & ~right).mean():.2f}"
        parts.append(f"{kind}: {shares} asked {asked:.2f} refused {refused:.2f}")
    print(f"{name:32} {' | '.join(parts)}")


if __name__ == "__main__":
    main()
