"""Messages that ask several things: each question is searched for on its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.base.frozen_model import FrozenModel
from core.base.probabilities import linear, log_odds, logistic
from core.base.toml import bundled_toml
from core.base.types import Hit, Section
from core.bot.embedded_settings import settings_for
from core.bot.section_probability import section_probabilities
from core.retrieval.index import ANSWER_PASSAGES
from core.text.language import content_words
from core.text.message_questions import Question, separate_questions

Search = Callable[[str, int], tuple[Hit, ...]]
# Passages of each search of a question.
JOINED_PASSAGES = 12
# Probability from which a section likely answers one of several questions.
LIKELY_FROM = 0.1
# Content words of a question that may be a part of the text next to it.
MAX_DEPENDENT_WORDS = 4
_JOINED = re.compile(r"(?:あと|それと|それから|ついでに|また|ちなみに|\b(?:and|also|plus|or))[、,]?\s?$", re.IGNORECASE)
_JOINS = re.compile(
    r"[、。,.!?！？\s]{0,3}(?:あと|それと|それから|ついでに|また|ちなみに|(?:and|also|plus|or)\b)", re.IGNORECASE
)


class SearchedQuestion(FrozenModel):
    """One of several questions in a message, and what was found for it."""

    question: str  # as it was asked
    query: str  # the standalone question that was searched for
    hits: tuple[Hit, ...]
    probabilities: tuple[float, ...] = ()  # that the section of each hit answers it
    message: str = ""  # that asks it
    is_answered: bool | None = None  # whether it is answered; None if the probability of the best section decides

    @property
    def best_probability(self) -> float:
        """The probability of the best section."""
        return self.probabilities[0] if self.probabilities else 0.0

    def probability_of(self, hit: Hit) -> float:
        """The probability that a passage's section answers; 0 if it was not found for this question."""
        places = (place for place, found in enumerate(self.hits) if found.passage.id == hit.passage.id)
        place = next(places, len(self.probabilities))
        return self.probabilities[place] if place < len(self.probabilities) else 0.0


def search_each_question(message: str, search: Search, questions: Sequence[Question]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions with what is found for it; empty for a message that asks only one.

    A short question for which nothing likely is found ("Any chance of getting that back?") belongs to the text before
    it. `search`: returns the best passages for a query, at most the given number; `questions`: those of a follow-up, if
    known.
    """
    follows = bool(questions)
    questions = questions or separate_questions(message)
    if len(questions) < 2:
        return ()
    found = tuple(_searched(message, questions, place, search) for place in range(len(questions)))
    asked = tuple(
        one for one in found if follows or one.best_probability >= LIKELY_FROM or not _needs_context(one, message)
    )
    return asked if len(asked) > 1 else ()


def _needs_context(one: SearchedQuestion, message: str) -> bool:
    """Whether a short question is a part of the text next to it: no "and" or "also" joins them."""
    before, found, after = message.partition(one.question)
    return (
        bool(found)
        and len(content_words(one.question)) <= MAX_DEPENDENT_WORDS
        and not _JOINED.search(before)
        and not _JOINS.match(after)
    )


def wordings(message: str, questions: Sequence[Question], place: int) -> dict[str, str]:
    """The queries for one of a message's questions: the question alone, as a standalone question, behind the text before the
    first question, behind that text and the first question, and the whole message.
    """
    one, first = questions[place], questions[0].text
    before, found, _ = message.partition(first)
    before = before.strip() if found else ""
    return {
        "alone": one.standalone if one.added == "topic" else one.text,
        "standalone": one.standalone,
        "told": f"{before} {one.text}".strip(),
        "first": f"{before} {first} {one.text}".strip() if place else f"{before} {one.text}".strip(),
        "whole": message,
    }


def features_by_wording(of_wording: Mapping[str, Sequence[Hit]]) -> dict[Section, dict[str, float]]:
    """Features of each of the first sections found for a question: by wording of the query, the log odds that it answers.

    If a wording does not find a section, they are the lowest.
    """
    found: dict[Section, dict[str, float]] = {}
    for name, hits in of_wording.items():
        for hit, chance in zip(hits, section_probabilities(hits), strict=False):
            lowest = dict.fromkeys(of_wording, log_odds(0.0))
            found.setdefault(hit.section, lowest)[name] = log_odds(chance)
    return found


def _searched(message: str, questions: Sequence[Question], place: int, search: Search) -> SearchedQuestion:
    """What is found for a question, the likeliest sections first; coefficients: several_questions.toml."""
    one = questions[place]
    of_wording = {name: search(text, JOINED_PASSAGES) for name, text in wordings(message, questions, place).items()}
    probabilities = {
        section: logistic(linear(bundled_toml(__file__, "several_questions.toml")["section"], values))
        for section, values in features_by_wording(of_wording).items()
    }
    hits = {hit.passage.id: hit for found in reversed(of_wording.values()) for hit in found}
    scores = _mean_scores(of_wording.values())
    ranked = sorted(hits.values(), key=lambda hit: (-probabilities.get(hit.section, 0.0), -scores[hit.passage.id]))[
        :ANSWER_PASSAGES
    ]
    return SearchedQuestion(
        question=one.text,
        query=one.standalone,
        hits=tuple(hit.model_copy(update={"score": scores[hit.passage.id]}) for hit in ranked),
        probabilities=tuple(probabilities.get(hit.section, 0.0) for hit in ranked),
        message=message,
    )


def _mean_scores(found: Iterable[Sequence[Hit]]) -> dict[str, float]:
    """The mean score of each passage over some searches, divided by that of the best (0 to 1)."""
    totals: Counter[str] = Counter()
    for hits in found:
        totals.update({hit.passage.id: hit.score for hit in hits})
    best = max(totals.values(), default=0.0) or 1.0
    return {passage: round(total / best, 4) for passage, total in totals.items()}


def is_sure(one: SearchedQuestion) -> bool:
    """Whether to answer a question from what is found for it: the best section is likely."""
    if one.is_answered is not None:
        return one.is_answered
    return one.best_probability >= settings_for(one.hits).answer_each_from
