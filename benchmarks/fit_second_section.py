"""Fit core/bot/answer/second_section.toml: is a second section needed beside the one that an answer quotes?

    python -m benchmarks.fit_second_section [--write]

Logistic regression on the clear messages of first_messages.toml that are answered and ask one thing: the likeliest other
section is needed if it is the right one and the first quoted is not. Reported: ten-fold cross-validation.
The threshold is kept: it is a choice between an answer that is missing and one that nobody asked for.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.coefficients import write_coefficients
from core.base.bot_folder import load_bot
from core.base.types import Hit
from core.bot.answer import quotes
from core.bot.answer.quotes import SECOND_SECTION_FROM, likeliest_beside, second_features
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.headings import last_heading
from core.retrieval.indexes import Indexes

TARGET = Path(quotes.__file__).with_name("second_section.toml")
ABOUT = """Logistic coefficients: is a second section needed beside the first one quoted?
Fitted by benchmarks/fit_second_section.py on benchmarks/first_messages.toml."""
STRENGTH = 0.3  # C of the regression, on features in standard deviations
FOLDS = 10
SHOWN = (0.15, 0.2, 0.25, 0.3)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    rows = examples()
    names = list(rows[0][0])
    values, needed = (
        np.array([[found[name] for name in names] for found, _ in rows]),
        np.array([one for _, one in rows]),
    )
    model: Any = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    both: Any = cross_val_predict(model, values, needed, cv=folds, method="predict_proba")
    chances = both[:, 1]
    print(f"n={len(rows)} needed {needed.sum()} AUC {roc_auc_score(needed, chances):.3f}")
    for threshold in SHOWN:
        quoted = chances >= threshold
        mark = " (as set)" if threshold == SECOND_SECTION_FROM else ""
        print(f"threshold {threshold:.2f}: quoted {quoted.sum()}, of which needed {(quoted & needed).sum()}{mark}")
    if options.write:
        model.fit(values, needed)
        scaler, logistic = model[0], model[1]
        slopes = logistic.coef_[0] / scaler.scale_
        intercept = float(logistic.intercept_[0] - slopes @ scaler.mean_)
        found = {"intercept": intercept, **{name: float(slope) for name, slope in zip(names, slopes, strict=True)}}
        write_coefficients(TARGET, ABOUT, {"second": found})


def examples() -> list[tuple[dict[str, float], bool]]:
    """For each answered message what speaks for a second section, and whether it is needed."""
    stored = tomllib.loads(Path(__file__).with_name("first_messages.toml").read_text("utf-8"))
    indexes, engine = Indexes(), EmbeddedEngine()
    found: list[tuple[dict[str, float], bool]] = []
    for name, kinds in stored.items():
        bot = load_bot(name)
        index = indexes.get(bot)
        for message, document, heading, *_ in kinds["answer"]:
            with mock.patch.object(quotes, "likeliest_beside", wraps=likeliest_beside) as asked:
                take_turn(engine, bot, index, (), message)
            if not asked.call_args:
                continue  # asked, refused, or several things asked
            place, wanted, hits = asked.call_args.args
            second = likeliest_beside(place, wanted, hits)
            if second is not None:
                first_right, second_right = (is_section(hits[i], document, heading) for i in (place, second))
                found.append((second_features(place, second, wanted, hits), second_right and not first_right))
    return found


def is_section(hit: Hit, document: str, heading: str) -> bool:
    return hit.document == document and last_heading(hit.heading).startswith(heading)


if __name__ == "__main__":
    main()
