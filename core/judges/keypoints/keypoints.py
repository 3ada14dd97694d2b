"""The keypoints judge (RAGEval, 2024): completeness, hallucination and irrelevance of an answer, by its keypoints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field

from core.base.fence import fence_text
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.types import CheckedClaim, Language, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.judge_prompt import JudgePrompt, shown_example
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
from core.judges.version import version_of_sources
from core.text.language import Script, script, share_no_script
from core.text.negation import long_clauses
from core.text.numbers import Amount, amounts, is_among
from core.text.questions import is_question, repeats_question
from core.text.refusals import addresses_grader, answer_sentences, lacks_source, says_unanswered

REASONS = ReasonTexts(__file__)
Coverage = Literal["covered", "contradicted", "neither"]
NAME = "keypoints"
STATE_OF_CRITERION: dict[str, Coverage] = {
    "completeness": "covered",
    "hallucination": "contradicted",
    "irrelevance": "neither",
}
CRITERIA = tuple(STATE_OF_CRITERION)
LONGEST_ANSWER = 20_000  # characters of an answer that are read
# Share of a keypoint's words, by weight, that the answer must have; those of the question count as known. Lower in
# Chinese, whose pairs of characters also span word boundaries.
COVERED_FROM = {"ja": 0.5, "en": 0.5, "zh": 0.42}
ONE_CLAUSE_FROM = 0.8  # the same within one clause, for a keypoint that has only words of the question
TOUCHED_FROM = 0.3  # share from which the answer touches on a keypoint
ABOUT_KEYPOINT_FROM = 0.34  # share of a keypoint that a sentence about missing documents must have
_NUMBER = re.compile(r"^\s*(?:\d{1,2}|[①-⑳])\s*[.)．）、]\s*(?=\D)|^\s*[-*・•]\s*")
_SHARE = re.compile(r"\d+/\d+")


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


class JudgeKeypoints(JudgePrompt[KeypointsVerdict]):
    """Which keypoints does the answer cover, which does it contradict? `listed` are the keypoints, fenced, from 1."""

    file = "keypoints"
    required = ("shown.answer", "listed")
    listed: tuple[str, ...]

    def without_model(self) -> KeypointsVerdict:
        """Each keypoint checked against the answer; raises NeedsModel if the two are in different languages."""
        sample, points = self.sample, points_of(self.sample)
        if share_no_script(sample.answer, " ".join(points)):
            raise NeedsModel("the answer and its keypoints are in different languages")
        answer = read_answer(sample.answer, sample.question, points)
        question, language = sample.question, self.language
        found = (look_up_keypoint(number, one, question, answer, language) for number, one in enumerate(points, 1))
        return KeypointsVerdict(verdicts=tuple(found))


def points_of(sample: Sample) -> tuple[str, ...]:
    """The keypoints without numbers and bullets, and without empty ones."""
    return tuple(text for text in map(plain, sample.keypoints) if text)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Shares (0 to 1) of the keypoints that are covered, contradicted and neither; label "2/3".

    Unscored if the reply does not give each keypoint exactly one verdict.
    """
    points = points_of(sample)
    prompt = JudgeKeypoints(
        sample=sample, listed=_listed(sample), examples=_examples(options), language=options.language
    )
    verdict = engine.ask(prompt)
    counts = Counter(one.id for one in verdict.verdicts)
    if wrong := [number for number in range(1, len(points) + 1) if counts[number] != 1]:
        return JUDGE.unscored(REASONS("missing", options.language, ids=", ".join(map(str, wrong))))
    # Verdicts on unknown keypoints are ignored
    asked = tuple(one for one in verdict.verdicts if 1 <= one.id <= len(points))
    found = [_score(name, asked, options.language) for name in CRITERIA]
    checked = tuple(CheckedClaim(claim=points[one.id - 1], state=one.verdict, evidence=one.reasons) for one in asked)
    return (found[0].model_copy(update={"reasoning": Reasoning(claims=checked)}), *found[1:])


def _examples(options: JudgeOptions) -> tuple[dict[str, Any], ...]:
    """The judge's examples; one whose label is not a share of keypoints ("2/3") is left out."""
    found = (one for one in options.examples.get(NAME, ()) if _SHARE.fullmatch(one.label))
    return tuple({**shown_example(one), "listed": _listed(one.sample)} for one in found)


def _listed(sample: Sample) -> tuple[str, ...]:
    return tuple(map(fence_text, points_of(sample)))


def _score(criterion: str, verdicts: tuple[KeypointVerdict, ...], language: Language) -> Score:
    state = STATE_OF_CRITERION[criterion]
    counted = [one for one in verdicts if one.verdict == state]
    shown_state, value = REASONS(f"state_{state}", language), len(counted) / len(verdicts)
    lines = (REASONS("line", language, id=one.id, state=shown_state, reasons=one.reasons) for one in counted)
    label = f"{len(counted)}/{len(verdicts)}"
    return Score(judge=NAME, criterion=criterion, value=value, label=label, reasons="\n".join(lines))


class AnswerParts(NamedTuple):
    """An answer, prepared for looking up its keypoints."""

    stated: SegmentedText  # its statements
    declining: tuple[str, ...]  # its sentences that say there is no answer
    figures: frozenset[Amount]  # of all keypoints
    weights: Weights
    of: Script


def plain(keypoint: str) -> str:
    """A keypoint without the number or bullet it came with."""
    return _NUMBER.sub("", keypoint).strip()


def read_answer(answer: str, question: str, keypoints: Sequence[str]) -> AnswerParts:
    """The answer, divided into what it states and what it declines to answer."""
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
    """The verdict on one keypoint."""
    asked, point = segment(question[:2_000], answer.of), segment(plain(keypoint), answer.of)
    check = _found(point, asked, answer) if answer.stated.segments else ClaimCheck(point, 0.0, "missing", 0.0)
    state, reasons = _state(check, asked, answer, language)
    return KeypointVerdict(id=number, reasons=reasons, verdict=state)


def _found(point: Segment, asked: Segment, answer: AnswerParts) -> ClaimCheck:
    """The keypoint checked against the answer; if the question has all its words, its figures decide, else one
    clause."""
    check = check_claim(
        point, (answer.stated,), CheckOptions(answer.weights.sum, asked.words, asked.figures, expected=True)
    )
    own = _own_figures(point, asked)
    if check.state == "contradicted" or point.words - asked.words:
        return check
    if not own:
        return check._replace(share=_in_one_clause(point, answer))
    all_stated = all(is_among(figure, answer.stated.figures) for figure in own)
    return check._replace(share=1.0 if all_stated else check.share, state="supported" if all_stated else "missing")


def _in_one_clause(point: Segment, answer: AnswerParts) -> float:
    """The share of the keypoint that one clause of the answer has; below ONE_CLAUSE_FROM it is at most TOUCHED_FROM."""
    clause_words = (
        segment(part, answer.of).words
        for one in answer.stated.segments
        for part in long_clauses(one.text) or (one.text,)
    )
    best = max((answer.weights.share(point.words, words) for words in clause_words), default=0.0)
    return best if best >= ONE_CLAUSE_FROM else min(best, TOUCHED_FROM)


def _own_figures(point: Segment, asked: Segment) -> tuple[Amount, ...]:
    return tuple(sorted(figure for figure in point.figures if not is_among(figure, asked.figures)))


def _state(check: ClaimCheck, asked: Segment, answer: AnswerParts, language: Language) -> tuple[Coverage, str]:
    text = quote(check.nearest.text) if check.nearest else ""
    if check.state == "contradicted":
        return "contradicted", REASONS(
            "contradicted", language, answer_span=quote(check.evidence_span), keypoint_span=quote(check.claim_span)
        )
    lost = [one for one in _own_figures(check.claim, asked) if not is_among(one, answer.stated.figures)]
    other = _other_amount(lost, check, asked, answer)
    if other:
        return "contradicted", REASONS("contradicted", language, answer_span=other, keypoint_span=lost[0].text)
    if check.share >= COVERED_FROM[answer.of] and not lost:
        return "covered", REASONS("covered", language, quote=text)
    denied = _denied(check.claim.words, answer)
    if denied:
        return "contradicted", REASONS("denied", language, quote=quote(denied))
    if answer.declining:
        return "neither", REASONS("declined", language, quote=quote(answer.declining[0]))
    touched = check.share >= TOUCHED_FROM and bool(text)
    return "neither", REASONS("partly", language, quote=text) if touched else REASONS("neither", language)


def _other_amount(lost: Sequence[Amount], check: ClaimCheck, asked: Segment, answer: AnswerParts) -> str:
    """The figure of the same unit that the answer's sentence on this point has in place of a lost one, or ""."""
    if not lost:
        return ""
    words = check.claim.words
    nearest = max(answer.stated.segments, key=lambda one: answer.weights.share(words, one.words), default=None)
    near = [check.nearest] if check.nearest and check.share >= TOUCHED_FROM / 2 else []
    near += [nearest] if nearest and answer.weights.share(words, nearest.words) >= TOUCHED_FROM else []
    fresh = [one for part in near for one in sorted(part.figures) if not is_among(one, answer.figures | asked.figures)]
    return next((one.text for one in fresh if one.unit == lost[0].unit), "")


def _denied(words: frozenset[str], answer: AnswerParts) -> str:
    """The sentence that says the documents lack what the keypoint says, or ""."""
    for part in answer.declining:
        if lacks_source(part) and answer.weights.share(words, segment(part, answer.of).words) >= ABOUT_KEYPOINT_FROM:
            return part
    return ""


JUDGE = Judge(
    NAME,
    CRITERIA,
    ("question", "answer", "keypoints"),
    version_of_sources("judges/keypoints", "judges/rules", "text"),
    scores,
    lower_is_better=frozenset({"hallucination", "irrelevance"}),
    prompts=(JudgeKeypoints,),
)
