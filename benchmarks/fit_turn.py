"""Fit core/judges/turn/likelihood.toml: is a reply the right one, where no reference says so?

    python -m benchmarks.fit_turn --data DIR [--cache FILE] [--write]

The embedded bot is asked the questions of localgovfaq/ (Japanese, a passage has a heading there as in a help desk's
documents), squad2/ and mtrag/ (English) in DIR, 25 at a time, among up to 300 documents: once with the passages that answer
them and once with only those that are near. An answer is right if it cites a right passage and, in squad2, holds the answer;
a refusal if no right passage was found; a clarifying question if one of its choices is the heading of a right passage.
English has few refusals, so every English turn is read as a refusal once more. --cache keeps the replies (JSON Lines).
Printed: AUC by five-fold cross-validation, each question on one side.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tomlkit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from benchmarks.fit_evidence import SETS, Corpus
from benchmarks.search import rows
from core.base.types import Answer, Bot, Clarify, Sample, Scenario, Turn
from core.bot.turn import take_turn
from core.judges.turn.features import (
    answer_features,
    asked_of,
    question_features,
    refusal_features,
    sections_of,
    used_places,
)
from core.judges.turn.likelihood import Reply
from core.judges.turn.measures import measure
from core.llm.embedded import EmbeddedEngine
from core.runs.judging import sample_of
from core.text.normalize import normalize

TARGET = Path(__file__).parents[1] / "core" / "judges" / "turn" / "likelihood.toml"
FITTED_ON = {"ja": ("localgovfaq",), "en": ("squad2", "mtrag")}
NAMES: dict[Reply, tuple[str, ...]] = {
    "answer": ("covered", "lead", "heading_lead", "near", "near_lead", "no_kind", "surplus"),
    "refusal": ("covered", "near"),
    "question": ("covered", "missed", "heading", "near_mean"),
}
TOGETHER = 25  # questions that share a collection
NEAR, OTHERS, MOST = 150, 250, 300  # documents near the questions, others, and all of a collection
STRENGTH = 0.3  # C of the regression


class Example(NamedTuple):
    """The features of a reply, whether it is right, the set and the question."""

    features: dict[str, float]
    right: bool
    set: str
    question: str


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--cache", type=Path)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    if options.cache and options.cache.is_file():
        replies = rows(options.cache)
    else:
        replies = [one for of in ("ja", "en") for name in FITTED_ON[of] for one in asked(name, of, options.data)]
    if options.cache and not options.cache.is_file():
        options.cache.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in replies), "utf-8")
    models: dict[str, dict[str, float]] = {}
    for of, sets in FITTED_ON.items():
        found = [labelled for one in replies if one["set"] in sets for labelled in examples(one, of)]
        for reply, names in NAMES.items():
            mine = [example for kind, example in found if kind == reply]
            models[f"{reply}_{of}"] = fit(f"{reply} {of}", names, mine)
    if options.write:
        write(models)


def asked(name: str, of: Any, data: Path) -> Iterator[dict[str, Any]]:
    """What the bot replies to the questions of a set, and what would have been right."""
    corpus, chance = Corpus(of, *dict(SETS[of])[name](data / name)), random.Random(5)
    answers = {row["question"]: row["answers"] for row in rows(data / name / "dev.jsonl")} if name == "squad2" else {}
    bot = Bot(id=name, folder=data, name=name, language=of)
    every, queries = list(corpus.passages), chance.sample(corpus.queries, len(corpus.queries))
    whole = corpus.index(every)
    for start in range(0, len(queries), TOGETHER):
        group = queries[start : start + TOGETHER]
        right = {document for _, wanted in group for document in wanted}
        near = [hit.passage.document for query, _ in group for hit in whole.search(query, 60)]
        near = [document for document in dict.fromkeys(near) if document not in right]
        rivals = chance.sample(near, min(len(near), NEAR))
        others = [document for document in chance.sample(every, min(len(every), OTHERS)) if document not in right]
        for documented in (True, False):
            held = [document for _, wanted in group for document in wanted[:3]] if documented else []
            index = corpus.index(list(dict.fromkeys([*held, *rivals, *others]))[:MOST])
            for query, wanted in group:
                turn = take_turn(EmbeddedEngine(), bot, index, (), query)
                known = wanted if answers.get(query, True) else []  # squad2 asks what its paragraph does not say, too
                yield described(turn, name, query, known, answers.get(query, []), corpus)


def described(
    turn: Turn, name: str, query: str, wanted: list[str], answers: list[str], corpus: Corpus
) -> dict[str, Any]:
    """A turn as a line of the cache."""
    reply = turn.reply
    return {
        "set": name,
        "question": query,
        "kind": "question" if isinstance(reply, Clarify) else "answer" if _answers(reply) else "refusal",
        "cited": list(reply.cited) if isinstance(reply, Answer) else [],
        "found": [hit.document for hit in turn.passages or ()],
        "wanted": wanted,
        "headings": [passage.heading for document in wanted for passage in corpus.passages[document]],
        "answers": answers,
        "sample": sample_of(Scenario(id="one", question=query), turn, ()).model_dump(mode="json"),
    }


def _answers(reply: Any) -> bool:
    return bool(reply.answered and reply.cited)


def examples(one: dict[str, Any], of: str) -> Iterator[tuple[Reply, Example]]:
    """The reply with its features and label; an English turn also as the refusal that it might have been."""
    sample = Sample.model_validate(one["sample"])
    asked_for = asked_of(sample)
    found = sections_of(sample.contexts, asked_for.of)
    about = (one["set"], one["question"])
    if one["kind"] == "question":
        right = any(heading in sample.choices for heading in one["headings"])
        yield "question", Example(question_features(asked_for, found, sample.choices), right, *about)
        return
    if one["kind"] == "answer":
        places = used_places(sample, measure(sample))
        values = answer_features(asked_for, found, places, sample.answer)
        yield "answer", Example(values, _is_right(one, sample.answer), *about)
    if sample.contexts and (one["kind"] == "refusal" or of == "en"):
        missing = not set(one["found"]) & set(one["wanted"])
        yield "refusal", Example(refusal_features(asked_for, found), missing, *about)


def _is_right(one: dict[str, Any], answer: str) -> bool:
    cited = {one["found"][number - 1] for number in one["cited"] if number <= len(one["found"])}
    held = not one["answers"] or any(_flat(text) in _flat(answer) for text in one["answers"])
    return bool(cited & set(one["wanted"])) and held


def _flat(text: str) -> str:
    return "".join(normalize(text).split())


def fit(label: str, names: tuple[str, ...], found: Sequence[Example]) -> dict[str, float]:
    """Logistic regression; each set weighs the same, and the right replies as much as the wrong ones."""
    values = np.array([[one.features[name] for name in names] for one in found])
    labels, sets = np.array([one.right for one in found]), np.array([one.set for one in found])
    weights = np.array([len(found) / (sets == name).sum() / len(set(sets)) for name in sets])
    groups = [zlib.crc32(one.question.encode()) for one in found]
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled, guess = (values - middle) / spread, np.zeros(len(found))
    for train, test in GroupKFold(5).split(scaled, labels, groups):
        model = LogisticRegression(C=STRENGTH, class_weight="balanced").fit(
            scaled[train], labels[train], sample_weight=weights[train]
        )
        guess[test] = model.predict_proba(scaled[test])[:, 1]
    print(f"{label:12} n={len(found):4} right {labels.mean():.2f} AUC {roc_auc_score(labels, guess):.3f}", flush=True)
    model = LogisticRegression(C=STRENGTH, class_weight="balanced").fit(scaled, labels, sample_weight=weights)
    slopes = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - slopes @ middle)
    return {"intercept": intercept, **{name: float(slope) for name, slope in zip(names, slopes, strict=True)}}


def write(models: dict[str, dict[str, float]]) -> None:
    document = tomlkit.document()
    document.add(
        tomlkit.comment("Logistic coefficients: is an answer, a refusal, a clarifying question the right one?")
    )
    document.add(
        tomlkit.comment("Fitted by benchmarks/fit_turn.py on replies of the embedded bot to localgovfaq, squad2 and")
    )
    document.add(tomlkit.comment("mtrag (development halves)."))
    for name, values in models.items():
        document[name] = {key: round(value, 4) for key, value in values.items()}
    TARGET.write_text(tomlkit.dumps(document), "utf-8")


if __name__ == "__main__":
    main()
