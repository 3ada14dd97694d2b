"""What is quoted for each of several questions, and which of them are left open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.base.probabilities import log_odds, odds
from core.base.types import Hit, Language
from core.bot.answer.quotes import Quote, pieces_of
from core.bot.answer.refusal import no_answer_to
from core.bot.answer.relevance import SubQuestion, holds_kind, kinds_of, relevance, sub_question
from core.bot.answer.snippets import snippets
from core.bot.evidence import has_examples
from core.bot.several_questions import ANSWER_EACH_FROM, CLEAR_FROM, SearchedQuestion
from core.retrieval.headings import last_heading

# Score of a section, beside that of the best (1), from which it is named.
NAMED_SCORE = 0.5
# Probability from which a section is named, if sections have example questions.
NAMED_FROM = 0.05
# Probability from which a section is surely meant, so that no other is quoted.
SURELY_MEANT_FROM = 0.8
# Share of the best section's odds from which another one is about as likely.
ABOUT_AS_LIKELY_ODDS = 1 / 3
# Weight of the log odds that a section answers beside the relevance of what is quoted.
LIKELIHOOD_WEIGHT = 0.25


def quotes_for_each(
    asked: Sequence[SearchedQuestion], hits: Sequence[Hit], weights: Mapping[str, float]
) -> list[Quote]:
    """What to quote for each question, in the order of the questions, below headings if that is of several sections."""
    picked: dict[int, list[SubQuestion]] = {}
    for one in asked:
        wanted = _wanted(one, weights)
        if found := _candidates(one, hits):
            place, _ = max(found, key=lambda pair: _worth(one, wanted, pair[1]))
            picked.setdefault(place, []).extend(wanted)
    return [Quote(place + 1, pieces_of(wanted, hits[place]), len(picked) > 1) for place, wanted in picked.items()]


def _worth(one: SearchedQuestion, wanted: Sequence[SubQuestion], hit: Hit) -> float:
    """How relevant a passage is to a question, and how likely its section answers it."""
    likely = log_odds(one.probability_of(hit))
    return math.fsum(relevance(each, hit) for each in wanted) / len(wanted) + LIKELIHOOD_WEIGHT * likely


def _candidates(one: SearchedQuestion, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """The passages, with their places among `hits`, that may answer a question.

    Asked for a price, those which say one, if there are any; asked for another value (not for steps), all likely ones;
    else the best alone if it is surely meant, and, of a question that stands alone, those that are about as likely as
    the best.
    """
    own = {hit.passage.id: hit for hit in one.hits}
    found = [(place, own[hit.passage.id]) for place, hit in enumerate(hits) if hit.passage.id in own]
    if "money" in kinds_of(one.question):
        priced = [pair for pair in found if pair[1].score >= NAMED_SCORE and _says_price(pair[1])]
        return _about_as_likely(priced, one) or found
    least = one.best_probability if one.best_probability >= SURELY_MEANT_FROM else 0.0
    if one.query == one.question and one.best_probability >= CLEAR_FROM:
        share = ABOUT_AS_LIKELY_ODDS * odds(one.best_probability)
        least = max(least, share / (1 + share))
    if set(kinds_of(one.question)) - {None, "steps"}:
        least = min(least, ANSWER_EACH_FROM)
    return [pair for pair in found if one.probability_of(pair[1]) >= least] or found


def _about_as_likely(found: list[tuple[int, Hit]], one: SearchedQuestion) -> list[tuple[int, Hit]]:
    """Those of some passages that are about as likely as the likeliest of them, if that is likely at all."""
    best = max((one.probability_of(hit) for _, hit in found), default=0.0)
    if best < CLEAR_FROM:
        return found
    return [pair for pair in found if odds(one.probability_of(pair[1])) >= ABOUT_AS_LIKELY_ODDS * odds(best)]


def has_price(one: SearchedQuestion, quoted: Sequence[Hit]) -> bool:
    """Whether one of the passages found for a question that is quoted says a price; true if none is asked for."""
    own = {hit.passage.id for hit in one.hits}
    return "money" not in kinds_of(one.question) or any(_says_price(hit) for hit in quoted if hit.passage.id in own)


def _says_price(hit: Hit) -> bool:
    return any(holds_kind(piece, "money") for piece in snippets(hit.passage.text))


def _wanted(one: SearchedQuestion, weights: Mapping[str, float]) -> list[SubQuestion]:
    kinds = kinds_of(one.question)
    return [
        sub_question(one.query, one.question, kind, weights)._replace(alone=False, whole_message=one.message)
        for kind in kinds
    ]


def left_open(asked: Sequence[SearchedQuestion], quoted: Sequence[Hit], language: Language) -> list[str]:
    """A sentence for each question that is not answered, with the section that may be meant; none if that is quoted
    anyway.

    That is the best one, if it is not improbable, else the best in a document that is quoted for another question.
    Asked for a price, a passage that says none is no answer.
    """
    shown = {hit.passage.id for hit in quoted}
    documents = {hit.passage.document for hit in quoted}
    said: list[str] = []
    for one in asked:
        likely = [hit for hit in one.hits[:1] if one.best_probability >= NAMED_FROM or not has_examples(one.hits)]
        if likely and likely[0].passage.id in shown and has_price(one, quoted):
            continue
        beside = [hit for hit in one.hits if hit.passage.document in documents and hit.score >= NAMED_SCORE]
        others = (hit for hit in (*likely, *beside) if hit.passage.id not in shown)
        best = next(others, None)
        said.append(no_answer_to(one.question.strip("。?？ "), last_heading(best.heading) if best else "", language))
    return said
