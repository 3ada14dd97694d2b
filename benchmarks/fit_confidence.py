"""Fit core/bot/clarify/confidence.toml: is a first message answered at once, or are the nearest topics offered?

    python -m benchmarks.fit_confidence [--write]

Logistic regression on first_messages.toml, written for this: clear messages with their section, ambiguous ones, and ones
that the documents do not answer. One is to be answered at once if it is clear, and its section is found first or the
reply made without asking says what a right one says. Reported: ten-fold cross-validation. The threshold is kept: it is a
choice between asking needlessly and answering wrongly.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tomlkit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from core.base.bot_folder import load_bot
from core.base.types import Bot, Message, Topic
from core.bot.clarify.confidence import FEATURES, confidence_features
from core.bot.turn import find_topics, take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.headings import last_heading
from core.retrieval.index import Index, Indexes
from core.text.normalize import normalize

TARGET = Path(__file__).parents[1] / "core" / "bot" / "clarify" / "confidence.toml"
ABOUT = """Logistic coefficients: how surely does the best section answer a first message?
Fitted by benchmarks/fit_confidence.py on benchmarks/first_messages.toml; the threshold is chosen."""
STRENGTH = 0.1  # C of the regression, on features in standard deviations
SHOWN = (0.3, 0.35, 0.4, 0.45, 0.5)


class Row(NamedTuple):
    """A message: what speaks for answering it at once, whether that is right, and what kind it is."""

    features: list[float]
    right: bool
    kind: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    rows = examples()
    values, labels = np.array([row.features for row in rows]), np.array([row.right for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    chances = cross_val_predict(model, values, labels, cv=10, method="predict_proba")[:, 1]
    print(f"n={len(rows)} AUC {roc_auc_score(labels, chances):.3f}")
    for threshold in SHOWN:
        report(rows, chances >= threshold, threshold)
    model.fit(values, labels)
    scaler, logistic = model[0], model[1]
    slopes = logistic.coef_[0] / scaler.scale_
    found = {"intercept": float(logistic.intercept_[0] - slopes @ scaler.mean_)}
    found |= {name: float(slope) for name, slope in zip(FEATURES, slopes, strict=True)}
    print(found)
    if options.write:
        write(found)


def examples() -> list[Row]:
    """All messages of first_messages.toml."""
    stored = tomllib.loads(Path(__file__).with_name("first_messages.toml").read_text("utf-8"))
    indexes = Indexes()
    found: list[Row] = []
    for name, kinds in stored.items():
        bot = load_bot(name)
        index = indexes.get(bot)
        for message, document, heading, *facts in kinds["answer"]:
            topics = topics_of(index, message)
            right = is_section(topics[0], document, heading) or says(bot, index, message, facts)
            found.append(row(message, topics, right, "answer"))
        for kind in ("ask", "refuse"):
            found += [row(message, topics_of(index, message), False, kind) for message in kinds[kind]]
    return found


def topics_of(index: Index, message: str) -> tuple[Topic, ...]:
    return find_topics(index, (Message(role="user", text=message),))


def row(message: str, topics: tuple[Topic, ...], right: bool, kind: str) -> Row:
    features = confidence_features(message, topics)
    return Row([features[name] for name in FEATURES], right, kind)


def is_section(topic: Topic, document: str, heading: str) -> bool:
    return topic.document == document and last_heading(topic.heading).startswith(heading)


def says(bot: Bot, index: Index, message: str, facts: list[str]) -> bool:
    """Whether the reply made without asking holds one of the facts."""
    reply = take_turn(EmbeddedEngine(), bot, index, (), message, clarify=False).reply
    said = "".join(normalize(reply.text).split())
    return reply.kind == "answer" and reply.answered and any("".join(normalize(one).split()) in said for one in facts)


def report(rows: list[Row], answered: np.ndarray, threshold: float) -> None:
    """Shares of the clear messages answered rightly and wrongly, and of the others not answered at once."""
    clear = np.array([row.kind == "answer" for row in rows])
    right = np.array([row.right for row in rows])
    others = {kind: np.array([row.kind == kind for row in rows]) for kind in ("ask", "refuse")}
    shares = " ".join(f"{kind} not answered {1 - answered[of].mean():.2f}" for kind, of in others.items())
    good, bad = (answered & right)[clear].mean(), (answered & ~right)[clear].mean()
    print(f"threshold {threshold:.2f}: right {good:.2f} wrong {bad:.2f} {shares}")


def write(found: dict[str, float]) -> None:
    stored = tomllib.loads(TARGET.read_text("utf-8")) if TARGET.is_file() else {}
    document = tomlkit.document()
    for line in ABOUT.splitlines():
        document.add(tomlkit.comment(line))
    document["threshold"] = stored.get("threshold", 0.5)
    for name, value in found.items():
        document[name] = round(value, 4)
    TARGET.write_text(tomlkit.dumps(document), "utf-8")


if __name__ == "__main__":
    main()
