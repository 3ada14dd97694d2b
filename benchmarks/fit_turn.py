"""Fit core/judges/turn/rating.toml: how good is a refusal or a clarifying question, if no reference says so?

    python -m benchmarks.fit_turn --data DIR [--cache FILE] [--write]

Two sorts of graded replies (2 good, 1 acceptable, 0 embarrassing). benchmarks/turn_ratings.jsonl: replies of
the bundled bots to messages that were written for this, as strict readers rated them in rounds. And the replies of the embedded bot to
the questions of localgovfaq/ (Japanese, a passage has a heading there as in a help desk's documents), squad2/ and mtrag/
(English) in DIR, 25 at a time, among up to 300 documents: once with the passages that answer them and once with only those
that are near. A refusal is good if no right passage was found, and acceptable if one of its choices is the heading of a
right passage; a clarifying question is acceptable if one of its choices is the
heading of a right passage (the questions are clear, so it was needless). --cache keeps the replies (JSON Lines).
Printed: Spearman by eight-fold cross-validation, each question on one side.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.coefficients import write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.fit_section_probability import SETS, Corpus
from benchmarks.judges_data import lines
from benchmarks.judges_grounding import rank_correlation
from core.base.probabilities import logistic
from core.base.types import Answer, Bot, Clarify, Sample, Scenario, Turn
from core.bot.turn import take_turn
from core.judges.rules.answer_measures import measure
from core.judges.turn.rating import ReplyKind
from core.judges.turn.reply_features import (
    asked_of,
    clarifying_question_features,
    refusal_features,
    words_of_passages,
)
from core.judges.turn.tone import answered_small_talk
from core.llm.embedded import EmbeddedEngine
from core.runs.judging.samples import sample_of

TARGET = Path(__file__).parents[1] / "core" / "judges" / "turn" / "rating.toml"
ABOUT = """How good is a refusal, a clarifying question? Proportional odds: two intercepts, the rest are slopes.
Fitted by benchmarks/fit_turn.py on rated replies of the bundled bots and on replies to localgovfaq, squad2 and
mtrag (development halves)."""
FITTED_ON = {"ja": ("localgovfaq",), "en": ("squad2", "mtrag")}
KNOWLEDGE, RATINGS = Path(__file__).parents[1] / "knowledge", Path(__file__).with_name("turn_ratings.jsonl")
BOTS = ("hinata", "minato", "harbor")
REPLIES: tuple[ReplyKind, ...] = ("refusal", "question")
GRADE = {"embarrassing": 0, "acceptable": 1, "good": 2}
TOGETHER = 25  # questions that share a collection
NEAR, OTHERS, MOST = 150, 250, 300  # documents near the questions, others, and all of a collection
STRENGTH = 0.3  # C of the regression
PUBLIC: dict[ReplyKind, float] = {
    "question": 1,
    "refusal": 3,
}  # weight of the sets: few rated refusals are needless
FREE = 5.0  # the level of the rated replies and the distance between the grades are hardly held back
FOLDS = 8
ROUNDS = 7  # of the ratings; later ones belong to fit_turn_sections.py alone


class Example(NamedTuple):
    """The features of a reply, its grade (2 good, 1 acceptable, 0 embarrassing), the set and the question."""

    reply: ReplyKind
    features: dict[str, float]
    grade: int
    set: str
    question: str


def main() -> None:
    arguments = argument_parser(__doc__, "--data", "--write")
    arguments.add_argument("--cache", type=Path)
    options = arguments.parse_args()
    if options.cache and options.cache.is_file():
        replies = lines(options.cache)
    else:
        replies = [one for of in ("ja", "en") for name in FITTED_ON[of] for one in asked(name, of, options.data)]
    if options.cache and not options.cache.is_file():
        options.cache.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in replies), "utf-8")
    found = [*rated(), *(example for one in replies for example in examples(one))]
    models: dict[str, dict[str, float]] = {}
    pooled: list[tuple[int, float]] = []
    for reply in REPLIES:
        models[reply], guessed = fit(reply, [example for example in found if example.reply == reply])
        pooled += guessed
    rho = rank_correlation(*zip(*pooled, strict=True))
    print(f"all kinds, rated n={len(pooled)} rho {rho:.3f}")
    if options.write:
        write_coefficients(TARGET, ABOUT, models)


def asked(name: str, of: Any, data: Path) -> Iterator[dict[str, Any]]:
    """What the bot replies to the questions of a set, and what would have been right."""
    corpus, chance = Corpus(of, *dict(SETS[of])[name](data / name)), random.Random(5)
    answers = {row["question"]: row["answers"] for row in lines(data / name / "dev.jsonl")} if name == "squad2" else {}
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
            references = [document for _, wanted in group for document in wanted[:3]] if documented else []
            index = corpus.index(list(dict.fromkeys([*references, *rivals, *others]))[:MOST])
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


def examples(one: dict[str, Any]) -> Iterator[Example]:
    """The reply with its features and its grade."""
    sample = Sample.model_validate(one["sample"])
    reply: ReplyKind = one["kind"]
    if one["kind"] == "answer":
        return
    if reply == "question":
        grade = int(
            any(heading in sample.choices for heading in one["headings"])
        )  # every one of these questions is clear
    elif set(one["found"]) & set(one["wanted"]):
        grade = int(any(heading in sample.choices for heading in one["headings"]))
    else:
        grade = 2
    if found := features(sample, reply):
        yield Example(reply, found, grade, one["set"], one["question"])


def rated() -> Iterator[Example]:
    """The replies of the bundled bots with the rating of a strict reader."""
    sections = {bot: section_texts(KNOWLEDGE / bot) for bot in BOTS}
    for row in lines(RATINGS):
        if row["round"] > ROUNDS:
            continue
        contexts = tuple(str(sections[row["bot"]].get(name, name)) for name in row["passages"])
        sample = Sample(
            question=row["message"],
            answer=row["reply"],
            contexts=contexts,
            asked_back=row["asked_back"],
            choices=row["choices"],
        )
        found = measure(sample)
        if answered_small_talk(sample, found):
            continue
        if not (row["asked_back"] or found.only_refuses):
            continue
        reply: ReplyKind = "question" if row["asked_back"] else "refusal"
        if values := features(sample, reply):
            yield Example(reply, values, GRADE[row["rating"]], "rated", row["message"])


def features(sample: Sample, reply: ReplyKind) -> dict[str, float]:
    """The features of a reply; none for what the judge does not fit (a message without words)."""
    asked_for = asked_of(sample)
    found = words_of_passages(sample.contexts, asked_for.of)
    if not found or not asked_for.words:
        return {}
    if reply == "question":
        return clarifying_question_features(asked_for, sample.choices) if sample.choices else {}
    return refusal_features(asked_for, found)


@cache
def section_texts(bot: Path) -> dict[str, str]:
    """The sections of a bot's documents, as judges see them, by title and heading."""
    return dict(_sections(bot / "documents"))


def _sections(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.md")):
        head, *parts = re.split(r"^## ", path.read_text("utf-8"), flags=re.MULTILINE)
        title = head.partition("# ")[2].partition("\n")[0].strip()
        for part in parts:
            heading, _, text = part.partition("\n")
            name = f"{title} › {heading.strip()}"
            yield name, f"{name}\n{text.strip()}"


def fit(reply: ReplyKind, found: Sequence[Example]) -> tuple[dict[str, float], list[tuple[int, float]]]:
    """Proportional odds; each set weighs the same. Also the cross-validated ratings of the rated."""
    names = list(found[0].features)
    values = np.array([[one.features[name] for name in names] for one in found])
    grades = np.array([one.grade for one in found])
    sets = [one.set for one in found]
    human = np.array([name == "rated" for name in sets])
    public = len(set(sets) - {"rated"})
    share = PUBLIC[reply] * human.sum() / public
    weights = np.array([1.0 if name == "rated" else share / sets.count(name) for name in sets])
    groups = np.array([zlib.crc32(one.question.encode()) % FOLDS for one in found])
    guess = np.zeros(len(found))
    for fold in range(FOLDS):
        train = groups != fold
        model = _model(values[train], grades[train], weights[train], human[train], names)
        guess[~train] = [_rating(model, row, names) for row in values[~train]]
    for label, rows_ in (("rated", human), ("public", ~human)):
        rho = rank_correlation(grades[rows_], guess[rows_])
        print(f"{reply:9} {label:7} n={rows_.sum():4} mean {grades[rows_].mean():.2f} rho {rho:.3f}", flush=True)
    return _model(values, grades, weights, human, names), list(
        zip(grades[human].tolist(), guess[human].tolist(), strict=True)
    )


def _model(values: Any, grades: Any, weights: Any, human: Any, names: Sequence[str]) -> dict[str, float]:
    """One logistic regression over each reply twice: is it at least acceptable, is it good? The slopes are the same.

    The sets have a level of their own; the intercepts are those of the rated replies.
    """
    middle, spread = np.average(values, axis=0, weights=weights), values.std(axis=0) + 1e-9
    scaled = (values - middle) / spread
    flags = np.repeat([0.0, 1.0], len(scaled))[:, None] * FREE
    own = np.tile(human, 2)[:, None] * FREE
    twice = np.hstack([np.vstack([scaled, scaled]), own, flags])
    labels = np.concatenate([grades >= 1, grades >= 2])
    model = LogisticRegression(C=STRENGTH, max_iter=500).fit(
        twice, labels, sample_weight=np.concatenate([weights, weights])
    )
    slopes = model.coef_[0][:-2] / spread
    acceptable = float(model.intercept_[0] - slopes @ middle + model.coef_[0][-2] * FREE)
    good = acceptable + float(model.coef_[0][-1]) * FREE
    return {
        "acceptable": acceptable,
        "good": good,
        **{name: float(slope) for name, slope in zip(names, slopes, strict=True)},
    }


def _rating(model: dict[str, float], row: Any, names: Sequence[str]) -> float:
    total = sum(model[name] * value for name, value in zip(names, row, strict=True))
    return sum(logistic(model[grade] + total) for grade in ("acceptable", "good"))


if __name__ == "__main__":
    main()
