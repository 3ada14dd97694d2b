"""Fit core/judges/turn/rating_with_sections.toml: how good is a reply, if it is known how likely each section answers?

    python -m benchmarks.fit_turn_sections [--write]
    python -m benchmarks.fit_turn_sections --score FILE

The replies of turn_ratings.jsonl (see fit_turn.py) in twenty-two rounds: each is another reader, or another day, with messages of
its own. The sections are what the bot's index finds for the message today. Proportional odds, one for each kind of reply.
Printed: Spearman's rank correlation of the expected rating, and of the overall mark of the judge with these coefficients,
each round by coefficients that were fitted on the other rounds.

--score: how the judge as it is agrees with the ratings in FILE (JSON Lines: bot, message, reply, choices, rating), which
nothing was fitted on. A reply that the bot still gives is judged with what the bot saw, another one with what it finds today.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy.stats import bootstrap
from sklearn.linear_model import LogisticRegression

from benchmarks.coefficients import write_coefficients
from benchmarks.command_line import argument_parser
from benchmarks.fit_turn import GRADE, KNOWLEDGE, RATINGS, section_texts
from benchmarks.judges_data import lines
from benchmarks.judges_grounding import rank_correlation
from core.base.bot_folder import load_bot
from core.base.types import Message, Sample, Scenario
from core.bot.answer_ask_refuse import response_probabilities
from core.bot.message_kind.classifier import kind_probabilities
from core.bot.turn import take_turn
from core.bot.turn_context import find_sections
from core.documents.heading_names import with_heading
from core.judges.base import JudgeOptions
from core.judges.rules.answer_measures import measure
from core.judges.turn.clarifying_questions import is_clarifying_reply
from core.judges.turn.rating import ReplyKind, expected_rating, reply_features_by_sections
from core.judges.turn.reply_features import cites
from core.judges.turn.tone import answered_small_talk
from core.judges.turn.turn import scores
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import ANSWER_PASSAGES, Index
from core.retrieval.index_cache import Indexes
from core.runs.judging.samples import sample_of, sections_with_probabilities
from core.text.questions import is_question

TARGET = Path(__file__).parents[1] / "core" / "judges" / "turn" / "rating_with_sections.toml"
ABOUT = """How good is a reply, by the probabilities of the sections? Proportional odds: two intercepts, the rest are slopes.
Fitted by benchmarks/fit_turn_sections.py on rated replies of the bundled bots (benchmarks/turn_ratings.jsonl)."""
REPLIES: tuple[ReplyKind, ...] = ("answer", "question", "offer", "refusal", "small_talk")
STRENGTH = 0.1  # C of the regression, on features in standard deviations
FREE = 5.0  # the distance between the grades is hardly held back
Models = dict[str, dict[str, float]]


class Rated(NamedTuple):
    """A reply with its features, its grade (2 good, 1 acceptable, 0 embarrassing), and who rated it when."""

    reply: ReplyKind
    features: dict[str, float]
    grade: int
    round: int
    sample: Sample


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--score", type=Path)
    options = arguments.parse_args()
    if options.score:
        report_scores(options.score)
        return
    found = [rated(row, rated_sample(row)) for row in lines(RATINGS)]
    report_rounds(found)
    models = fit(found)
    if options.write:
        write_coefficients(TARGET, ABOUT, models)


def rated(row: dict[str, Any], sample: Sample) -> Rated:
    measures = measure(sample)
    reply: ReplyKind
    if is_clarifying_reply(sample, measures):
        reply = "question"
    elif answered_small_talk(sample, measures) or not (cites(sample) or measures.only_refuses):
        reply = "small_talk"
    elif measures.only_refuses:
        reply = "offer" if sample.choices else "refusal"
    else:
        reply = "answer"
    features = reply_features_by_sections(reply, sample, measures)
    return Rated(reply, features, GRADE[row["rating"]], row.get("round", 0), sample)


def rated_sample(row: dict[str, Any]) -> Sample:
    """A rated reply as a judge would have seen it."""
    texts, index = section_texts(KNOWLEDGE / row["bot"]), _index(row["bot"])
    sample = Sample(
        question=row["message"],
        answer=row["reply"],
        contexts=tuple(str(texts.get(name, name)) for name in row["passages"]),
        asked_back=row["asked_back"],
        choices=tuple(row["choices"]),
    )
    return with_sections(sample, index)


def with_sections(sample: Sample, index: Index) -> Sample:
    """The sample with what the index finds for its message; the embedded bot cites whatever it has from its documents."""
    sections = find_sections(index, (Message(role="user", text=sample.question),))
    plain = not (sample.asked_back or cites(sample) or measure(sample).only_refuses)
    return sample.model_copy(
        update={
            "sections": sections_with_probabilities(sections),
            "asks_nothing": plain,
            "small_talk_probability": 1 - kind_probabilities(sample.question)["request"],
            "response_probabilities": {**response_probabilities(sample.question, sections)} if sections else None,
        }
    )


@cache
def _index(bot: str) -> Index:
    return _INDEXES.get(load_bot(bot))


_INDEXES = Indexes()


def fit(found: Sequence[Rated]) -> Models:
    """The coefficients by kind of reply."""
    return {reply: _fit([one for one in found if one.reply == reply]) for reply in REPLIES}


def _fit(found: Sequence[Rated]) -> dict[str, float]:
    """One logistic regression over each reply twice: is it at least acceptable, is it good? The slopes are the same."""
    names = list(found[0].features)
    values = np.array([[one.features[name] for name in names] for one in found])
    grades = np.array([one.grade for one in found])
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = (values - middle) / spread
    flags = np.repeat([0.0, 1.0], len(scaled))[:, None] * FREE
    labels = np.concatenate([grades >= 1, grades >= 2])
    model = LogisticRegression(C=STRENGTH, max_iter=1000).fit(np.hstack([np.vstack([scaled, scaled]), flags]), labels)
    slopes = model.coef_[0][:-1] / spread
    acceptable = float(model.intercept_[0] - slopes @ middle)
    good = acceptable + float(model.coef_[0][-1]) * FREE
    return {"acceptable": acceptable, "good": good, **dict(zip(names, map(float, slopes), strict=True))}


def report_rounds(found: Sequence[Rated]) -> None:
    """Print how each round's ratings agree with what the others tell."""
    expected, marks, kinds_only = (np.full(len(found), np.nan) for _ in range(3))
    rounds = np.array([one.round for one in found])
    for one_round in sorted(set(rounds.tolist())):
        models = fit([one for one in found if one.round != one_round])
        means = {
            kind: np.mean([one.grade for one in found if one.reply == kind and one.round != one_round])
            for kind in REPLIES
        }
        with patch("core.judges.turn.rating.fitted", lambda _, models=models: models):
            for place in np.flatnonzero(rounds == one_round):
                one = found[int(place)]
                expected[place] = expected_rating(one.reply, one.features, with_sections=True)
                marks[place] = overall(one.sample)
                kinds_only[place] = means[one.reply]
    grades = np.array([one.grade for one in found])
    for label, guess in (("expected rating", expected), ("overall mark", marks), ("kind of reply alone", kinds_only)):
        kinds = " ".join(
            f"{kind} {rho(grades, guess, np.array([one.reply == kind for one in found]))}" for kind in REPLIES
        )
        each = " ".join(rho(grades, guess, rounds == one) for one in sorted(set(rounds.tolist())))
        print(f"{label}: {rho(grades, guess)}; {kinds}; rounds {each}")


def rho(grades: Any, guess: Any, some: Any = None) -> str:
    """Spearman's rank correlation among those that have a score, and how many these are."""
    known = ~np.isnan(guess) if some is None else some & ~np.isnan(guess)
    return f"{rank_correlation(grades[known], guess[known]):.2f} ({known.sum()})"


def overall(sample: Sample) -> float:
    """The overall value (0 to 1) that the judge gives; nan for none."""
    value = scores(EmbeddedEngine(), sample, JudgeOptions())[-1].value
    return float("nan") if value is None else value


def report_scores(path: Path) -> None:
    """Print how the judge agrees with new ratings, by kind of reply."""
    found: list[Rated] = []
    changed = 0
    for row in lines(path):
        sample, same = _seen(row)
        changed += not same
        found.append(rated(row, sample))
    grades, marks = np.array([one.grade for one in found]), np.array([overall(one.sample) for one in found])
    kinds = {kind: np.array([one.reply == kind for one in found]) for kind in REPLIES}
    declining = kinds["offer"] | kinds["refusal"]
    known = ~np.isnan(marks)
    interval = bootstrap(
        (grades[known], marks[known]),
        rank_correlation,
        paired=True,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    print(f"{len(found)} replies, {changed} of them given otherwise today")
    print(f"overall {rho(grades, marks)} [{interval.low:.2f}, {interval.high:.2f}]")
    for kind, some in {**kinds, "offers and refusals": declining}.items():
        if some.sum() > 2:
            print(f"{kind}: {rho(grades, marks, some)}")
    pairs = Counter((grade, round(mark * 5)) for grade, mark in zip(grades[known].tolist(), marks[known], strict=True))
    for name, grade in GRADE.items():
        print(f"{name}: " + ", ".join(f"mark {mark}: {pairs[grade, mark]}" for mark in range(1, 6)))


def _seen(row: dict[str, Any]) -> tuple[Sample, bool]:
    """A new reply as the judge sees it, and whether the bot gives the same today."""
    bot, index = load_bot(row["bot"]), _index(row["bot"])
    turn = take_turn(EmbeddedEngine(), bot, index, (), row["message"])
    if turn.reply.text.strip() == row["reply"].strip():
        return sample_of(Scenario(id="one", question=row["message"]), turn, ()), True
    sample = Sample(question=row["message"], answer=row["reply"], choices=tuple(row["choices"]))
    hits = index.search(row["message"], ANSWER_PASSAGES)
    texts = (with_heading(hit.passage.title, hit.passage.heading, hit.passage.text) for hit in hits)
    sample = sample.model_copy(update={"contexts": tuple(texts)})
    asked_back = row.get("asked_back")
    if asked_back is None:  # not told: a question among what neither cites nor declines
        found = measure(sample)
        asked_back = any(map(is_question, found.sentences)) and not (cites(sample) or found.only_refuses)
    return with_sections(sample.model_copy(update={"asked_back": asked_back}), index), False


if __name__ == "__main__":
    main()
