"""A message that asks several things: each is searched for by itself, and answered or named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from core.base.types import FrozenModel, Hit, Language
from core.bot.answer.quotes import Quote, pieces_of
from core.bot.answer.relevance import SubQuestion, kinds_of, relevance, sub_question
from core.bot.evidence import FULL, has_examples, is_documented, probability, section_probabilities
from core.retrieval.headings import last_heading
from core.text.questions import Question, separate_questions

FIRST, WIDE = 6, 12  # passages for each question; those looked at where two searches are joined
CLOSE = 0.5  # score of a section beside that of the best, which is 1, from which it is named
NEAR = 0.08  # probability of a section, where sections have example questions, from which it is named,
LIKELY = 0.2  # from which it answers though the documents may not speak of it (if it is certain, NEAR is enough),
CLEAR = 0.5  # and from which nothing is asked
CERTAIN = 0.6  # probability that the best section is the right one
WHOLE = 0.4  # share of the score that the whole message gives
SHARE = {
    "": 1.0,
    "before": 2 / 3,
    "first": 0.5,
}  # of the score that comes from the search with what was added to a question
_LEFT_OPEN = {
    "ja": "「{question}」については、確かな答えを見つけられませんでした。",
    "en": 'I could not find a sure answer to "{question}".',
}
_NEAREST = {
    "ja": "近い話題は「{heading}」です。お知りになりたいことが含まれていそうでしたら、そうお書きください。",
    "en": 'The nearest topic is "{heading}"; write that if it is what you mean.',
}


class Asked(FrozenModel):
    """One of several questions: as it was asked, as it was searched for (it can be understood alone), and what was found.

    chance: probability of the best section, where sections have example questions (else 0).
    """

    question: str
    query: str
    hits: tuple[Hit, ...]
    chance: float = 0.0


def ask_each(message: str, search: Callable[[str, int], tuple[Hit, ...]]) -> tuple[Asked, ...]:
    """Each of several questions with what is found for it; nothing of a message that asks only one.

    Nor of one whose best section is surer than, and other than, that of each of its questions: these are fragments of
    one matter. `search`: the best passages for a query, and how many at most.
    """
    questions = separate_questions(message)
    if len(questions) < 2:
        return ()
    whole = search(message, WIDE)
    found = tuple(_asked(one, whole, search) for one in questions)
    surest = max(_chances(whole).values(), default=0.0)
    of_one = whole and all(
        one.hits and one.hits[0].passage.id != whole[0].passage.id and one.chance < surest for one in found
    )
    return () if of_one else found


def _asked(one: Question, whole: Sequence[Hit], search: Callable[[str, int], tuple[Hit, ...]]) -> Asked:
    """What is found for a question, by the mean of the scores with and without what was added to it, and of the whole message."""
    together = search(one.standalone, WIDE)
    alone = search(one.text, WIDE) if one.added else together
    own = {hit.passage.id: hit for hit in alone}
    of_whole = {hit.passage.id: hit.score for hit in whole}
    share = SHARE[one.added]
    scores = [
        (1 - WHOLE) * (share * hit.score + (1 - share) * (own[mark].score if mark in own else 0.0))
        + WHOLE * of_whole.get(mark, 0.0)
        for hit in together
        for mark in (hit.passage.id,)
    ]
    best = max(scores, default=0.0) or 1.0
    both, by_itself = _chances(together), _chances(alone)
    chances = {mark: max(chance, by_itself.get(mark, 0.0)) for mark, chance in both.items()}
    hits = [
        (own[mark] if by_itself.get(mark, 0.0) > both.get(mark, 0.0) else hit).model_copy(
            update={"score": round(score / best, 4)}
        )
        for hit, score in zip(together, scores, strict=True)
        for mark in (hit.passage.id,)
    ]
    ranked = tuple(sorted(hits, key=lambda hit: -hit.score)[:FIRST])
    chance = chances.get(ranked[0].passage.id, 0.0) if ranked else 0.0
    return Asked(question=one.text, query=one.standalone, hits=ranked, chance=chance)


def _chances(hits: Sequence[Hit]) -> dict[str, float]:
    """The probability of each section, by its passage; of all 0 where no section has example questions."""
    found = section_probabilities(hits) if has_examples(hits) else ()
    return {hit.passage.id: chance for hit, chance in zip(hits, found, strict=False)}


def is_sure(one: Asked, searched: int = FULL) -> bool:
    """Whether to answer a question from what is found for it: the documents speak of it, or the best section is likely."""
    if not one.hits:
        return False
    certain = probability("certain", one.query, one.hits) >= CERTAIN
    likely = one.chance >= (NEAR if certain else LIKELY) or (certain and not has_examples(one.hits))
    return likely or is_documented(one.query, one.hits, searched)


def are_clear(asked: Sequence[Asked], searched: int = FULL) -> bool:
    """Whether one of several questions surely has its section: then it is answered and the others are, or are named; nothing is asked."""
    return any(is_sure(one, searched) and _stands_out(one) for one in asked)


def _stands_out(one: Asked) -> bool:
    if has_examples(one.hits):
        return one.chance >= CLEAR
    return probability("certain", one.query, one.hits) >= CERTAIN


def quotes_for_each(asked: Sequence[Asked], hits: Sequence[Hit], weights: Mapping[str, float]) -> list[Quote]:
    """What to quote for each question, in the order of the questions."""
    picked: dict[int, list[SubQuestion]] = {}
    for one in asked:
        own = {hit.passage.id: hit for hit in one.hits}
        found = [(place, own[hit.passage.id]) for place, hit in enumerate(hits) if hit.passage.id in own]
        if found:
            wanted = _wanted(one, weights)
            place, _ = max(found, key=lambda pair: math.fsum(relevance(each, pair[1]) for each in wanted))
            picked.setdefault(place, []).extend(wanted)
    return [Quote(place + 1, pieces_of(wanted, hits[place])) for place, wanted in picked.items()]


def _wanted(one: Asked, weights: Mapping[str, float]) -> list[SubQuestion]:
    kinds = kinds_of(one.question)
    return [sub_question(one.query, one.question, kind, weights)._replace(alone=False) for kind in kinds]


def left_open(asked: Sequence[Asked], quoted: Sequence[Hit], language: Language) -> list[str]:
    """A sentence for each question that is not answered, with the section that may be meant; none if that is quoted anyway.

    That is the best one, if it is not improbable, else the best in a document that is quoted for another question.
    """
    shown = {hit.passage.id for hit in quoted}
    documents = {hit.passage.document for hit in quoted}
    said: list[str] = []
    for one in asked:
        likely = [hit for hit in one.hits[:1] if one.chance >= NEAR or not has_examples(one.hits)]
        beside = [hit for hit in one.hits if hit.passage.document in documents and hit.score >= CLOSE]
        best = next(iter((*likely, *beside)), None)
        if best and best.passage.id in shown:
            continue
        line = _LEFT_OPEN[language].format(question=one.question.strip("。?？ "))
        if best:
            space = " " if language == "en" else ""
            line += space + _NEAREST[language].format(heading=last_heading(best.passage.heading))
        said.append(line)
    return said
