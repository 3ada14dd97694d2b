"""Fit core/bot/message_kind/despair.json: does a message tell of despair, in whatever words?

    python -m benchmarks.fit_despair --data DIR [--write]

Logistic regression for each language over what words mean (word vectors in Japanese, sentence vectors in English) and
what the wording tells. A second fit tells a danger to a life from everything else, suffering too: who mourns is spoken
to as in danger only if that says so. Learned from veiled.jsonl, by eight writers: a danger to a life in veiled words,
deep suffering, and messages that look like them and are neither; from half of the plain messages: all of
first_messages.toml, and some example questions of the bundled bots; and from ordinary life: daily.jsonl, each message
counted as DAILY of others, and the questions of public data sets, read from DIR/NAME/dev.jsonl (PUBLIC; they are not
part of this repository, and the stored fit depends on them). Reported: how many of each kind are heard from several
probabilities, each writer's messages by a fit on the others', and how many of the other half of the plain messages
are; and the same for what is never learned: held_out_veiled.jsonl, by two writers, and held_out_daily.jsonl, by which
the thresholds in despair.py were set.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.bot_indexes import read_first_messages
from benchmarks.command_line import argument_parser
from benchmarks.fit_incidents import questions
from benchmarks.judges_data import lines
from core.bot.message_kind import despair
from core.bot.message_kind.clauses import message_clauses
from core.bot.message_kind.despair import despair_features
from core.bot.message_kind.message_vector import vector_language

FILE, HELD_OUT = (Path(__file__).with_name(name) for name in ("veiled.jsonl", "held_out_veiled.jsonl"))
TALK = tuple(Path(__file__).with_name(name) for name in ("everyday_frames.jsonl", "held_out_frames.jsonl"))
LIFE = tuple(Path(__file__).with_name(name) for name in ("daily.jsonl", "held_out_daily.jsonl"))
TARGET = Path(despair.__file__).with_name("despair.json")
PUBLIC = {
    "ambignq": "question",
    "squad2": "question",
    "mtrag": "question",
    "answer_equivalence": "question",
    "jsquad": "question",
    "localgovfaq": "query",
}
NEVER_LEARNED = ("plain1", "ja3", "en3", "ja4", "en4", "life1", "talk1")
TOLD = {"despair": ("danger", "pain"), "danger": ("danger",)}  # what each fit tells from everything else
STRENGTH = {"ja": 100.0, "en": 10.0}  # C of the regression
DAILY = 4.0  # weight of a message of daily life
QUESTIONS = 12_000  # example questions that are taken
THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Row(NamedTuple):
    """A message: who wrote it, what it tells, and its features."""

    writer: str
    label: str
    features: Any


def main() -> None:
    options = argument_parser(__doc__, "--data", "--write").parse_args()
    stored: dict[str, dict[str, Any]] = {}
    for language in STRENGTH:
        rows = read(language, options.data)
        for told in TOLD:
            report(language, rows, told)
            model = fitted(language, rows, told)
            weights = [round(float(value), 3) for value in model.coef_[0]]
            stored.setdefault(told, {})[language] = {
                "intercept": round(float(model.intercept_[0]), 3),
                "weights": weights,
            }
    if options.write:
        about = "Fitted by benchmarks/fit_despair.py on veiled.jsonl, daily.jsonl, first_messages.toml and public questions."
        TARGET.write_text(json.dumps({"about": about, **stored}, indent=None) + "\n", "utf-8")


def read(language: str, data: Path) -> list[Row]:
    """The messages in a language; the plain ones and those of daily life by two writers, of whom one is learned from."""
    veiled = [one for file in (FILE, HELD_OUT) for one in lines(file)]
    rows = [(one["writer"], one["label"], one["text"]) for one in veiled]
    rows += [(f"plain{place % 2}", "plain", text) for place, text in enumerate(plain_messages())]
    daily = [(f"life{place}", one["text"]) for place, name in enumerate(LIFE) for one in lines(name)]
    rows += [(writer, "daily", text) for writer, text in daily]
    rows += [(f"talk{place}", "talk", text) for place, file in enumerate(TALK) for text in everyday_talk(file)]
    asked = {one[key]: None for name, key in PUBLIC.items() for one in lines(data / name / "dev.jsonl")}
    rows += [("public", "plain", text) for text in asked]
    chosen = [row for row in rows if vector_language(row[2]) == language]
    return [Row(writer, label, despair_features(text)) for writer, label, text in chosen]


def everyday_talk(file: Path) -> list[str]:
    """What people say around a question, whole and clause by clause."""
    whole = [one["text"].replace("{q}", " ").strip() for one in lines(file)]
    return [part for text in whole for part in dict.fromkeys((text, *message_clauses(text)))]


def plain_messages() -> list[str]:
    """Messages that tell of nothing bad."""
    kinds = [kind for bot in read_first_messages().values() for kind in bot.values()]
    return [one if isinstance(one, str) else one[0] for kind in kinds for one in kind] + questions()[:QUESTIONS]


def fitted(language: str, rows: Sequence[Row], told: str, without: str = "") -> Any:
    """A model of despair, or of a danger alone, learned from all writers but one."""
    learned = [one for one in rows if one.writer not in (without, *NEVER_LEARNED)]
    model = LogisticRegression(C=STRENGTH[language], max_iter=3000)
    heard = [one.label in TOLD[told] for one in learned]
    weights = [DAILY if one.label == "daily" else 1.0 for one in learned]
    return model.fit([one.features for one in learned], heard, sample_weight=weights)


def report(language: str, rows: Sequence[Row], told: str) -> None:
    """What each writer's messages are taken for by the others' fit."""
    chances: dict[tuple[str, str], Any] = {}
    for writer in {one.writer for one in rows} - {"plain0", "life0", "talk0", "public"}:
        model = fitted(language, rows, told, writer)
        for label in {one.label for one in rows if one.writer == writer}:
            texts = [one.features for one in rows if one.writer == writer and one.label == label]
            chances[label, writer] = model.predict_proba(texts)[:, 1]
    for least in THRESHOLDS:
        shares = {label: np.concatenate([c for key, c in chances.items() if key[0] == label]) for label, _ in chances}
        heard = " | ".join(
            f"{label} {np.mean(found >= least):.3f} of {len(found)}" for label, found in sorted(shares.items())
        )
        print(f"{language} {told} from {least}: {heard}")
    for key, found in sorted(chances.items()):
        print(
            f"{language} {told} {key[1]:8}{key[0]:8} from .5: {np.mean(found >= 0.5):.2f}   .8: {np.mean(found >= 0.8):.2f}"
        )


if __name__ == "__main__":
    main()
