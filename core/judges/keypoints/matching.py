"""Keypoints looked up in an answer, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.types import Language
from core.judges.reasons import ReasonTexts, quote
from core.judges.rules.claim_check import (
    ClaimCheck,
    Segment,
    SegmentedText,
    Weights,
    check_claim,
    segment,
    segment_text,
)
from core.judges.rules.figures import CheckOptions
from core.text.language import Script, script
from core.text.negation import long_clauses
from core.text.numbers import Amount, amounts, is_among
from core.text.questions import is_question, repeats_question
from core.text.refusals import addresses_grader, answer_sentences, lacks_source, says_unanswered

REASONS = ReasonTexts(__file__)
Coverage = Literal["covered", "contradicted", "neither"]


class KeypointVerdict(FrozenModel):
    """The reasons, then what became of one keypoint."""

    id: int = Field(description="The keypoint's number, copied as it was given.")
    reasons: str = Field(description="What in the answer decides it, with a short quote; written before the verdict.")
    verdict: Coverage = Field(
        description="covered: the answer says it; contradicted: it says otherwise, or that the source lacks it; neither."
    )


class KeypointsVerdict(FrozenModel):
    """Exactly one verdict for every keypoint listed."""

    verdicts: tuple[KeypointVerdict, ...] = Field(description="One item per keypoint, in the order listed.")


LONGEST_ANSWER = 20_000  # characters of an answer that are read
# Share of a keypoint's words, by weight, that the answer must have; those of the question count as known. Lower in
# Chinese, whose pairs of characters also span word boundaries.
COVERED = {"ja": 0.5, "en": 0.5, "zh": 0.42}
TOGETHER = 0.8  # the same within one clause, for a keypoint made of the question's words alone
TOUCHED = 0.3  # share from which a keypoint counts as touched on
ABOUT = 0.34  # share of a keypoint that a sentence about missing documents must be about
_NUMBER = re.compile(r"^\s*(?:\d{1,2}|[①-⑳])\s*[.)．）、]\s*(?=\D)|^\s*[-*・•]\s*")


class AnswerParts(NamedTuple):
    """An answer as a source of statements, the sentences in which it declines, all keypoints' figures, words'
    weights."""

    stated: SegmentedText
    declining: tuple[str, ...]
    figures: frozenset[Amount]
    weights: Weights
    of: Script


def plain(keypoint: str) -> str:
    """A keypoint without the number or bullet it came with."""
    return _NUMBER.sub("", keypoint).strip()


def read_answer(answer: str, question: str, keypoints: Sequence[str]) -> AnswerParts:
    """The answer cut into what it states and what it says it cannot."""
    of = script(" ".join((*keypoints, answer))[:1_500])
    stated, declining = list[str](), list[str]()
    for part in answer_sentences(answer[:LONGEST_ANSWER]):
        if repeats_question(part, question) or is_question(part) or addresses_grader(part):
            continue
        (declining if says_unanswered(part) else stated).append(part)
    answer_source = segment_text("\n".join(stated), of)
    sources = (answer_source, *(segment_text(text, of) for text in keypoints))
    figures = frozenset(figure for text in keypoints for figure in amounts(plain(text)))
    return AnswerParts(answer_source, tuple(declining), figures, Weights(sources), of)


def look_up_keypoint(
    number: int, keypoint: str, question: str, answer: AnswerParts, language: Language
) -> KeypointVerdict:
    """What became of one keypoint."""
    asked, point = segment(question[:2_000], answer.of), segment(plain(keypoint), answer.of)
    found = _found(point, asked, answer) if answer.stated.segments else ClaimCheck(point, 0.0, "missing", 0.0)
    state, reasons = _state(found, asked, answer, language)
    return KeypointVerdict(id=number, reasons=reasons, verdict=state)


def _found(point: Segment, asked: Segment, answer: AnswerParts) -> ClaimCheck:
    """The keypoint in the answer; if the question has all its words, its figures alone decide, or all its words."""
    found = check_claim(
        point, (answer.stated,), CheckOptions(answer.weights.sum, asked.words, asked.figures, expected=True)
    )
    own = _own_figures(point, asked)
    if found.state == "contradicted" or point.words - asked.words:
        return found
    if not own:
        return found._replace(share=_in_one_clause(point, answer))
    all_stated = all(is_among(figure, answer.stated.figures) for figure in own)
    return found._replace(share=1.0 if all_stated else found.share, state="supported" if all_stated else "missing")


def _in_one_clause(point: Segment, answer: AnswerParts) -> float:
    """The keypoint's share in one clause of the answer (nothing below TOGETHER): who of the two does what."""
    clause_words = (
        segment(part, answer.of).words
        for one in answer.stated.segments
        for part in long_clauses(one.text) or (one.text,)
    )
    best = max((answer.weights.share(point.words, words) for words in clause_words), default=0.0)
    return best if best >= TOGETHER else min(best, TOUCHED)


def _own_figures(point: Segment, asked: Segment) -> tuple[Amount, ...]:
    return tuple(sorted(figure for figure in point.figures if not is_among(figure, asked.figures)))


def _state(found: ClaimCheck, asked: Segment, answer: AnswerParts, language: Language) -> tuple[Coverage, str]:
    text = quote(found.nearest.text) if found.nearest else ""
    if found.state == "contradicted":
        return "contradicted", REASONS(
            "contradicted", language, answer_span=quote(found.evidence_span), keypoint_span=quote(found.claim_span)
        )
    lost = [one for one in _own_figures(found.claim, asked) if not is_among(one, answer.stated.figures)]
    other = _other_amount(lost, found, asked, answer)
    if other:
        return "contradicted", REASONS("contradicted", language, answer_span=other, keypoint_span=lost[0].text)
    if found.share >= COVERED[answer.of] and not lost:
        return "covered", REASONS("covered", language, quote=text)
    denied = _denied(found.claim.words, answer)
    if denied:
        return "contradicted", REASONS("denied", language, quote=quote(denied))
    if answer.declining:
        return "neither", REASONS("declined", language, quote=quote(answer.declining[0]))
    touched = found.share >= TOUCHED and bool(text)
    return "neither", REASONS("partly", language, quote=text) if touched else REASONS("neither", language)


def _other_amount(lost: Sequence[Amount], found: ClaimCheck, asked: Segment, answer: AnswerParts) -> str:
    """The figure of the same unit that the answer's sentence on this point has in place of a lost one, or ""."""
    if not lost:
        return ""
    words = found.claim.words
    nearest = max(answer.stated.segments, key=lambda one: answer.weights.share(words, one.words), default=None)
    near = [found.nearest] if found.nearest and found.share >= TOUCHED / 2 else []
    near += [nearest] if nearest and answer.weights.share(words, nearest.words) >= TOUCHED else []
    fresh = [one for part in near for one in sorted(part.figures) if not is_among(one, answer.figures | asked.figures)]
    return next((one.text for one in fresh if one.unit == lost[0].unit), "")


def _denied(words: frozenset[str], answer: AnswerParts) -> str:
    """The sentence that says the documents lack what the keypoint says, or ""."""
    for part in answer.declining:
        if lacks_source(part) and answer.weights.share(words, segment(part, answer.of).words) >= ABOUT:
            return part
    return ""
