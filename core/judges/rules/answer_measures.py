"""Everything measured on one sample, before any score is given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Message, Sample
from core.judges.reasons import quote
from core.judges.rules.binding import LookUpRules
from core.judges.rules.claim_lookup import (
    SUPPORTED,
    Finding,
    Source,
    Unit,
    Weights,
    is_sentence,
    look_up,
    source,
    sources_of,
    unit,
)
from core.judges.rules.stance import find_denial
from core.text.answer_kinds import FIGURES, Kind, asked_kinds, says_kind
from core.text.conversation import is_unhelped, open_messages
from core.text.language import Script, script
from core.text.numbers import Amount, amounts
from core.text.questions import asks_whether, repeats_question
from core.text.reactions import says_unknown
from core.text.refusals import addresses_grader, answer_sentences, is_boilerplate, is_refusal
from core.text.standalone_question import standalone_question, without_small_talk

LONGEST_ANSWER = 12_000  # characters of an answer that are read
ANSWERABLE = 0.22  # share of the question that the best passage must hold for the passages to cover it
MAX_CLAIMS = 40  # sentences of an answer that are looked up


class Measures(NamedTuple):
    """What an answer claims, what supports it, and how it stands to the question and the reference (shares are 0 to 1).

    question_words: of what the person wants; claims: the answer's, looked up; expected: what the answer should state,
    looked up in the answer (from the reference, else from the best passage); grounded: supported share of the claims,
    None without evidence; wrong: contradicted share; direct: share of the question that the answer's words cover; placed:
    how near the claims' passages are to the best one; covered: share of `expected` that it states, None with nothing to
    compare; agrees: share of the claims that the reference holds; fits: how well each passage covers the question;
    figures_asked: the kinds of figure that the question asks for; missing_kinds: those that the answer does not say.
    """

    parts: tuple[str, ...]
    question_words: frozenset[str]
    topic: str
    claims: tuple[Finding, ...]
    expected: tuple[Finding, ...]
    grounded: float | None
    direct: float
    placed: float
    covered: float | None
    agrees: float | None
    fits: tuple[float, ...]
    best_text: str
    figures_asked: tuple[Kind, ...]
    missing_kinds: tuple[Kind, ...]
    refusal: bool
    opens_with_refusal: bool
    reference_declines: bool
    addressed: str

    @property
    def weight(self) -> float:
        """The weight of all claims."""
        return math.fsum(finding.weight for finding in self.claims)

    @property
    def wrong(self) -> float:
        """Share (0 to 1) of the claims, by weight, that the evidence contradicts."""
        return (
            math.fsum(f.weight for f in self.claims if f.state == "contradicted") / self.weight if self.claims else 0.0
        )

    @property
    def answerable(self) -> float:
        """How well (0 to 1) the best passage covers the question."""
        return max(self.fits, default=0.0)

    @property
    def is_answerable(self) -> bool:
        """Whether the best passage covers the question."""
        return self.answerable >= ANSWERABLE

    @property
    def only_refuses(self) -> bool:
        """Whether the answer is a refusal and nothing else (asides such as near topics and contacts may follow)."""
        supported = sum(f.weight for f in self.claims if f.state == "supported" and not is_boilerplate(f.claim.text))
        return self.refusal and (not supported or (self.opens_with_refusal and supported * 2 < self.weight))

    @property
    def best_passage_number(self) -> int:
        """The number (from 1) of the passage that covers the question best; 0 for none."""
        return self.fits.index(self.answerable) + 1 if self.answerable else 0

    @property
    def best_claim(self) -> Finding | None:
        """The claim with most support."""
        return max(self.claims, key=lambda f: (f.state == "supported", f.share * f.weight), default=None)

    @property
    def main_claim(self) -> str:
        """The weightiest claim's text; "" when nothing is claimed."""
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
        return self.agrees is not None


def measure(sample: Sample) -> Measures:
    """Measure an answer against its contexts, its reference and the person's question."""
    of = _script(sample)
    declines = bool(sample.references) and all(is_refusal(text) for text in sample.references)
    references = () if declines else sample.references
    sources, weights = sources_of((*sample.contexts, *references), of)
    passages = sources[: len(sample.contexts)]
    parts = answer_sentences(sample.answer[:LONGEST_ANSWER])
    question_words, asked = question_words_of(sample, of), open_question_of(sample)
    figures_asked = asked_kinds(asked, FIGURES)
    units = _claims(parts, sample.question, of)
    rules = LookUpRules(weights.sum, question_words, user_figures(sample))
    found = tuple(look_up(claim, passages, rules) for claim in units)
    agreed = tuple(look_up(claim, sources[len(passages) :], rules) for claim in units)
    claims = _without_asides(tuple(_better(one, other) for one, other in zip(found, agreed, strict=True)))
    if asks_whether(asked):
        claims = _with_contradiction(claims, [one.text for one in units], sources, references, rules)
    fits = tuple(weights.share(question_words, one.words) for one in passages)
    whole = source("\n".join(parts), of)
    expected = _from_reference(references, whole, weights, of) or _from_passage(
        passages, whole, question_words, weights, found
    )
    return Measures(
        parts=parts,
        question_words=question_words,
        topic=_topic(question_words, weights, sample),
        claims=claims,
        expected=expected,
        grounded=_mean(claims) if sources else None,
        direct=weights.share(question_words, whole.words),
        placed=_placed(_without_asides(found), fits),
        covered=_mean(expected) if expected else None,
        agrees=_mean(_without_asides(agreed)) if references else None,
        fits=fits,
        best_text=_best_text(passages, fits, question_words, weights),
        figures_asked=figures_asked,
        missing_kinds=tuple(kind for kind in figures_asked if not says_kind(sample.answer, kind)),
        refusal=any(is_refusal(part) for part in parts),
        opens_with_refusal=any(is_refusal(part) for part in parts[:2]),
        reference_declines=declines,
        addressed=next((part for part in parts if addresses_grader(part)), ""),
    )


def question_words_of(sample: Sample, of: Script) -> frozenset[str]:
    """The words of what the person wants: the question made standalone by the history, with the intent if known."""
    return unit(question_of(sample)[:2_000], of).words | unit(sample.intent, of).words


def question_of(sample: Sample) -> str:
    """The question as the bot read it; if that is unknown, as it stands after the history."""
    return sample.standalone_question or standalone_question(_messages(sample))


def open_question_of(sample: Sample) -> str:
    """What is still to be answered: of a message after an answer that message alone, without what it is about."""
    messages = _messages(sample)
    after_answer = sample.history and len(open_messages(messages)) == 1
    if not after_answer or says_unknown(sample.question) or is_unhelped(messages):
        return question_of(sample)
    return without_small_talk(sample.question)


def _messages(sample: Sample) -> tuple[Message, ...]:
    return (*sample.history, Message(role="user", text=sample.question))


def user_figures(sample: Sample) -> frozenset[Amount]:
    """The figures that the person gave."""
    messages = (message.text for message in sample.history if message.role == "user")
    return frozenset[Amount]().union(*(amounts(text[:2_000]) for text in (*messages, sample.question, sample.intent)))


def _script(sample: Sample) -> Script:
    evidence = " ".join((*sample.reference, *sample.contexts))[:1_500]
    return script(evidence or f"{sample.question} {sample.answer}"[:1_500])


def _claims(parts: Sequence[str], question: str, of: Script) -> tuple[Unit, ...]:
    stating = (
        part for part in parts if not (is_refusal(part) or addresses_grader(part) or repeats_question(part, question))
    )
    return tuple(dict.fromkeys(unit(part, of) for part in stating))[:MAX_CLAIMS]


def _without_asides(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Without what claims nothing: sentences with no content, and contact lines or courtesies that no passage holds."""
    return tuple(f for f in findings if f.weight and not (f.state != "supported" and is_boilerplate(f.claim.text)))


def _better(found: Finding, agreed: Finding) -> Finding:
    """The reference's word on a claim (passage 0) if it has one, else the passages'."""
    if agreed.state == "supported" or (agreed.state == "contradicted" and found.state != "supported"):
        return agreed._replace(passage_number=found.passage_number if found.state == "supported" else 0)
    return found


def _with_contradiction(
    findings: tuple[Finding, ...],
    texts: Sequence[str],
    sources: Sequence[Source],
    references: Sequence[str],
    rules: LookUpRules,
) -> tuple[Finding, ...]:
    """The claim that says the opposite of what holds, marked as contradicted."""
    evidence = (stance for one in sources for stance in one.stances)
    denial = find_denial(texts, evidence, references, sources[0].of, rules) if sources else None
    if denial is None:
        return findings
    claim_span, evidence_span = denial
    number = next((one.passage_number for one in findings if claim_span in one.claim.text), 0)
    return tuple(
        one._replace(state="contradicted", claim_span=claim_span, evidence_span=evidence_span, passage_number=number)
        if claim_span in one.claim.text
        else one
        for one in findings
    )


def _from_reference(references: Sequence[str], whole: Source, weights: Weights, of: Script) -> tuple[Finding, ...]:
    """The claims of the best fitting reference, looked up in the answer."""
    rules = LookUpRules(weights.sum, expected=True)
    options = (
        tuple(look_up(claim, (whole,), rules) for claim in _claims(answer_sentences(text), "", of))
        for text in references
    )
    return max(options, key=_mean, default=())


def _from_passage(
    passages: Sequence[Source],
    whole: Source,
    question_words: frozenset[str],
    weights: Weights,
    claims: Sequence[Finding],
) -> tuple[Finding, ...]:
    """What the passage that fits question and answer best says on the question, looked up in the answer."""
    fits = [
        weights.share(question_words, one.words) * (0.3 + weights.share(whole.words - question_words, one.words))
        for one in passages
    ]
    if max(fits, default=0.0) <= 0:
        return ()
    total = math.fsum(f.weight for f in claims) or 1.0
    behind = [
        math.fsum(f.weight * f.share for f in claims if f.passage_number == number)
        for number in range(1, len(fits) + 1)
    ]
    fits = [fit * (1.0 + 0.5 * support / total) for fit, support in zip(fits, behind, strict=True)]
    units = [one for one in passages[fits.index(max(fits))].units if is_sentence(one)]
    worth = [0.1 + weights.share(question_words, one.words) for one in units]
    least = max(
        0.5 * max(worth, default=0.0), sorted(worth, reverse=True)[MAX_CLAIMS - 1] if len(worth) > MAX_CLAIMS else 0.0
    )
    chosen = [(one, value) for one, value in zip(units, worth, strict=True) if value >= least][:MAX_CLAIMS]
    rules = LookUpRules(weights.sum, expected=True)
    return tuple(look_up(one, (whole,), rules)._replace(weight=value) for one, value in chosen)


def _mean(findings: Sequence[Finding]) -> float:
    total = math.fsum(finding.weight for finding in findings)
    return (
        math.fsum(f.weight * (f.share if f.state != "contradicted" else 0.0) for f in findings) / total
        if total
        else 0.0
    )


def _placed(findings: Sequence[Finding], fits: Sequence[float]) -> float:
    """How near the passages behind the claims are to the best passage for the question, by weight of claim."""
    total, best = math.fsum(finding.weight for finding in findings), max(fits, default=0.0)
    if not total or not best:
        return 0.0
    return (
        math.fsum(
            f.weight * min(f.share / SUPPORTED, 1.0) * fits[f.passage_number - 1] / best
            for f in findings
            if f.passage_number
        )
        / total
    )


def _best_text(
    passages: Sequence[Source], fits: Sequence[float], question_words: frozenset[str], weights: Weights
) -> str:
    if not passages:
        return ""
    units = [one for one in passages[fits.index(max(fits))].units if is_sentence(one)]
    return max(units, key=lambda one: weights.share(question_words, one.words)).text if units else ""


def _topic(question_words: frozenset[str], weights: Weights, sample: Sample) -> str:
    """The weightiest words of a Japanese question, in the order in which they were said; else the question, cut short."""
    words = sorted(question_words, key=lambda word: (-weights.of(word), word))[:3]
    text = f"{sample.question} {sample.intent}".lower()
    placed = sorted((text.find(word), word) for word in words if word in text and word[0] != "何")
    if script(sample.question) == "ja" and placed:
        return "・".join(word for _, word in placed)
    return quote(sample.question)
