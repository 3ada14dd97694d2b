"""A message that asks several things: each is searched for by itself, and answered or named."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.base.frozen_model import FrozenModel
from core.base.probabilities import coefficients, linear, log_odds, logistic, odds
from core.base.text import in_quotes
from core.base.types import Hit, Language
from core.bot.answer.quotes import Quote, pieces_of
from core.bot.answer.relevance import SubQuestion, holds_kind, kinds_of, relevance, sub_question
from core.bot.answer.snippets import snippets
from core.bot.evidence import FULL, claim_probability, has_examples, is_documented, section_probabilities
from core.retrieval.headings import last_heading
from core.text.language import content_words, join_sentences
from core.text.message_questions import Question, names_thing, said_beside, separate_questions

Search = Callable[[str, int], tuple[Hit, ...]]
FIRST, WIDE = 6, 12  # passages for each question; those looked at where two searches are joined
CLOSE = 0.5  # score of a section beside that of the best, which is 1, from which it is named
POSSIBLE = 0.05  # probability of a section, where sections have example questions, from which it is named,
NEAR = 0.08  # from which it is the matter of a trouble told beside it,
OF_LIKELIHOOD = 0.25  # what the log odds that a section answers count beside the relevance of what is quoted
LIKELY = 0.1  # from which it answers,
CLEAR = 0.5  # from which nothing is asked,
MEANT = 0.8  # and from which no other section is quoted,
ABOUT_AS_LIKELY = 1 / 3  # nor, from CLEAR, one whose odds are a smaller share of the best one's
CERTAIN = 0.6  # probability that the best section is the right one
SHORT = 4  # content words of a question that may lean on what is told beside it
APART = 0.5  # probability of a section from which a trouble or a wish beside a question is a question of its own,
WORDS = 2  # if it has so many content words
_PRICE = re.compile(
    r"いくら|何円|\bhow much (?:is|are|does|do|will|would|did)\b|\bwhat (?:is|does|do|will|would|did|'s)\b[^?]{0,30}\b(?:costs?|prices?)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:あと|それと|それから|ついでに|また|ちなみに|\b(?:and|also|plus|or))[、,]?\s?$", re.IGNORECASE)
_JOINS = re.compile(
    r"[、。,.!?！？\s]{0,3}(?:あと|それと|それから|ついでに|また|ちなみに|(?:and|also|plus|or)\b)", re.IGNORECASE
)
_LEFT_OPEN = {
    "ja": "「{question}」については、確かな答えを見つけられませんでした。",
    "en": 'I could not find a sure answer to "{question}".',
}
_NEAREST = {
    "ja": "近い話題は{heading}です。お知りになりたいことが含まれていそうでしたら、お選びください。",
    "en": "The nearest topic is {heading}; pick it if it is what you mean.",
}


class SearchedQuestion(FrozenModel):
    """One of several questions: as it was asked, as it was searched for (it can be understood alone), and what was
    found.

    chances: the probability that each hit's section answers it.
    """

    question: str
    query: str
    hits: tuple[Hit, ...]
    chances: tuple[float, ...] = ()
    message: str = ""

    @property
    def chance(self) -> float:
        """The probability of the best section."""
        return self.chances[0] if self.chances else 0.0


def search_each_question(
    message: str, search: Search, questions: Sequence[Question] = ()
) -> tuple[SearchedQuestion, ...]:
    """Each of several questions with what is found for it; nothing of a message that asks only one.

    A short question for which nothing likely is found ("Any chance of getting that back?") belongs to what is told
    before it. `search`: the best passages for a query, and how many at most; `questions`: those of a message that
    follows an answer, if known.
    """
    follows = bool(questions)
    questions = questions or _questions_of(message, search)
    if len(questions) < 2:
        return ()
    found = tuple(_searched(message, questions, place, search) for place in range(len(questions)))
    kept = tuple(one for one in found if follows or one.chance >= LIKELY or not _leans(one, message))
    return kept if len(kept) > 1 else ()


def _leans(one: SearchedQuestion, message: str) -> bool:
    """Whether a short question is a part of what stands beside it: no "and" or "also" joins them."""
    before, found, after = message.partition(one.question)
    return (
        bool(found)
        and len(content_words(one.question)) <= SHORT
        and not _JOINED.search(before)
        and not _JOINS.match(after)
    )


def _questions_of(message: str, search: Search) -> tuple[Question, ...]:
    """The questions of a message, and a trouble or a wish beside them that surely has a section in another document."""
    questions = separate_questions(message)
    if len(questions) == 1 and not names_thing(questions[0].text):
        return questions  # it asks about what is told beside it
    documents = [_likeliest_document(one.text, NEAR, search) for one in questions]
    apart = [
        part
        for part in said_beside(message)
        if len(content_words(part)) >= WORDS
        and not any(part in one.text for one in questions)
        and (own := _likeliest_document(part, APART, search))
        and not {"", own}.intersection(documents)
    ]
    if not apart:
        return questions
    alone = [
        Question(one.text, one.text) if len(questions) == 1 or any(part in one.standalone for part in apart) else one
        for one in questions
    ]
    return tuple(sorted((*alone, *(Question(part, part) for part in apart)), key=lambda one: message.find(one.text)))


def _likeliest_document(text: str, least: float, search: Search) -> str:
    """The document of the section that most likely answers a text, if that is at least this probable; else empty."""
    hits = search(text, WIDE)
    chances = section_probabilities(hits) if has_examples(hits) else ()
    best = max(range(len(chances)), key=lambda place: chances[place], default=None)
    return "" if best is None or chances[best] < least else hits[best].passage.document


def wordings(message: str, questions: Sequence[Question], place: int) -> dict[str, str]:
    """The texts by which one of a message's questions is searched for: by itself, as it can be understood alone, with
    what is told before the first question, with that and the first question, and the whole message.
    """
    one, first = questions[place], questions[0].text
    before, found, _ = message.partition(first)
    told = before.strip() if found else ""
    return {
        "alone": one.text,
        "standalone": one.standalone,
        "told": f"{told} {one.text}".strip(),
        "first": f"{told} {first} {one.text}".strip() if place else f"{told} {one.text}".strip(),
        "whole": message,
    }


def question_features(of_wording: Mapping[str, Sequence[Hit]]) -> dict[tuple[str, str], dict[str, float]]:
    """What speaks for each of the first sections found as the answer to a question: by wording, the log odds that it
    answers.

    Those of a section that is not found by a wording are the lowest.
    """
    found: dict[tuple[str, str], dict[str, float]] = {}
    for name, hits in of_wording.items():
        for hit, chance in zip(hits, section_probabilities(hits) if hits else (), strict=False):
            lowest = dict.fromkeys(of_wording, log_odds(0.0))
            found.setdefault((hit.document, hit.heading), lowest)[name] = log_odds(chance)
    return found


def _searched(message: str, questions: Sequence[Question], place: int, search: Search) -> SearchedQuestion:
    """What is found for a question, the likeliest sections first; coefficients: several_questions.toml."""
    one = questions[place]
    of_wording = {name: search(text, WIDE) for name, text in wordings(message, questions, place).items()}
    fitted = coefficients(__file__, "several_questions.toml")["section"]
    chances = {section: logistic(linear(fitted, values)) for section, values in question_features(of_wording).items()}
    hits = {hit.passage.id: hit for found in reversed(of_wording.values()) for hit in found}
    scores = _mean_scores(of_wording.values())
    ranked = sorted(
        hits.values(), key=lambda hit: (-chances.get((hit.document, hit.heading), 0.0), -scores[hit.passage.id])
    )[:FIRST]
    return SearchedQuestion(
        question=one.text,
        query=one.standalone,
        hits=tuple(hit.model_copy(update={"score": scores[hit.passage.id]}) for hit in ranked),
        chances=tuple(chances.get((hit.document, hit.heading), 0.0) for hit in ranked),
        message=message,
    )


def _mean_scores(found: Iterable[Sequence[Hit]]) -> dict[str, float]:
    """The mean of the scores that each passage has in some searches, divided by that of the best (0 to 1)."""
    totals: Counter[str] = Counter()
    for hits in found:
        totals.update({hit.passage.id: hit.score for hit in hits})
    best = max(totals.values(), default=0.0) or 1.0
    return {mark: round(total / best, 4) for mark, total in totals.items()}


def is_sure(one: SearchedQuestion, searched: int = FULL) -> bool:
    """Whether to answer a question from what is found for it: the best section is likely, or the documents speak of
    it."""
    return one.chance >= LIKELY or (not has_examples(one.hits) and is_documented(one.query, one.hits, searched))


def are_clear(asked: Sequence[SearchedQuestion], searched: int = FULL) -> bool:
    """Whether one of several questions surely has its section: then it is answered and the others are, or are named;
    nothing is asked."""
    return any(is_sure(one, searched) and _stands_out(one) for one in asked)


def _stands_out(one: SearchedQuestion) -> bool:
    return one.chance >= CLEAR or (
        not has_examples(one.hits) and claim_probability("certain", one.query, one.hits) >= CERTAIN
    )


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
    chances = {found.passage.id: chance for found, chance in zip(one.hits, one.chances, strict=False)}
    likely = log_odds(chances.get(hit.passage.id, 0.0))
    return math.fsum(relevance(each, hit) for each in wanted) / len(wanted) + OF_LIKELIHOOD * likely


def _candidates(one: SearchedQuestion, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """The passages, with their places among `hits`, that may answer a question.

    Asked for a price, those which say one, if there are any; asked for another value (not for steps), all likely ones;
    else the best alone if it is surely meant, and, of a question that stands alone, those that are about as likely as
    the best.
    """
    own = {hit.passage.id: hit for hit in one.hits}
    found = [(place, own[hit.passage.id]) for place, hit in enumerate(hits) if hit.passage.id in own]
    if _PRICE.search(one.question):
        priced = [pair for pair in found if pair[1].score >= CLOSE and _says_price(pair[1])]
        return _about_as_likely(priced, one) or found
    chances = {hit.passage.id: chance for hit, chance in zip(one.hits, one.chances, strict=False)}
    least = one.chance if one.chance >= MEANT else 0.0
    if one.query == one.question and one.chance >= CLEAR:
        share = ABOUT_AS_LIKELY * odds(one.chance)
        least = max(least, share / (1 + share))
    if set(kinds_of(one.question)) - {None, "steps"}:
        least = min(least, LIKELY)
    return [pair for pair in found if chances.get(pair[1].passage.id, 0.0) >= least] or found


def _about_as_likely(found: list[tuple[int, Hit]], one: SearchedQuestion) -> list[tuple[int, Hit]]:
    """Those of some passages that are about as likely as the likeliest of them, if that is likely at all."""
    chances = {hit.passage.id: chance for hit, chance in zip(one.hits, one.chances, strict=False)}
    best = max((chances.get(hit.passage.id, 0.0) for _, hit in found), default=0.0)
    if best < CLEAR:
        return found
    return [pair for pair in found if odds(chances.get(pair[1].passage.id, 0.0)) >= ABOUT_AS_LIKELY * odds(best)]


def has_price(one: SearchedQuestion, quoted: Sequence[Hit]) -> bool:
    """Whether one of the passages found for a question that is quoted says a price; true if none is asked for."""
    own = {hit.passage.id for hit in one.hits}
    return not _PRICE.search(one.question) or any(_says_price(hit) for hit in quoted if hit.passage.id in own)


def _says_price(hit: Hit) -> bool:
    return any(holds_kind(piece, "money") for piece in snippets(hit.passage.text))


def _wanted(one: SearchedQuestion, weights: Mapping[str, float]) -> list[SubQuestion]:
    kinds = kinds_of(one.question)
    return [
        sub_question(one.query, one.question, kind, weights)._replace(alone=False, told=one.message) for kind in kinds
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
        likely = [hit for hit in one.hits[:1] if one.chance >= POSSIBLE or not has_examples(one.hits)]
        if likely and likely[0].passage.id in shown and has_price(one, quoted):
            continue
        beside = [hit for hit in one.hits if hit.passage.document in documents and hit.score >= CLOSE]
        others = (hit for hit in (*likely, *beside) if hit.passage.id not in shown)
        line = _LEFT_OPEN[language].format(question=one.question.strip("。?？ "))
        if best := next(others, None):
            nearest = _NEAREST[language].format(heading=in_quotes(last_heading(best.passage.heading), language))
            line = join_sentences((line, nearest), language)
        said.append(line)
    return said
