"""Fit core/bot/clarify/unclear_probability.toml on the bundled question files, and report each bot from a fit on the others.

    python -m benchmarks.fit_unclear_probability [--data DIR] [--write]

With --data it also prints AUC on AmbigNQ and rank correlation on ClariQ, which take no part in the fit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.coefficients import coefficients, write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from core.base.bot_folder import bot_ids, load_bot
from core.base.types import Scenario, SectionHit
from core.bot.clarify.unclear_probability import clarity_features
from core.retrieval.index_cache import Indexes
from core.simulation.scenarios import read_scenarios

TARGET = Path(__file__).parents[1] / "core" / "bot" / "clarify" / "unclear_probability.toml"
TEXT_FEATURES = (
    "words",
    "words_beyond_4",
    "at_most_one_word",
    "specific",
    "frame_only",
    "condition",
    "advice",
    "advice_words",
    "advice_bare",
    "wish_only",
)
FEATURES = (*TEXT_FEATURES, "coverage", "documents", "sections", "heading", "heading_f1")
Row = tuple[str, Scenario, tuple[SectionHit, ...]]


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--data", type=Path)
    options = arguments.parse_args()
    rows = list(labelled())
    models = {"without_sections": (TEXT_FEATURES, False), "with_sections": (FEATURES, True)}
    for name, (names, look) in models.items():
        for bot in bot_ids():
            held_out(name, bot, rows, names, look)
    if options.data:
        public(options.data, rows)
    if options.write:
        write({name: fit(rows, names, look) for name, (names, look) in models.items()}, len(rows))


def labelled() -> list[Row]:
    indexes = Indexes()
    found: list[Row] = []
    for name in bot_ids():
        bot = load_bot(name)
        index = indexes.get(bot)
        found += [(name, s, index.sections(s.question)) for s in read_scenarios(bot) if s.needs_asking is not None]
    return found


def matrix(rows: list[Row], names: tuple[str, ...], look: bool) -> Any:
    return np.array([[clarity_features(s.question, t if look else ())[n] for n in names] for _, s, t in rows])


def fit(rows: list[Row], names: tuple[str, ...], look: bool) -> dict[str, float]:
    model = LogisticRegression(C=1.0, max_iter=2000).fit(
        matrix(rows, names, look), [s.needs_asking for _, s, _ in rows]
    )
    return coefficients(model, names)


def score(weights: dict[str, float], names: tuple[str, ...], values: Any) -> Any:
    return weights["intercept"] + values @ np.array([weights[name] for name in names])


def held_out(name: str, bot: str, rows: list[Row], names: tuple[str, ...], look: bool) -> None:
    weights = fit([row for row in rows if row[0] != bot], names, look)
    test = [row for row in rows if row[0] == bot]
    margin = score(weights, names, matrix(test, names, look))
    labels = np.array([bool(s.needs_asking) for _, s, _ in test])
    right = float(np.mean((margin > 0) == labels))
    print(f"{name:7} {bot:8} n={len(test)} AUC {roc_auc_score(labels, margin):.3f} accuracy {right:.3f}")


def public(data: Path, rows: list[Row]) -> None:
    weights = fit(rows, TEXT_FEATURES, False)

    def margins(texts: list[str]) -> Any:
        return score(
            weights, TEXT_FEATURES, np.array([[clarity_features(text, ())[n] for n in TEXT_FEATURES] for text in texts])
        )

    ambig = lines(data / "ambignq/dev.jsonl")
    clariq = lines(data / "clariq/dev.jsonl")
    auc = roc_auc_score([row["ambiguous_any"] for row in ambig], margins([row["question"] for row in ambig]))
    rho = spearmanr([row["clarification_need"] for row in clariq], margins([row["request"] for row in clariq]))[0]
    print(f"AmbigNQ n={len(ambig)} AUC {auc:.3f}; ClariQ n={len(clariq)} Spearman {rho:.3f}")


def write(weights: dict[str, dict[str, float]], count: int) -> None:
    about = f"""\
Logistic coefficients for the chance that a message is too unclear to search.
Fitted by benchmarks/fit_unclear_probability.py on the {count} labelled rows of the bundled
knowledge/*/questions.csv (column needs_asking); scikit-learn, L2, C=1."""
    write_coefficients(TARGET, about, weights)


if __name__ == "__main__":
    main()
