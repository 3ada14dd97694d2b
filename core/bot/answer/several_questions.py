"""A message that asks several things: each is searched for by itself, and answered or named."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from core.base.probabilities import odds
from core.base.types import FrozenModel, Hit, Language
from core.bot.answer.quotes import Quote, pieces_of
from core.bot.answer.relevance import SubQuestion, holds_kind, kinds_of, relevance, sub_question
from core.bot.answer.snippets import snippets
from core.bot.evidence import FULL, claim_probability, has_examples, is_documented, section_probabilities
from core.bot.follow_up import with_own_evidence
from core.retrieval.headings import last_heading
from core.text.language import content_words, terms
from core.text.questions import Question, names_thing, own_things, said_beside, separate_questions

FIRST, WIDE = 6, 12  # passages for each question; those looked at where two searches are joined
CLOSE = 0.5  # score of a section beside that of the best, which is 1, from which it is named
POSSIBLE = 0.05  # probability of a section, where sections have example questions, from which it is named,
NEAR = 0.08  # from which, if it is certain, it answers,
LIKELY = 0.2  # from which it answers though the documents may not speak of it,
CLEAR = 0.5  # from which nothing is asked,
MEANT = 0.8  # and from which no other section is quoted,
ABOUT_AS_LIKELY = 1 / 3  # nor, from CLEAR, one whose odds are a smaller share of the best one's
LEADS, MUCH = (
    0.3,
    4.0,
)  # probability of a section, and how many times the odds of the first one, from which it goes before that
SURER = 2.0  # how many times the odds of each question's likeliest section those of the whole message's are, if it asks one thing
CERTAIN = 0.6  # probability that the best section is the right one
SHORT = 4  # content words of a question that may lean on what is told beside it
APART = 0.5  # probability of a section from which a trouble or a wish beside a question is a question of its own,
WORDS = 2  # if it has so many content words
WHOLE = 0.4  # share of the score that the whole message gives
SHARE = {
    "": 1.0,
    "before": 2 / 3,
    "first": 0.5,
}  # of the score that comes from the search with what was added to a question
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
    "ja": "近い話題は「{heading}」です。お知りになりたいことが含まれていそうでしたら、お選びください。",
    "en": 'The nearest topic is "{heading}"; pick it if it is what you mean.',
}


class SearchedQuestion(FrozenModel):
    """One of several questions: as it was asked, as it was searched for (it can be understood alone), and what was found.

    chances: the probability of each hit's section, where sections have example questions (else 0); beside: whether the best
    section is found for the first question of the message and says nothing of this one.
    """

    question: str
    query: str
    hits: tuple[Hit, ...]
    chances: tuple[float, ...] = ()
    beside: bool = False

    @property
    def chance(self) -> float:
        """The probability of the best section."""
        return self.chances[0] if self.chances else 0.0


def ask_each(
    message: str, search: Callable[[str, int], tuple[Hit, ...]], questions: Sequence[Question] = ()
) -> tuple[SearchedQuestion, ...]:
    """Each of several questions with what is found for it; nothing of a message that asks only one.

    Nor of one whose best section is far surer than, and other than, that of each of its questions: these are fragments of
    one matter. A short question for which nothing likely is found ("Any chance of getting that back?") belongs to what is
    told before it. `search`: the best passages for a query, and how many at most; `questions`: those of a message that
    follows an answer, if known.
    """
    follows = bool(questions)
    questions = questions or _questions_of(message, search)
    if len(questions) < 2:
        return ()
    whole = search(message, WIDE)
    found = tuple(_asked(one, whole, search) for one in questions)
    surest = max(_chances(whole).values(), default=0.0)
    of_one = whole and all(
        one.hits
        and one.hits[0].passage.id != whole[0].passage.id
        and SURER * odds(max(one.chances, default=0.0)) < odds(surest)
        for one in found
    )
    if of_one or follows:
        return () if of_one else found
    of_message = _chances(whole)
    kept = tuple(
        one.model_copy(update={"beside": one.beside or _is_far(one, of_message)})
        for one in found
        if not (_is_far(one, of_message) and _leans(one, message))
    )
    return kept if len(kept) > 1 else ()


def _is_far(one: SearchedQuestion, of_message: Mapping[str, float]) -> bool:
    """Whether what is found for a short question is neither likely nor possible for the message as a whole."""
    short = len(content_words(one.question)) <= SHORT
    if not short or not of_message or not one.hits:
        return False
    return one.chance < CLEAR and of_message.get(one.hits[0].passage.id, 0.0) < POSSIBLE


def _leans(one: SearchedQuestion, message: str) -> bool:
    """Whether a question is a part of what stands beside it: no "and" or "also" joins them."""
    before, found, after = message.partition(one.question)
    return bool(found) and not _JOINED.search(before) and not _JOINS.match(after)


def _questions_of(message: str, search: Callable[[str, int], tuple[Hit, ...]]) -> tuple[Question, ...]:
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


def _likeliest_document(text: str, least: float, search: Callable[[str, int], tuple[Hit, ...]]) -> str:
    """The document of the section that most likely answers a text, if that is at least this probable; else empty."""
    hits = search(text, WIDE)
    chances = section_probabilities(hits) if has_examples(hits) else ()
    best = max(range(len(chances)), key=lambda place: chances[place], default=None)
    return "" if best is None or chances[best] < least else hits[best].passage.document


def _asked(one: Question, whole: Sequence[Hit], search: Callable[[str, int], tuple[Hit, ...]]) -> SearchedQuestion:
    """What is found for a question, by the mean of the scores with and without what was added to it, and of the whole message.

    The likeliest section is first if it is much likelier than the one with the best score. What is added from an earlier
    message counts as in a follow-up that asks one thing.
    """
    together = search(one.standalone, WIDE)
    if one.added == "earlier":
        hits = with_own_evidence(together, one.text, search)
        chances = _chances(hits)
        ranked = _likeliest_first(hits, chances)[:FIRST]
        of_hits = tuple(chances.get(hit.passage.id, 0.0) for hit in ranked)
        return SearchedQuestion(question=one.text, query=one.standalone, hits=ranked, chances=of_hits)
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
    both, by_itself = _chances(together), _chances(alone)
    chances = {mark: max(chance, by_itself.get(mark, 0.0)) for mark, chance in both.items()}
    if max(by_itself.values(), default=0.0) >= MEANT:
        chances = by_itself
    best = max(scores, default=0.0) or 1.0
    hits = [
        (own[mark] if by_itself.get(mark, 0.0) > both.get(mark, 0.0) else hit).model_copy(
            update={"score": round(score / best, 4)}
        )
        for hit, score in zip(together, scores, strict=True)
        for mark in (hit.passage.id,)
    ]
    ranked = _likeliest_first(sorted(hits, key=lambda hit: -hit.score), chances)
    if one.added == "first" and max(by_itself.values(), default=0.0) >= LIKELY:
        ranked = tuple(hit for hit in ranked if not _is_beside(one.text, hit, by_itself)) or ranked
    ranked = ranked[:FIRST]
    beside = one.added == "first" and has_examples(ranked) and _is_beside(one.text, ranked[0], by_itself)
    of_hits = tuple(chances.get(hit.passage.id, 0.0) for hit in ranked)
    return SearchedQuestion(question=one.text, query=one.standalone, hits=ranked, chances=of_hits, beside=beside)


def _is_beside(question: str, hit: Hit, by_itself: Mapping[str, float]) -> bool:
    """Whether a section is found for the question before alone: improbable for this one, and without what it names."""
    return by_itself.get(hit.passage.id, 0.0) < NEAR and not _names_any(question, hit)


def _names_any(question: str, hit: Hit) -> bool:
    """Whether a section has one of the things that a question names; true if it names none."""
    known = set(terms(f"{hit.passage.title} {hit.passage.heading} {hit.passage.text}"))
    things = own_things(question)
    return not things or bool(things & known)


def _likeliest_first(hits: Sequence[Hit], chances: Mapping[str, float]) -> tuple[Hit, ...]:
    """The hits, the likeliest first and with the best score if it is much likelier than the first one."""
    if not hits:
        return ()
    likeliest = max(hits, key=lambda hit: chances.get(hit.passage.id, 0.0))
    chance, first = (chances.get(hit.passage.id, 0.0) for hit in (likeliest, hits[0]))
    if chance < LEADS or odds(chance) < MUCH * odds(first):
        return tuple(hits)
    raised = likeliest.model_copy(update={"score": 1.0})
    return (raised, *(hit for hit in hits if hit.passage.id != likeliest.passage.id))


def _chances(hits: Sequence[Hit]) -> dict[str, float]:
    """The probability of each section, by its passage; of all 0 if no section has example questions."""
    found = section_probabilities(hits) if has_examples(hits) else ()
    return {hit.passage.id: chance for hit, chance in zip(hits, found, strict=False)}


def is_sure(one: SearchedQuestion, searched: int = FULL) -> bool:
    """Whether to answer a question from what is found for it: the documents speak of it, or the best section is likely."""
    if not one.hits or one.beside:
        return False
    certain = claim_probability("certain", one.query, one.hits) >= CERTAIN
    likely = one.chance >= (NEAR if certain else LIKELY) or (certain and not has_examples(one.hits))
    return likely or is_documented(one.query, one.hits, searched)


def are_clear(asked: Sequence[SearchedQuestion], searched: int = FULL) -> bool:
    """Whether one of several questions surely has its section: then it is answered and the others are, or are named; nothing is asked."""
    return any(is_sure(one, searched) and _stands_out(one) for one in asked)


def _stands_out(one: SearchedQuestion) -> bool:
    if has_examples(one.hits):
        return one.chance >= CLEAR
    return claim_probability("certain", one.query, one.hits) >= CERTAIN


def quotes_for_each(
    asked: Sequence[SearchedQuestion], hits: Sequence[Hit], weights: Mapping[str, float]
) -> list[Quote]:
    """What to quote for each question, in the order of the questions, below headings if that is of several sections."""
    picked: dict[int, list[SubQuestion]] = {}
    for one in asked:
        wanted = _wanted(one, weights)
        if found := _candidates(one, hits):
            place, _ = max(found, key=lambda pair: math.fsum(relevance(each, pair[1]) for each in wanted))
            picked.setdefault(place, []).extend(wanted)
    return [Quote(place + 1, pieces_of(wanted, hits[place]), len(picked) > 1) for place, wanted in picked.items()]


def _candidates(one: SearchedQuestion, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """The passages, with their places among `hits`, that may answer a question.

    Asked for a price, those which say one, if there are any; asked for another value (not for steps), all likely ones; else the best alone
    if it is surely meant, and, of a question that stands alone, those that are about as likely as the best.
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
    return [sub_question(one.query, one.question, kind, weights)._replace(alone=False) for kind in kinds]


def left_open(asked: Sequence[SearchedQuestion], quoted: Sequence[Hit], language: Language) -> list[str]:
    """A sentence for each question that is not answered, with the section that may be meant; none if that is quoted anyway.

    That is the best one, if it is not improbable, else the best in a document that is quoted for another question. Asked for
    a price, a passage that says none is no answer.
    """
    shown = {hit.passage.id for hit in quoted}
    documents = {hit.passage.document for hit in quoted}
    said: list[str] = []
    for one in asked:
        likely = [hit for hit in one.hits[:1] if one.chance >= POSSIBLE or not has_examples(one.hits)]
        if likely and likely[0].passage.id in shown and not one.beside and has_price(one, quoted):
            continue
        beside = [hit for hit in one.hits if hit.passage.document in documents and hit.score >= CLOSE]
        others = (hit for hit in (*likely, *beside) if hit.passage.id not in shown)
        line = _LEFT_OPEN[language].format(question=one.question.strip("。?？ "))
        if best := next(others, None):
            space = " " if language == "en" else ""
            line += space + _NEAREST[language].format(heading=last_heading(best.passage.heading))
        said.append(line)
    return said
