"""Fit core/bot/messages/aside_wording.json and asides.toml: does a clause of a message have nothing to do with what its
writer wants to know?

    python -m benchmarks.fit_asides [--write]

By wording: multinomial logistic regression over the character n-grams of the clauses in everyday_frames.jsonl (everyday
words around a place for a question, JSON Lines of {lang, writer, text}) and of those of first messages: first_messages.toml, of the desks
that are fitted on (FITTED_DESKS), and daily.jsonl. By the documents: logistic regression over `aside_features`, where
each clause of a frame is searched for in every bot of its language; the wording is then told by a fit on the other folds
(five, no frame or message in two of them). Reported: AUC, and what is left out and what is kept wrongly from several probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks.bot_indexes import read_first_messages
from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import DESKS
from benchmarks.first_messages import FITTED_DESKS
from benchmarks.judges_data import lines
from benchmarks.ngram_fit import fit, probabilities, write
from core.base.bot_folder import load_bot
from core.base.types import Bot
from core.bot.messages import asides
from core.bot.messages.asides import aside_features, is_always_kept, small_clauses
from core.retrieval.index_cache import Indexes
from core.text.language import content_words, script

FRAMES, DAILY = (Path(__file__).with_name(name) for name in ("everyday_frames.jsonl", "daily.jsonl"))
TARGET = Path(asides.__file__).parent
BOTS = ("hinata", "minato", "harbor")
KINDS = ("aside", "matter")
STRENGTH = 30.0  # scikit-learn's C of the wording
SMALL = 4  # tenths: n-grams with no weight as large are left out
FOLDS = 5
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
ABOUT = """Logistic coefficients: does a clause of a message have nothing to do with what its writer wants to know?
Fitted by benchmarks/fit_asides.py on everyday_frames.jsonl and first messages, with example questions and without."""


class Clause(NamedTuple):
    """A clause, whether it is an aside, the frame or message that it is of, and the bots that it may be said to."""

    text: str
    is_aside: bool
    source: str
    bots: tuple[str, ...]


def main() -> None:
    options = argument_parser(__doc__, "--write").parse_args()
    clauses = [one for one in (*aside_clauses(), *matter_clauses()) if content_words(one.text)]
    texts, kinds = [one.text for one in clauses], [KINDS[not one.is_aside] for one in clauses]
    groups = np.unique([one.source for one in clauses], return_inverse=True)[1]
    wording = np.zeros(len(clauses))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(texts, kinds, groups):
        known = fit([texts[place] for place in train], [kinds[place] for place in train], texts, STRENGTH)
        column = list(known.logistic.classes_).index("aside")
        wording[test] = probabilities(known, [texts[place] for place in test])[:, column]
    told = dict(zip(texts, map(float, wording), strict=True))
    report("wording alone", np.array([one.is_aside for one in clauses]), wording)
    kinds_of_bots = {
        "with_examples": list(map(load_bot, BOTS)),
        "without_examples": [load_bot(one, DESKS) for one in FITTED_DESKS],
    }
    tables = {name: fit_table(name, clauses, bots, told) for name, bots in kinds_of_bots.items()}
    if options.write:
        write(fit(texts, kinds, texts, STRENGTH), KINDS, TARGET / "aside_wording.json", "fit_asides.py", SMALL)
        write_coefficients(TARGET / "asides.toml", ABOUT, tables)


def aside_clauses() -> list[Clause]:
    """What stands around the place for a question."""
    found: list[Clause] = []
    for row in lines(FRAMES):
        around = (part.strip(" 、,，:：;\n") for part in row["text"].split("{q}"))
        found += [Clause(one, True, row["text"], ()) for part in around for one in small_clauses(part)]
    return [one for one in found if not is_always_kept(one.text)]


def matter_clauses() -> list[Clause]:
    """The clauses of first messages; daily ones are for no bot of ours."""
    found = [Clause(one, False, row["text"], ("",)) for row in lines(DAILY) for one in small_clauses(row["text"])]
    stored = read_first_messages()
    told = [(bot, one) for bot in BOTS for ones in stored[bot].values() for one in ones]
    messages = [(bot, one if isinstance(one, str) else str(one[0])) for bot, one in told]
    for bot in FITTED_DESKS:
        messages += [(bot, row["text"]) for row in lines(DESKS / bot / "messages.jsonl")]
    return found + [Clause(one, False, text, (bot,)) for bot, text in messages for one in small_clauses(text)]


def fit_table(name: str, clauses: Sequence[Clause], bots: Sequence[Bot], told: dict[str, float]) -> dict[str, float]:
    """The coefficients for some bots; `told`: how likely each clause is an aside by its wording."""
    indexes = Indexes()
    features: list[dict[str, float]] = []
    labels: list[bool] = []
    groups: list[str] = []
    with patch("core.bot.messages.asides.worded_like_aside", lambda clause: told[clause]):
        for bot in bots:
            index = indexes.get(bot)
            for one in clauses:
                english = script(one.text) == "en"
                if bot.id in one.bots or (not one.bots and english == (bot.language == "en")):
                    features.append(aside_features(one.text, index.sections(one.text)))
                    labels.append(one.is_aside)
                    groups.append(one.source)
    names = list(features[0])
    values, wanted = np.array([[one[key] for key in names] for one in features]), np.array(labels)
    guessed = np.zeros(len(wanted))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(values, wanted, groups):
        model = LogisticRegression(class_weight="balanced", max_iter=2000).fit(values[train], wanted[train])
        guessed[test] = model.predict_proba(values[test])[:, 1]
    report(name, wanted, guessed)
    model = LogisticRegression(class_weight="balanced", max_iter=2000).fit(values, wanted)
    return coefficients(model, names)


def report(name: str, wanted: np.ndarray, guessed: np.ndarray) -> None:
    """Print how well asides are told."""
    shares = " | ".join(
        f"{least}: {np.mean(guessed[wanted] >= least):.2f}, {np.mean(guessed[~wanted] >= least):.3f}"
        for least in THRESHOLDS
    )
    print(
        f"{name} (n={len(wanted)}): AUC {roc_auc_score(wanted, guessed):.3f}; asides and others left out from {shares}"
    )


if __name__ == "__main__":
    main()
