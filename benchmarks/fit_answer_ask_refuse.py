"""Fit core/bot/answer_ask_refuse.toml: is a first message best answered at once, asked about, or refused?
And tables of core/bot/section_probability.toml: do documents with example questions cover it, and which section answers?

    python -m benchmarks.fit_answer_ask_refuse [--write] [--questions without_examples with_examples with_unanswered]

Logistic regression on first_messages.toml: clear messages with their section, ambiguous ones, and ones that the documents
do not answer (those for which nothing is found are left out). One is to be answered at once if it is clear, and its
section is found first or the reply made without asking says what a right one says; a clear one with another section
first is better asked about. All is fitted three times: without the bots' example questions (for either language), with those
that one section answers, and with those too that several sections or none answers. Without them, the messages to written desks
(written_desks/response) and to four desks of other people's documents (benchmarks/desks) are among those fitted on, and the
latter count more; the projections of section_vectors.npz are trained on the other bots.
Reported: ten-fold cross-validation, and two more desks. Thresholds and what a response counts are kept: they are
choices between asking needlessly, answering wrongly and refusing.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, get_args
from unittest.mock import patch

import numpy as np
import tomlkit
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.bot_indexes import Questions, indexes_of, is_section
from benchmarks.coefficients import write_tables
from benchmarks.desk_files import DESKS, bot_of_desk, read_desks
from benchmarks.fit_meaning import trained_without
from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.probabilities import log_odds
from core.base.types import Bot, Message, SectionHit
from core.bot.answer_ask_refuse import RESPONSES, WEIGHT_SIGNALS, BestResponse, response_features
from core.bot.section_probability import evidence_features, section_features
from core.bot.turn import TurnOptions, take_turn
from core.bot.turn_context import find_sections
from core.llm.embedded import EmbeddedEngine
from core.retrieval import section_vectors
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.language import Script
from core.text.normalize import normalize

TARGET = Path(__file__).parents[1] / "core" / "bot" / "answer_ask_refuse.toml"
ABOUT = """Logistic coefficients: what is the best response to a message that stands alone?
Fitted by benchmarks/fit_answer_ask_refuse.py on benchmarks/first_messages.toml. without_examples_*: for bots without, also on messages
to written desks and to four desks of other people; with_examples: with those that one section answers; with_unanswered: with those
too that several sections or none answers."""
EVIDENCE = TARGET.with_name("section_probability.toml")
KINDS = ("answer", "ask", "refuse")
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
FITTED_DESKS = ("clinic", "campus", "ward", "rail")
HELD_OUT_DESKS = ("mobile", "outdoor")
WEIGHT_OF_DESK = 4.0  # there are fewer messages to them, and they are by other people
# Of "documented", with example questions
WITH_EXAMPLES = ("breadth", "words", "example", "heading", "unanswered_log_ratio")
OF_SECTION = ("score", "coverage", "heading_coverage", "lexical", "ahead", "together")
OF_EXAMPLES = ("example", "nearer", "likelihood", "likelier")  # and these, if sections have example questions
WRITTEN = "written"
# By which the log odds of sections are lowered without example questions: a right section is found for more of the messages
# of the fit than the thresholds were chosen on.
LOWERED = 0.4
WEIGHT_OF_UNDOCUMENTED = 4.0  # to written desks, where they are rarer than among what people write
FOLDS = 10
STRENGTH = 0.1  # C of the regression, on features in standard deviations
# The same, for the responses
STRENGTH_OF_RESPONSE = {"without_examples": 0.03, "with_examples": 1.0, "with_unanswered": 1.0}


class Row(NamedTuple):
    """A message: what speaks for each response, the best one, what kind it is, and whether its section is found first."""

    features: dict[str, float]
    response: BestResponse
    kind: str
    of: Script
    evidence: dict[str, float]
    sections: list[tuple[dict[str, float], bool]]
    desk: str = ""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--questions", nargs="+", choices=get_args(Questions), default=get_args(Questions))
    options = arguments.parse_args()
    found: dict[str, Mapping[str, Any]] = dict(tomllib.loads(TARGET.read_text("utf-8")))
    for questions in options.questions:
        rows = examples(questions)
        for of in ("ja", "en") if questions != "with_examples" else ():
            spoken = [row for row in rows if row.of == of]
            suffix = "" if questions == "without_examples" else "_with_examples"
            fit_section(spoken, f"section_{of}{suffix}", options.write)
            if suffix:
                fit_documented(spoken, of, options.write)
        print(f"\n{questions}: {len(rows)} messages")
        if questions == "without_examples":
            for of, more in OF_LANGUAGE.items():
                names = (*OF_DOCUMENTS, *OF_WORDS, *more)
                found[f"without_examples_{of}"] = fit_responses([row for row in rows if row.of == of], questions, names)
        else:
            names = OF_MESSAGE if questions == "with_examples" else (*OF_MESSAGE, *OF_OTHERS)
            found[questions] = fit_responses(rows, questions, names)
    if options.write:
        write_tables(TARGET, ABOUT, found)


def fit_responses(rows: list[Row], questions: Questions, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The coefficients of each response."""
    held_out, rows = [row for row in rows if row.desk in HELD_OUT_DESKS], fitted_on(rows)
    values, labels = matrix(rows, names), np.array([RESPONSES.index(row.response) for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH_OF_RESPONSE[questions], max_iter=3000))
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


def weights_of(rows: list[Row]) -> NDArray[np.float64]:
    """How much each row counts, shape (rows,)."""
    rare = [row.desk == WRITTEN and row.kind == "refuse" for row in rows]
    of_desk = [row.desk in FITTED_DESKS for row in rows]
    return np.where(rare, WEIGHT_OF_UNDOCUMENTED, np.where(of_desk, WEIGHT_OF_DESK, 1.0))


def probabilities(model: Any, values: Any, labels: Any) -> Any:
    """The probability that each row is right, by a fit on the other folds."""
    found: Any = cross_val_predict(model, values, labels, cv=FOLDS, method="predict_proba")
    return found[:, 1]


def fit_documented(rows: list[Row], of: Script, stored: bool) -> None:
    """Whether the documents speak of a message, if their sections have example questions; the threshold is kept."""
    names = (*WITH_EXAMPLES, "vector") if of == "en" else WITH_EXAMPLES
    values = np.array([[row.evidence[name] for name in names] for row in rows])
    labels = np.array([row.kind != "refuse" for row in rows])
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0))
    chances = probabilities(model, values, labels)
    print(f"documented {of} n={len(rows)} AUC {roc_auc_score(labels, chances):.3f}")
    for threshold in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75):
        shares = (f"{kind} {(chances[[r.kind == kind for r in rows]] >= threshold).mean():.2f}" for kind in KINDS)
        print(f"threshold {threshold:.2f}: documented {' '.join(shares)}")
    model.fit(values, labels)
    for row, chance in zip(rows, chances, strict=True):
        row.features["documented"] = log_odds(chance)
    if stored:
        save(f"documented_{of}_with_examples", coefficients(model, names))


def fit_section(rows: list[Row], table: str, stored: bool) -> None:
    """How likely each of the first sections found is the right one; ambiguous messages have none to learn from.

    Sets the features "section" and "rival" of each row, as a fit on the other rows sees them.
    """
    names = (
        *OF_SECTION,
        *(OF_EXAMPLES if table.endswith("_with_examples") else ()),
        *(("vector",) if rows[0].of == "en" else ("matched",) if not table.endswith("_with_examples") else ()),
    )
    values = [np.array([[features[name] for name in names] for features, _ in row.sections]) for row in rows]
    labels = [np.array([right for _, right in row.sections]) for row in rows]
    known = [place for place, row in enumerate(rows) if row.kind != "ask" and row.desk not in HELD_OUT_DESKS]
    chances: list[np.ndarray] = [np.empty(0)] * len(rows)
    for fold in range(FOLDS):
        model = section_model(values, labels, rows, [place for place in known if place % FOLDS != fold])
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
    lowered = 0.0 if table.endswith("_with_examples") else LOWERED
    if stored:
        fitted = coefficients(section_model(values, labels, rows, known), names)
        save(table, {**fitted, "intercept": fitted["intercept"] - lowered})
    for row, (best, *rivals) in zip(rows, chances, strict=True):
        rival = log_odds(max(rivals, default=0.0))
        row.features.update(section=log_odds(best) - lowered, rival=rival - lowered * (rival > log_odds(0.0)))


def section_model(values: Any, labels: Any, rows: list[Row], places: list[int]) -> Any:
    """Which of the sections found for the messages at some places is the right one."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    weights = np.concatenate([weights_of([rows[i]]).repeat(len(labels[i])) for i in places])
    every = [np.concatenate([each[i] for i in places]) for each in (values, labels)]
    return model.fit(*every, logisticregression__sample_weight=weights)


def save(name: str, values: dict[str, float]) -> None:
    """Write a table of section_probability.toml; its threshold stays."""
    document = tomlkit.parse(EVIDENCE.read_text("utf-8"))
    table = document.setdefault(name, tomlkit.table())
    table.update({key: round(value, 4) for key, value in values.items()})
    EVIDENCE.write_text(tomlkit.dumps(document), "utf-8")


def coefficients(model: Any, names: Sequence[str], place: int = 0) -> dict[str, float]:
    """The intercept and slopes of a class for features that are not scaled."""
    scaler, logistic = model[0], model[1]
    slopes = logistic.coef_[place] / scaler.scale_
    intercept = float(logistic.intercept_[place] - slopes @ scaler.mean_)
    return {"intercept": intercept, **{name: float(slope) for name, slope in zip(names, slopes, strict=True)}}


def examples(questions: Questions) -> list[Row]:
    """All messages of first_messages.toml, found with the bots' example questions, some of them, or none; with none also
    those to the desks."""
    with TemporaryDirectory() as folder:
        found = _examples(questions, Path(folder))
        if questions == "without_examples":
            found += [*_desk_examples(Path(folder)), *_written_examples(Path(folder) / "written")]
        return found


def _desk_examples(folder: Path) -> list[Row]:
    """The messages to the desks that have one kind of response."""
    indexes, found = Indexes(folder), list[Row]()
    for name in (*FITTED_DESKS, *HELD_OUT_DESKS):
        bot = load_bot(name, DESKS)
        index = indexes.get(bot)
        for one in lines(DESKS / name / "messages.jsonl"):
            if one["kind"] not in KINDS or not (sections := sections_of(index, one["text"])):
                continue
            found.append(_desk_row(bot, index, one, sections))
    return found


def _written_examples(folder: Path) -> list[Row]:
    """The messages to the written desks."""
    indexes, found = Indexes(folder / "chroma"), list[Row]()
    for of in ("ja", "en"):
        for desk in read_desks("response", of):
            bot = bot_of_desk(desk, folder)
            index = indexes.get(bot)
            asked: list[dict[str, Any]] = [
                {
                    "text": m.text,
                    "kind": "answer",
                    "document": m.document,
                    "heading": m.heading,
                    "facts": [list(m.lines)],
                }
                for m in desk.clear
            ]
            asked += [{"text": text, "kind": "refuse"} for text in desk.undocumented]
            asked += [{"text": text, "kind": "ask"} for text, _ in desk.vague]
            known = ((one, sections_of(index, one["text"])) for one in asked)
            found += [
                _desk_row(bot, index, one, sections)._replace(desk=WRITTEN) for one, sections in known if sections
            ]
    return found


def _desk_row(bot: Bot, index: Index, one: dict[str, Any], sections: tuple[SectionHit, ...]) -> Row:
    message, kind = one["text"], one["kind"]
    section = (one.get("document", ""), one.get("heading", ""))
    response: BestResponse = kind
    if kind == "answer" and not (
        is_section(sections[0], *section) or all(says(bot, index, message, facts) for facts in one["facts"])
    ):
        response = "ask"
    return row(message, sections, response, kind, section if kind == "answer" else None)._replace(desk=bot.id)


def _examples(questions: Questions, folder: Path) -> list[Row]:
    stored = tomllib.loads(Path(__file__).with_name("first_messages.toml").read_text("utf-8"))
    found: list[Row] = []
    for name in stored:
        others = trained_without(name) if questions == "without_examples" else section_vectors.projections()
        with patch.object(section_vectors, "projections", return_value=others):
            found += _rows_of_bot(name, stored[name], questions, folder)
    return found


def _rows_of_bot(name: str, kinds: dict[str, Any], questions: Questions, folder: Path) -> list[Row]:
    found: list[Row] = []
    for bot, index in indexes_of([name], questions, folder).values():
        for message, document, heading, *facts in kinds["answer"]:
            sections = sections_of(index, message)
            right = is_section(sections[0], document, heading) or says(bot, index, message, facts)
            found.append(row(message, sections, "answer" if right else "ask", "answer", (document, heading)))
        asked = dict.fromkeys((*kinds["ask"], *kinds["subjectless"]))
        of_kinds: tuple[tuple[BestResponse, Iterable[str]], ...] = (("ask", asked), ("refuse", kinds["refuse"]))
        for kind, messages in of_kinds:
            every = ((message, sections_of(index, message)) for message in messages)
            found += [row(message, sections, kind, kind) for message, sections in every if sections]
    return found


def sections_of(index: Index, message: str) -> tuple[SectionHit, ...]:
    return find_sections(index, (Message(role="user", text=message),))


def row(
    message: str,
    sections: tuple[SectionHit, ...],
    response: BestResponse,
    kind: str,
    section: tuple[str, str] | None = None,
) -> Row:
    features = response_features(message, sections)
    features_of = zip(sections, section_features(sections), strict=False)
    of_sections = [(found, section is not None and is_section(one, *section)) for one, found in features_of]
    return Row(features, response, kind, sections[0].language, evidence_features(message, sections), of_sections)


def says(bot: Bot, index: Index, message: str, facts: list[str]) -> bool:
    """Whether the reply made without asking holds one of the facts."""
    reply = take_turn(EmbeddedEngine(), bot, index, (), message, TurnOptions(clarify=False)).reply
    said = "".join(normalize(reply.text).split())
    is_answered = reply.kind == "answer" and bool(reply.answered)
    return is_answered and any("".join(normalize(one).split()) in said for one in facts)


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
