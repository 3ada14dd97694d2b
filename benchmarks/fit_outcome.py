"""Fit core/bot/clarify/confidence.toml: is a first message answered at once, or are the nearest topics offered?
And the tables *_examples of core/bot/evidence.toml: do documents with example questions speak of it, and which section?

    python -m benchmarks.fit_confidence [--write]

Logistic regression on first_messages.toml: clear messages with their section, ambiguous ones, and ones that the documents
do not answer (those for which nothing is found are left out). One is to be answered at once if it is clear, and its
section is found first or the reply made without asking says what a right one says. All is fitted twice: with the bots'
example questions and without.
Reported: ten-fold cross-validation. The thresholds are kept: they are choices between asking needlessly and answering wrongly.
"""

from __future__ import annotations

import argparse
import shutil
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import tomlkit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.coefficients import write_coefficients
from core.base.bot_folder import load_bot
from core.base.probabilities import log_odds
from core.base.types import Bot, Message, Topic
from core.bot.clarify.confidence import FEATURES, LEAST, confidence_features
from core.bot.evidence import OF_SECTION, WITH_EXAMPLES, evidence_features, section_features
from core.bot.turn import take_turn
from core.bot.turn_search import find_topics
from core.llm.embedded import EmbeddedEngine
from core.retrieval.example_questions import FILE
from core.retrieval.headings import last_heading
from core.retrieval.index import Index, Indexes
from core.text.language import Script
from core.text.normalize import normalize

TARGET = Path(__file__).parents[1] / "core" / "bot" / "clarify" / "confidence.toml"
ABOUT = """Logistic coefficients: how surely does the best section answer a first message?
Fitted by benchmarks/fit_confidence.py on benchmarks/first_messages.toml: sections with and without example questions."""
EVIDENCE = TARGET.parents[1] / "evidence.toml"
KINDS = ("answer", "ask", "refuse")
FOLDS = 10
STRENGTH = 0.1  # C of the regression, on features in standard deviations
SHOWN = (0.3, 0.35, 0.4, 0.45, 0.5)


class Row(NamedTuple):
    """A message: what speaks for answering it at once, whether that is right, and what kind it is."""

    features: dict[str, float]
    right: bool
    kind: str
    of: Script
    evidence: dict[str, float]
    sections: list[tuple[dict[str, float], bool]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    found: dict[str, dict[str, float]] = {}
    for suffix in ("", "_examples"):
        rows = examples(bool(suffix))
        for of in ("ja", "en"):
            spoken = [row for row in rows if row.of == of]
            fit_section(spoken, f"section_{of}{suffix}", options.write)
            if suffix:
                fit_documented(spoken, of, options.write)
        found["examples" if suffix else "documents"] = fit_confidence(rows)
    if options.write:
        write_coefficients(TARGET, ABOUT, found)


def fit_confidence(rows: list[Row]) -> dict[str, float]:
    """The coefficients of confidence.toml; the threshold is kept."""
    values, labels = np.array([[row.features[n] for n in FEATURES] for row in rows]), np.array([r.right for r in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    chances = probabilities(model, values, labels, FOLDS)
    print(f"n={len(rows)} AUC {roc_auc_score(labels, chances):.3f}")
    for threshold in SHOWN:
        report(rows, chances >= threshold, threshold)
    model.fit(values, labels)
    return coefficients(model, FEATURES)


def probabilities(model: Any, values: Any, labels: Any, folds: int) -> Any:
    """The probability that each row is right, by a fit on the other folds."""
    found: Any = cross_val_predict(model, values, labels, cv=folds, method="predict_proba")
    return found[:, 1]


def fit_documented(rows: list[Row], of: Script, stored: bool) -> None:
    """Whether the documents speak of a message, if their sections have example questions; the threshold is kept."""
    names = (*WITH_EXAMPLES, "vector") if of == "en" else WITH_EXAMPLES
    values = np.array([[row.evidence[name] for name in names] for row in rows])
    labels = np.array([row.kind != "refuse" for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0))
    chances = probabilities(model, values, labels, 10)
    print(f"documented {of} n={len(rows)} AUC {roc_auc_score(labels, chances):.3f}")
    for threshold in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75):
        shares = (f"{kind} {(chances[[r.kind == kind for r in rows]] >= threshold).mean():.2f}" for kind in KINDS)
        print(f"threshold {threshold:.2f}: documented {' '.join(shares)}")
    model.fit(values, labels)
    if stored:
        save(f"documented_{of}_examples", coefficients(model, names))


def fit_section(rows: list[Row], table: str, stored: bool) -> None:
    """How likely each of the first sections found is the right one; ambiguous messages have none to learn from.

    Sets the features "section" and "rival" of each row, as a fit on the other rows sees them.
    """
    names = (*OF_SECTION, "vector") if rows[0].of == "en" else OF_SECTION
    values = [np.array([[features[name] for name in names] for features, _ in row.sections]) for row in rows]
    labels = [np.array([right for _, right in row.sections]) for row in rows]
    known = [place for place, row in enumerate(rows) if row.kind != "ask"]
    chances: list[np.ndarray] = [np.empty(0)] * len(rows)
    for fold in range(FOLDS):
        model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
        others = [place for place in known if place % FOLDS != fold]
        model.fit(np.concatenate([values[i] for i in others]), np.concatenate([labels[i] for i in others]))
        for place in range(fold, len(rows), FOLDS):
            chances[place] = model.predict_proba(values[place])[:, 1]
    found, right = (np.concatenate([each[place] for place in known]) for each in (chances, labels))
    unknown = [place for place in known if rows[place].kind == "refuse"]
    print(f"{table} n={len(right)} AUC {roc_auc_score(right, found):.3f}")
    for threshold in (0.03, 0.05, 0.08, 0.13, 0.2):
        beside = np.mean([(chances[place] >= threshold).sum() for place in unknown])
        print(
            f"threshold {threshold:.2f}: right ones {(found[right] >= threshold).mean():.2f}, sections of an undocumented one {beside:.2f}"
        )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    model.fit(np.concatenate([values[i] for i in known]), np.concatenate([labels[i] for i in known]))
    if stored:
        save(table, coefficients(model, names))
    for row, (best, *rivals) in zip(rows, chances, strict=True):
        row.features.update(section=log_odds(best, LEAST), rival=log_odds(max(rivals, default=0.0), LEAST))


def save(name: str, values: dict[str, float]) -> None:
    """Write a table of evidence.toml; its threshold stays."""
    document = tomlkit.parse(EVIDENCE.read_text("utf-8"))
    table = document.setdefault(name, tomlkit.table())
    table.update({key: round(value, 4) for key, value in values.items()})
    EVIDENCE.write_text(tomlkit.dumps(document), "utf-8")


def coefficients(model: Any, names: Sequence[str]) -> dict[str, float]:
    """The intercept and slopes for features that are not scaled."""
    scaler, logistic = model[0], model[1]
    slopes = logistic.coef_[0] / scaler.scale_
    intercept = float(logistic.intercept_[0] - slopes @ scaler.mean_)
    return {"intercept": intercept, **{name: float(slope) for name, slope in zip(names, slopes, strict=True)}}


def examples(with_questions: bool) -> list[Row]:
    """All messages of first_messages.toml, found with the bots' example questions or without them."""
    with TemporaryDirectory() as folder:
        return _examples(with_questions, Path(folder))


def _examples(with_questions: bool, folder: Path) -> list[Row]:
    stored = tomllib.loads(Path(__file__).with_name("first_messages.toml").read_text("utf-8"))
    found: list[Row] = []
    for name, (bot, index) in indexes_of(stored, with_questions, folder).items():
        kinds = stored[name]
        for message, document, heading, *facts in kinds["answer"]:
            topics = topics_of(index, message)
            right = is_section(topics[0], document, heading) or says(bot, index, message, facts)
            found.append(row(message, topics, right, "answer", (document, heading)))
        for kind in ("ask", "refuse"):
            every = ((message, topics_of(index, message)) for message in kinds[kind])
            found += [row(message, topics, False, kind) for message, topics in every if topics]
    return found


def indexes_of(names: Iterable[str], with_questions: bool, folder: Path) -> dict[str, tuple[Bot, Index]]:
    """Some bots with their indexes; without example questions they are copied to a folder."""
    indexes = Indexes() if with_questions else Indexes(folder)
    found: dict[str, tuple[Bot, Index]] = {}
    for name in names:
        bot = load_bot(name)
        if not with_questions:
            copy = folder / name
            shutil.copytree(bot.folder, copy, ignore=shutil.ignore_patterns(FILE))
            bot = bot.model_copy(update={"folder": copy})
        found[name] = (bot, indexes.get(bot))
    return found


def topics_of(index: Index, message: str) -> tuple[Topic, ...]:
    return find_topics(index, (Message(role="user", text=message),))


def row(message: str, topics: tuple[Topic, ...], right: bool, kind: str, section: tuple[str, str] | None = None) -> Row:
    features = confidence_features(message, topics)
    of: Script = "ja" if topics[0].vector is None else "en"
    features_of = zip(topics, section_features(topics), strict=False)
    sections = [(found, section is not None and is_section(one, *section)) for one, found in features_of]
    return Row(features, right, kind, of, evidence_features(message, topics), sections)


def is_section(topic: Topic, document: str, heading: str) -> bool:
    return topic.document == document and last_heading(topic.heading).startswith(heading)


def says(bot: Bot, index: Index, message: str, facts: list[str]) -> bool:
    """Whether the reply made without asking holds one of the facts."""
    reply = take_turn(EmbeddedEngine(), bot, index, (), message, clarify=False).reply
    said = "".join(normalize(reply.text).split())
    is_answered = reply.kind == "answer" and bool(reply.answered)
    return is_answered and any("".join(normalize(one).split()) in said for one in facts)


def report(rows: list[Row], answered: np.ndarray, threshold: float) -> None:
    """Shares of the clear messages answered rightly and wrongly, and of the others not answered at once."""
    clear = np.array([row.kind == "answer" for row in rows])
    right = np.array([row.right for row in rows])
    others = {kind: np.array([row.kind == kind for row in rows]) for kind in ("ask", "refuse")}
    shares = " ".join(f"{kind} not answered {1 - answered[of].mean():.2f}" for kind, of in others.items())
    good, bad = (answered & right)[clear].mean(), (answered & ~right)[clear].mean()
    print(f"threshold {threshold:.2f}: right {good:.2f} wrong {bad:.2f} {shares}")


if __name__ == "__main__":
    main()
