"""How likely each piece of a section (a sentence, step or table row) is the one that answers what is asked.

Conditional logit (McFadden 1974) for each language; coefficients: piece_probability.toml.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from core.base.probabilities import linear, logistic, softmax
from core.base.toml import bundled_toml
from core.bot.embedded.number_ranges import range_of
from core.bot.embedded.snippets import Snippet
from core.bot.embedded.sub_questions import SubQuestion, holds_kind, snippet_share
from core.retrieval.embedders import bundled_embedder
from core.retrieval.late_interaction import LateInteraction
from core.retrieval.word_vectors import word_vectors
from core.text.answer_kinds import FIGURES
from core.text.language import script, terms
from core.text.numbers import amounts
from core.text.synonyms import words_with_synonyms

# Most that the words of the question that a piece says count (`said` in `piece_features`).
MOST_SAID = 3.0
# Pieces of a passage quoted before that are quoted again for what is asked now, at most; fewer if one of them answers with
# this probability.
ASKED_PIECES = 3
ASKED_PROBABILITY = 0.9
# Weight of a word that names no subject, beside inverse document frequencies.
USUAL_WEIGHT = 3.0


def piece_log_odds(
    question: str,
    asked: Sequence[SubQuestion],
    pieces: Sequence[Snippet],
    before: Sequence[SubQuestion] = (),
) -> list[float]:
    """For each piece the logarithm of its odds, up to one constant for all, that it answers rather than another one.

    asked: what the question asks; before: what the section was quoted for, if it was: pieces that say its words were the
    answer then.
    """
    fitted = bundled_toml(__file__, "piece_probability.toml")[fitted_language(pieces)]
    return [linear(fitted, found) for found in piece_features(question, asked, pieces, before)]


def likeliest_pieces(values: Sequence[float]) -> list[int]:
    """The places of the pieces of which one likely answers, by the logarithms of their odds; the likeliest first. All if
    that is open among more than ASKED_PIECES."""
    chances = softmax(values)
    places = sorted(range(len(chances)), key=lambda place: -chances[place])
    ends = range(1, min(ASKED_PIECES, len(places)) + 1)
    sure = (end for end in ends if math.fsum(chances[place] for place in places[:end]) >= ASKED_PROBABILITY)
    return places[: next(sure, len(places))]


def answered_probability(log_odds: Sequence[float], pieces: Sequence[Snippet]) -> float:
    """The probability that any piece answers, by the log odds of the likeliest."""
    fitted = bundled_toml(__file__, "piece_probability.toml")
    return logistic(linear(fitted[f"answered_{fitted_language(pieces)}"], {"likeliest": max(log_odds)}))


def fitted_language(pieces: Sequence[Snippet]) -> Literal["ja", "en"]:
    """The language whose coefficients are used for some pieces."""
    return "en" if script(" ".join(piece.text for piece in pieces)) == "en" else "ja"


def piece_features(
    question: str,
    asked: Sequence[SubQuestion],
    pieces: Sequence[Snippet],
    before: Sequence[SubQuestion] = (),
) -> list[dict[str, float]]:
    """Features of each piece, for the probability that it answers a question.

    near: similarity in meaning to the question (0 to 1)
    said: how much the words of the question that it says tell it from the other pieces
    before: share of the words of what the section was quoted for (0 to 1)
    kind, figure: whether it says the kind of thing asked for; a figure, if that is one
    unit: whether it has a figure of the same unit as one in the question
    in_range: whether a table row is about a range of figures that one in the question is in
    row, length: whether it is a table row; logarithm of its characters
    """
    said, near = _said(asked, pieces), _nearness(question, asked, pieces)
    told = {amount for each in asked for amount in amounts(each.said)}
    units = {amount.unit for amount in told} - {""}
    wants_figure = any(each.kind in FIGURES for each in asked)
    found: list[dict[str, float]] = []
    for piece, said_here, near_here in zip(pieces, said, near, strict=True):
        covered = range_of(piece.case) if piece.case else None
        found.append(
            {
                "near": near_here,
                "said": said_here,
                "before": max((snippet_share(each, piece) for each in before), default=0.0),
                "kind": float(any(each.kind and holds_kind(piece, each.kind) for each in asked)),
                "figure": float(wants_figure and any(map(str.isdigit, piece.text))),
                "unit": float(any(amount.unit in units for amount in amounts(piece.text))),
                "in_range": float(covered is not None and any(map(covered.holds, told))),
                "row": float(piece.kind == "row"),
                "length": math.log(1 + len(piece.text)),
            }
        )
    return found


def _said(asked: Sequence[SubQuestion], pieces: Sequence[Snippet]) -> list[float]:
    wanted = {word for each in asked for word in words_with_synonyms(each.message)}.union(
        *(each.words for each in asked)
    )
    words = [wanted.intersection(terms(piece.text)) for piece in pieces]
    held = Counter(word for found in words for word in found)
    telling = {word: math.log((len(pieces) + 1) / count) for word, count in held.items()}
    return [min(MOST_SAID, math.fsum(telling[word] for word in found)) for found in words]


def _nearness(question: str, asked: Sequence[SubQuestion], pieces: Sequence[Snippet]) -> Sequence[float]:
    """In English the cosine of the sentence vectors for search; in Japanese late interaction of the words."""
    if fitted_language(pieces) == "en":
        return _cosines(question, tuple(piece.text for piece in pieces))
    known = word_vectors()
    if known is None:
        return [0.0] * len(pieces)
    weights = {word: weight for each in asked for word, weight in each.words.items()}
    cases, texts = [terms(piece.case, "ja") for piece in pieces], [terms(piece.text, "ja") for piece in pieces]
    near = LateInteraction(cases, texts, lambda word: weights.get(word, USUAL_WEIGHT), known)
    return [float(score) for score in near.scores(question)]


@lru_cache(maxsize=256)
def _cosines(question: str, texts: tuple[str, ...]) -> tuple[float, ...]:
    first, *vectors = bundled_embedder().encode([question, *texts], adapted=True)
    return tuple(max(0.0, float(vector @ first)) for vector in vectors)
