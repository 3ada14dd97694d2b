"""Fit core/bot/choices/question_choices.toml: is a section one that a vague message may mean?

    python -m benchmarks.fit_question_choices [--write]

Logistic regression on the example questions that several sections of a bundled bot share; each is looked up in an index
without it (five folds). Reported, by five-fold cross-validation: how many of the sections meant five choices hold
(recall, of five at most), how many of the choices are among them (precision), and how many are offered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.bot_indexes import copy_without
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from core.base.bot_folder import load_bot
from core.base.reply_fields import MAX_CHOICES
from core.base.types import SectionHit
from core.bot.choices.question_choices import MEANT_FROM, MIN_MEANT, choice_features
from core.documents.example_questions import read_example_questions
from core.retrieval.index_cache import Indexes

TARGET = Path(__file__).parents[1] / "core" / "bot" / "choices" / "question_choices.toml"
ABOUT = """Logistic coefficients: is a section one that a vague message may mean?
Fitted by benchmarks/fit_question_choices.py on the example questions that sections of the bundled bots share."""
BOTS = ("hinata", "minato", "harbor")
OF_CHOICE = ("answers", "score", "likelihood", "shared_likelihood", "like")
FOLDS = 5


class Vague(NamedTuple):
    """A vague message: the sections found for it, their features, shape (sections, features), and those that it may mean."""

    sections: tuple[SectionHit, ...]
    values: np.ndarray
    meant: frozenset[tuple[str, str]]

    @property
    def right(self) -> np.ndarray:
        """Whether each section is meant, shape (sections,)."""
        return np.array([hit.section in self.meant for hit in self.sections])


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    messages = [one for name in BOTS for one in vague_messages(name)]
    chances: list[np.ndarray] = [np.zeros(0)] * len(messages)
    for fold in range(FOLDS):
        model: Any = fit([one for place, one in enumerate(messages) if place % FOLDS != fold])
        for place in range(fold, len(messages), FOLDS):
            chances[place] = model.predict_proba(messages[place].values)[:, 1]
    for least in sorted({0.1, 0.15, MEANT_FROM, 0.3}):
        report(messages, chances, least)
    fitted = coefficients(fit(messages), OF_CHOICE)
    print({name: round(value, 3) for name, value in fitted.items()})
    if options.write:
        write_coefficients(TARGET, ABOUT, {"meant": fitted})


def report(messages: list[Vague], chances: list[np.ndarray], least: float) -> None:
    """Print recall, precision and number of choices for a threshold."""
    found: list[tuple[float, float, int]] = []
    for one, chance in zip(messages, chances, strict=True):
        order = np.argsort(-chance)
        likely = [one.sections[row] for place, row in enumerate(order) if place < MIN_MEANT or chance[row] >= least]
        offered = likely[:MAX_CHOICES]
        held = sum(hit.section in one.meant for hit in offered)
        found.append((held / min(MAX_CHOICES, len(one.meant)), held / len(offered), len(offered)))
    recall, precision, count = np.mean(np.array(found), axis=0)
    print(f"least {least}: recall {recall:.3f}, precision {precision:.3f}, choices {count:.2f}, n={len(found)}")


def vague_messages(name: str) -> list[Vague]:
    """The shared example questions of a bot, each found in an index without a fifth of them."""
    bot = load_bot(name)
    examples = read_example_questions(bot)
    times = Counter(one.question for one in examples)
    meant: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in examples:
        if times[one.question] > 1:
            meant[one.question].add(one[:2])
    questions = sorted(meant)
    found: list[Vague] = []
    for fold in range(FOLDS):
        out = set(questions[fold::FOLDS])
        with TemporaryDirectory() as folder:
            copy = copy_without(bot, Path(folder) / name, [one for one in examples if one.question in out])
            index = Indexes(Path(folder) / "chroma").get(copy)
            for question in sorted(out):
                if sections := index.sections(question, 16):
                    values = np.array([[one[key] for key in OF_CHOICE] for one in choice_features(sections)])
                    found.append(Vague(sections, values, frozenset(meant[question])))
    return found


def fit(messages: list[Vague]) -> LogisticRegression:
    """The regression over all sections found."""
    values = np.vstack([one.values for one in messages])
    return LogisticRegression(C=1.0, max_iter=2_000).fit(values, np.concatenate([one.right for one in messages]))


if __name__ == "__main__":
    main()
