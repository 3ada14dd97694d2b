"""Whether the passages that were found hold an answer: a fitted logistic model."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from core.base.types import Hit
from core.bot.answer.relevance import (
    SubQuestion,
    focus_share,
    focus_words,
    passage_words,
    sub_question,
    sub_questions,
    word_share,
)
from core.text.language import content_words
from core.text.questions import without_courtesy

LEXICAL_FEATURES = ("coverage", "breadth", "lexical", "words", "together", "telling", "focus")
SHORT, HALF = 3, 0.52  # a question of few content words has to find more than half of them in one passage
TELLING = 2  # the question's rarest words that are looked for one by one
FEATURES = {"lexical": LEXICAL_FEATURES, "hybrid": (*LEXICAL_FEATURES, "vector")}


def features(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> dict[str, float]:
    """What the best passages say.

    Coverage of the question's words (best of three, mean of four, all together), BM25, cosine, whether the rarest words
    and the thing that is counted or priced occur; `weights` are the words' inverse document frequencies.
    """
    wanted = [each for each in sub_questions(question, weights) if each.words] or [
        sub_question(question, question, None, weights)
    ]
    best = [passage_words(hit) for hit in hits[:3]]
    return {
        "coverage": max(hit.coverage for hit in hits[:3]),
        "breadth": math.fsum(hit.coverage for hit in hits[:4]) / len(hits[:4]),
        "lexical": max(hit.lexical for hit in hits) / 10,
        "words": math.log1p(min(len(content_words(each.question)) for each in wanted)),
        "together": max(word_share(each, frozenset[str]().union(*best)) for each in wanted),
        "telling": max(max(_telling(each, words) for words in best) for each in wanted),
        "focus": min(max(focus_share(each, words) for words in best) if each.focus else 1.0 for each in wanted),
        "vector": max(hit.vector or 0.0 for hit in hits),
    }


def _telling(each: SubQuestion, words: frozenset[str]) -> float:
    """Share of the rarest words of a sub-question that a passage has."""
    rarest = sorted(each.words, key=lambda word: (-each.words[word], word))[:TELLING]
    return word_share(each._replace(words={word: each.words[word] for word in rarest}), words)


def probability(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> float:
    """Probability (0 to 1) that the passages answer the question; coefficients: answerable.toml."""
    if not hits:
        return 0.0
    fitted = _model()["lexical" if hits[0].vector is None else "hybrid"]
    found = features(question, hits, weights)
    total = fitted["intercept"] + math.fsum(fitted[name] * value for name, value in found.items() if name in fitted)
    return 1 / (1 + math.exp(-total))


def is_answerable(question: str, hits: Sequence[Hit], weights: Mapping[str, float]) -> bool:
    """Whether to answer rather than refuse; a needless refusal costs a person more than an answer with its source."""
    fitted = _model()["lexical" if not hits or hits[0].vector is None else "hybrid"]
    return probability(question, hits, weights) >= fitted["threshold"] and not _scattered(question, hits)


def _scattered(question: str, hits: Sequence[Hit]) -> bool:
    """Whether a short question for a figure finds its words only apart: the president here, an income there."""
    asked = without_courtesy(question)
    return (
        len(content_words(asked)) <= SHORT
        and bool(focus_words(asked))
        and max(hit.coverage for hit in hits[:3]) <= HALF
    )


@cache
def _model() -> dict[str, dict[str, float]]:
    stored = tomllib.loads((Path(__file__).parent / "answerable.toml").read_text("utf-8"))
    return {name: stored[name] for name in FEATURES}
