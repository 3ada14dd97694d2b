"""Measures of one answer: its claims checked against passages and reference, and what it says on the question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Message, Sample
from core.judges.reasons import quote
from core.judges.rules.claim_check import (
    SUPPORTED_FROM,
    ClaimCheck,
    Segment,
    SegmentedText,
    Weights,
    check_claim,
    is_sentence,
    segment,
    segment_text,
    segment_texts,
)
from core.judges.rules.figures import CheckOptions
from core.judges.rules.yes_no import contradicted_statement
from core.text.answer_kinds import FIGURES, Kind, asked_kinds, says_kind
from core.text.conversation import is_unhelped, open_messages
from core.text.language import Script, content_words, script
from core.text.negation import long_clauses
from core.text.numbers import Amount, amounts
from core.text.questions import asks_whether, repeats_question
from core.text.reactions import says_unknown
from core.text.refusals import addresses_grader, answer_sentences, is_boilerplate, is_refusal
from core.text.standalone_question import sentences_that_ask_or_tell, standalone_question

LONGEST_ANSWER = 12_000  # characters of an answer that are read
ANSWERABLE_FROM = 0.22  # share of the question from which the best passage covers it
MAX_CLAIMS = 40  # sentences of an answer that are checked
_TOPIC_OR_CONDITION = re.compile(r"(?:は|も|では|場合|とき|なら|たら|れば|えば|と)、$")
MIN_CLAUSE_WORDS = 2  # content words of a clause of the reference that is checked by itself


class Measures(NamedTuple):
    """What an answer claims, how far the passages and the reference support it, and what it says on the question.

    Shares and coverages are from 0 to 1, by the weight of the words or claims.
    """

    sentences: tuple[str, ...]
    question_words: frozenset[str]  # of the question, made standalone by the history, with the intent if it is known
    topic: str  # the weightiest words of the question, to be quoted
    claims: tuple[ClaimCheck, ...]  # of the answer, each checked against the passages and the reference
    # Claims of the reference, else of the best passage, each checked against the answer
    expected: tuple[ClaimCheck, ...]
    points: tuple[ClaimCheck, ...]  # clauses of the reference, each checked against the answer; else `expected`
    supported_share: float | None  # share of the claims that is supported; None without passages and reference
    question_coverage: float  # share of the question that the answer's words cover
    passage_fit: float  # how well the passages behind the claims cover the question, relative to the best passage
    expected_coverage: float | None  # share of `points` that the answer states; None if nothing is expected
    reference_agreement: float | None  # share of the claims that the reference supports; None without a reference
    passage_coverages: tuple[float, ...]  # share of the question that each passage covers
    best_sentence: str  # of the best passage, the one that covers most of the question
    figures_asked: tuple[Kind, ...]  # kinds of figure that the question asks for
    missing_kinds: tuple[Kind, ...]  # those of them that the answer does not give
    has_refusal: bool
    opens_with_refusal: bool
    reference_declines: bool  # the reference says that there is no answer
    words_to_grader: str  # the first sentence of the answer that addresses the judge, or ""

    @property
    def total_weight(self) -> float:
        return math.fsum(check.weight for check in self.claims)

    @property
    def contradicted_share(self) -> float:
        """Share (0 to 1) of the claims, by weight, that the evidence contradicts."""
        contradicted = math.fsum(check.weight for check in self.claims if check.state == "contradicted")
        return contradicted / self.total_weight if self.claims else 0.0

    @property
    def best_coverage(self) -> float:
        """How well (0 to 1) the best passage covers the question."""
        return max(self.passage_coverages, default=0.0)

    @property
    def is_answerable(self) -> bool:
        """Whether the best passage covers the question."""
        return self.best_coverage >= ANSWERABLE_FROM

    @property
    def only_refuses(self) -> bool:
        """Whether the answer is a refusal and nothing else (related topics and contacts may follow)."""
        supported = sum(f.weight for f in self.claims if f.state == "supported" and not is_boilerplate(f.claim.text))
        return self.has_refusal and (not supported or (self.opens_with_refusal and supported * 2 < self.total_weight))

    @property
    def best_passage_number(self) -> int:
        """The number (from 1) of the passage that covers the question best; 0 if none does."""
        return self.passage_coverages.index(self.best_coverage) + 1 if self.best_coverage else 0

    @property
    def best_claim(self) -> ClaimCheck | None:
        """The claim with most support; None without claims."""
        return max(self.claims, key=lambda f: (f.state == "supported", f.share * f.weight), default=None)

    @property
    def main_claim(self) -> str:
        """The weightiest claim's text; "" if nothing is claimed."""
        return max(self.claims, key=lambda f: f.weight).claim.text if self.claims else ""

    @property
    def keeps_figures(self) -> bool:
        """Whether every figure of the reference is stated, none is invented and nothing contradicts."""
        asked = self.has_reference and any(f.claim.figures for f in self.expected)
        complete = not any(f.claim_span for f in self.expected) and not any(f.claim_span for f in self.claims)
        return asked and complete and not any(f.state == "contradicted" for f in (*self.claims, *self.expected))

    @property
    def has_reference(self) -> bool:
        """Whether a reference says what the answer should state."""
        return self.reference_agreement is not None


def measure(sample: Sample) -> Measures:
    """Measure an answer against its contexts, its reference and the user's question."""
    evidence = " ".join((*sample.reference, *sample.contexts))[:1_500]
    of = script(evidence or f"{sample.question} {sample.answer}"[:1_500])
    declines = bool(sample.references) and all(is_refusal(text) for text in sample.references)
    references = () if declines else sample.references
    sources, weights = segment_texts((*sample.contexts, *references), of)
    passages = sources[: len(sample.contexts)]
    sentences = answer_sentences(sample.answer[:LONGEST_ANSWER])
    question_words = segment(question_of(sample)[:2_000], of).words | segment(sample.intent, of).words
    asked = open_question_of(sample)
    figures_asked = asked_kinds(asked, FIGURES)
    segments = _claims(sentences, sample.question, of)
    options = CheckOptions(weights.sum, question_words, user_figures(sample))
    by_passages = tuple(check_claim(claim, passages, options) for claim in segments)
    by_reference = tuple(check_claim(claim, sources[len(passages) :], options) for claim in segments)
    claims = _without_asides(tuple(_better(*pair) for pair in zip(by_passages, by_reference, strict=True)))
    if asks_whether(asked):
        claims = _with_contradiction(claims, [one.text for one in segments], sources, references, options)
    coverages = tuple(weights.share(question_words, one.words) for one in passages)
    whole_answer = segment_text("\n".join(sentences), of)
    of_reference = [answer_sentences(text) for text in references]
    expected = _from_reference(of_reference, whole_answer, weights, figures_asked) or _from_passage(
        passages, whole_answer, question_words, weights, by_passages
    )
    clauses = [[clause for sentence in each for clause in _clauses(sentence)] for each in of_reference]
    points = _from_reference(clauses, whole_answer, weights, figures_asked) or expected
    return Measures(
        sentences=sentences,
        question_words=question_words,
        topic=_topic(question_words, weights, sample),
        claims=claims,
        expected=expected,
        points=points,
        supported_share=_mean(claims) if sources else None,
        question_coverage=weights.share(question_words, whole_answer.words),
        passage_fit=_passage_fit(_without_asides(by_passages), coverages),
        expected_coverage=_mean(points) if points else None,
        reference_agreement=_mean(_without_asides(by_reference)) if references else None,
        passage_coverages=coverages,
        best_sentence=_best_sentence(passages, coverages, question_words, weights),
        figures_asked=figures_asked,
        missing_kinds=tuple(kind for kind in figures_asked if not says_kind(sample.answer, kind)),
        has_refusal=any(is_refusal(part) for part in sentences),
        opens_with_refusal=any(is_refusal(part) for part in sentences[:2]),
        reference_declines=declines,
        words_to_grader=next((part for part in sentences if addresses_grader(part)), ""),
    )


def question_of(sample: Sample) -> str:
    """The standalone question as the bot rewrote it, else as the history completes it."""
    return sample.standalone_question or standalone_question(_messages(sample))


def open_question_of(sample: Sample) -> str:
    """The question that is still open: after an answer, the last message alone, without the subject of earlier ones."""
    messages = _messages(sample)
    after_answer = sample.history and len(open_messages(messages)) == 1
    if not after_answer or says_unknown(sample.question) or is_unhelped(messages):
        return question_of(sample)
    return sentences_that_ask_or_tell(sample.question)


def _messages(sample: Sample) -> tuple[Message, ...]:
    return (*sample.history, Message(role="user", text=sample.question))


def user_figures(sample: Sample) -> frozenset[Amount]:
    """The figures in the user's messages and intent."""
    messages = (message.text for message in sample.history if message.role == "user")
    return frozenset[Amount]().union(*(amounts(text[:2_000]) for text in (*messages, sample.question, sample.intent)))


def _claims(sentences: Sequence[str], question: str, of: Script) -> tuple[Segment, ...]:
    claims: dict[Segment, None] = {}
    for part in sentences:
        if not (is_refusal(part) or addresses_grader(part) or repeats_question(part, question)):
            claims[segment(part, of)] = None
    return tuple(claims)[:MAX_CLAIMS]


def _without_asides(checks: Sequence[ClaimCheck]) -> tuple[ClaimCheck, ...]:
    """Leaves out what claims nothing: sentences without content words, and contact lines or courtesies without
    support."""
    return tuple(f for f in checks if f.weight and not (f.state != "supported" and is_boilerplate(f.claim.text)))


def _better(by_passages: ClaimCheck, by_reference: ClaimCheck) -> ClaimCheck:
    """The check against the reference (passage 0) if it decides the claim, else the one against the passages."""
    in_passages = by_passages.state == "supported"
    if by_reference.state == "supported" or (by_reference.state == "contradicted" and not in_passages):
        return by_reference._replace(passage_number=by_passages.passage_number if in_passages else 0)
    return by_passages


def _with_contradiction(
    checks: tuple[ClaimCheck, ...],
    texts: Sequence[str],
    sources: Sequence[SegmentedText],
    references: Sequence[str],
    options: CheckOptions,
) -> tuple[ClaimCheck, ...]:
    """The checks, with the claim that says the opposite of the evidence marked as contradicted."""
    evidence = (clause for one in sources for clause in one.yes_no_clauses)
    contradiction = contradicted_statement(texts, evidence, references, sources[0].of, options) if sources else None
    if contradiction is None:
        return checks
    claim_span, evidence_span = contradiction
    number = next((one.passage_number for one in checks if claim_span in one.claim.text), 0)
    return tuple(
        one._replace(state="contradicted", claim_span=claim_span, evidence_span=evidence_span, passage_number=number)
        if claim_span in one.claim.text
        else one
        for one in checks
    )


def _from_reference(
    references: Sequence[Sequence[str]], whole_answer: SegmentedText, weights: Weights, asked: tuple[Kind, ...]
) -> tuple[ClaimCheck, ...]:
    """The claims of the reference that the answer states best, checked against the answer; each reference as its
    claims. `asked`: the kinds of figure that the question asks for."""
    options, of = CheckOptions(weights.sum, expected=True, asked_kinds=asked), whole_answer.of
    checks = (tuple(check_claim(one, (whole_answer,), options) for one in _claims(each, "", of)) for each in references)
    return max(checks, key=_mean, default=())


def _clauses(sentence: str) -> list[str]:
    """The clauses of a sentence with enough content words to be checked by themselves, a Japanese topic or condition with
    what it is said of: an answer may state half of a sentence."""
    clauses: list[str] = []
    for clause in long_clauses(sentence) or (sentence,):
        is_short = bool(clauses) and min(len(content_words(one)) for one in (clauses[-1], clause)) < MIN_CLAUSE_WORDS
        if clauses and (is_short or _TOPIC_OR_CONDITION.search(clauses[-1])):
            clauses[-1] += f" {clause}"
        else:
            clauses.append(clause)
    return clauses


def _from_passage(
    passages: Sequence[SegmentedText],
    whole_answer: SegmentedText,
    question_words: frozenset[str],
    weights: Weights,
    claims: Sequence[ClaimCheck],
) -> tuple[ClaimCheck, ...]:
    """What the passage that fits question and answer best says on the question, checked against the answer."""
    beyond_question = whole_answer.words - question_words
    coverages = [
        weights.share(question_words, one.words) * (0.3 + weights.share(beyond_question, one.words)) for one in passages
    ]
    if max(coverages, default=0.0) <= 0:
        return ()
    total = math.fsum(f.weight for f in claims) or 1.0
    behind = [
        math.fsum(f.weight * f.share for f in claims if f.passage_number == number)
        for number in range(1, len(coverages) + 1)
    ]
    coverages = [fit * (1.0 + 0.5 * support / total) for fit, support in zip(coverages, behind, strict=True)]
    segments = [one for one in passages[coverages.index(max(coverages))].segments if is_sentence(one)]
    worth = [0.1 + weights.share(question_words, one.words) for one in segments]
    min_worth = max([0.5 * max(worth, default=0.0), *sorted(worth, reverse=True)[MAX_CLAIMS - 1 : MAX_CLAIMS]])
    chosen = [(one, value) for one, value in zip(segments, worth, strict=True) if value >= min_worth][:MAX_CLAIMS]
    options = CheckOptions(weights.sum, expected=True)
    return tuple(check_claim(one, (whole_answer,), options)._replace(weight=value) for one, value in chosen)


def _mean(checks: Sequence[ClaimCheck]) -> float:
    total = math.fsum(check.weight for check in checks)
    stated = math.fsum(check.weight * check.share for check in checks if check.state != "contradicted")
    return stated / total if total else 0.0


def _passage_fit(checks: Sequence[ClaimCheck], coverages: Sequence[float]) -> float:
    """How well the passages behind the claims cover the question relative to the best passage, weighted by claim."""
    total, best = math.fsum(check.weight for check in checks), max(coverages, default=0.0)
    if not total or not best:
        return 0.0
    behind = (check for check in checks if check.passage_number)
    fits = (
        one.weight * min(one.share / SUPPORTED_FROM, 1.0) * coverages[one.passage_number - 1] / best for one in behind
    )
    return math.fsum(fits) / total


def _best_sentence(
    passages: Sequence[SegmentedText], coverages: Sequence[float], question_words: frozenset[str], weights: Weights
) -> str:
    best = passages[coverages.index(max(coverages))].segments if passages else ()
    segments = [one for one in best if is_sentence(one)]
    return max(segments, key=lambda one: weights.share(question_words, one.words)).text if segments else ""


def _topic(question_words: frozenset[str], weights: Weights, sample: Sample) -> str:
    """The weightiest words of a Japanese question, in the order of the question; else the question, cut short."""
    words = sorted(question_words, key=lambda word: (-weights.of(word), word))[:3]
    text = f"{sample.question} {sample.intent}".lower()
    placed = sorted((text.find(word), word) for word in words if word in text and word[0] != "何")
    if script(sample.question) == "ja" and placed:
        return "・".join(word for _, word in placed)
    return quote(sample.question)
