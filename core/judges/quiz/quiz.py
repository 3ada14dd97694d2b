"""`qa`, `context_qa` and `cot_qa`: an answer graded as in a quiz, CORRECT or INCORRECT; wording does not count."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, TypeVar

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.types import Language, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions, Need, Scorer
from core.judges.correctness.assertions import assertions_of
from core.judges.correctness.correctness import compute
from core.judges.correctness.correctness_verdict import REASONS
from core.judges.correctness.long_reference import is_long
from core.judges.correctness.reference_features import fresh
from core.judges.judge_prompt import JudgePrompt
from core.judges.rules.answer_measures import measure, question_of
from core.judges.rules.claim_check import ClaimCheck
from core.judges.turn.answers import judge_answer, judge_nothing_said
from core.judges.turn.refusals import judge_refusal
from core.judges.version import MEANING, version_of_sources
from core.text.comparable import comparable, figures
from core.text.language import script, share_no_script
from core.text.numbers import amounts, is_among
from core.text.refusals import is_boilerplate
from core.text.synonyms import canonical_words

R = TypeVar("R")
Grade = Literal["CORRECT", "INCORRECT"]
Grounds = Literal["reference", "contexts"]
LABELS = ("CORRECT", "INCORRECT")
MIN_CORRECTNESS = 4  # score (1 to 5) from which the passages confirm an answer
MIN_RELEVANCE = 3  # score (1 to 5) from which an answer addresses the question
MAX_EXTRA_WORDS = 1  # content words that an assertion may have besides a short reference: a title, a verb
MIN_LETTERS = 3  # letters of an answer from which its language is known: a time or a number has fewer
MIN_CLAIM_SHARE = 0.35  # supported share (0 to 1) of a claim from which it rephrases its evidence


class QuizVerdict(FrozenModel):
    """A reason, then the grade."""

    reason: str = Field(
        description="In one or two sentences, what decides the grade, with a short quote. Written first."
    )
    grade: Grade = Field(description="CORRECT when the answer is right by the rules given, else INCORRECT.")


class SteppedVerdict(FrozenModel):
    """The reasoning step by step, a conclusion, then the grade."""

    steps: tuple[str, ...] = Field(
        description="The reasoning, one short step an item: what is known, what is said, how they compare."
    )
    conclusion: str = Field(description="In one sentence, what the steps come to. Written before the grade.")
    grade: Grade = Field(description="CORRECT when the answer is right by the rules given, else INCORRECT.")


def by_reference(sample: Sample, strict: bool, language: Language) -> SteppedVerdict:
    """The grade by the reference; strict: what the answer adds to it counts against it. Raises NeedsModel as the
    correctness judge."""
    verdict = compute(sample, language)
    steps = tuple(
        REASONS(f"step.{one.status}", language, reference=one.claim, evidence=one.evidence) for one in verdict.claims
    )
    if verdict.verdict == "No" or not strict:
        grade = "CORRECT" if verdict.verdict == "Yes" else "INCORRECT"
        return SteppedVerdict(steps=steps, conclusion=verdict.reason, grade=grade)
    if added := addition(sample):
        reason = REASONS("wrong.extra", language, evidence=added)
        return SteppedVerdict(steps=steps, conclusion=reason, grade="INCORRECT")
    return SteppedVerdict(steps=steps, conclusion=REASONS("found.strict", language), grade="CORRECT")


def by_contexts(sample: Sample, strict: bool, language: Language) -> SteppedVerdict:
    """The grade by the passages: all claims confirmed and the question addressed; raises NeedsModel across
    languages."""
    passages = sample.passages
    if share_no_script(sample.answer, " ".join(passages), min_letters=MIN_LETTERS):
        raise NeedsModel("the answer and the passages are in different languages")
    alone = sample.model_copy(update={"reference": (), "contexts": passages, "kind": None, "asked_back": False})
    measures = measure(alone)
    judge = judge_refusal if measures.only_refuses else judge_answer if measures.main_claim else judge_nothing_said
    found = judge(alone, measures, language)
    correctness, relevance = found.correctness.score or 1, found.relevance.score or 1
    grade, reason = "INCORRECT", found.correctness.reason
    if correctness >= MIN_CORRECTNESS:
        if relevance < MIN_RELEVANCE:
            reason = found.relevance.reason
        elif measures.missing_kinds and not measures.has_refusal:
            reason = REASONS("missing.slot", language, evidence=measures.main_claim)
        elif added := unsupported_claim(measures.claims) if strict else "":
            reason = REASONS("wrong.beyond", language, evidence=added)
        else:
            grade = "CORRECT"
    steps = (found.relevance.reason, found.correctness.reason)
    return SteppedVerdict(steps=steps, conclusion=reason, grade=grade)


def addition(sample: Sample) -> str:
    """What the answer adds to the reference, if there are several to the one it adds least to; "" for nothing."""
    return min((_added(sample, text) for text in sample.references), key=len, default="")


def unsupported_claim(claims: Iterable[ClaimCheck]) -> str:
    """The first claim that its evidence neither states nor rephrases; "" for none."""
    stating = (one for one in claims if not is_boilerplate(one.claim.text))
    unstated = (one for one in stating if one.state == "missing" and (one.claim_span or one.share < MIN_CLAIM_SHARE))
    return next((one.claim.text for one in unstated), "")


class QuizPrompt(JudgePrompt[R]):
    """Is the answer right, by the reference or by the passages? `strict`: statements beyond them count against it."""

    file = "quiz"
    required = ("shown.answer",)
    grounds: Grounds
    strict: bool
    stepwise: bool = False

    def graded(self) -> SteppedVerdict:
        """The grade without a model."""
        judge = by_reference if self.grounds == "reference" else by_contexts
        return judge(self.sample, self.strict, self.language)


class JudgeQuiz(QuizPrompt[QuizVerdict]):
    """The grade with its reason."""

    def without_model(self) -> QuizVerdict:
        """By facts found in the answer, or by passages that confirm its claims."""
        found = self.graded()
        return QuizVerdict(reason=found.conclusion, grade=found.grade)


class JudgeQuizBySteps(QuizPrompt[SteppedVerdict]):
    """The same, reasoned step by step."""

    stepwise: bool = True

    def without_model(self) -> SteppedVerdict:
        """Each fact in its own step, then the grade."""
        return self.graded()


def qa(name: str, grounds: Grounds, engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """One score by the reference or by the passages: 1 for CORRECT, 0 for INCORRECT."""
    verdict = engine.ask(JudgeQuiz.about(sample, options, name, LABELS, grounds=grounds, strict=options.strict))
    return (_score(name, verdict.grade, verdict.reason),)


def cot_qa(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """One score by the reference if there is one, else by the passages; its reason is the conclusion of the steps."""
    grounds: Grounds = "reference" if sample.references else "contexts"
    prompt = JudgeQuizBySteps.about(sample, options, "cot_qa", LABELS, grounds=grounds, strict=options.strict)
    verdict = engine.ask(prompt)
    reasoning = Reasoning(steps=tuple(dict.fromkeys(verdict.steps)), conclusion=verdict.conclusion)
    return (_score("cot_qa", verdict.grade, verdict.conclusion, reasoning),)


def _added(sample: Sample, reference: str) -> str:
    if is_long(reference):
        return unsupported_claim(measure(sample.model_copy(update={"reference": (reference,), "contexts": ()})).claims)
    question = question_of(sample)
    parts = (part for part in assertions_of(sample.answer).parts if not is_boilerplate(part))
    return next((part for part in parts if _adds(part, question, reference)), "")


def _adds(part: str, question: str, reference: str) -> bool:
    of = script(part)
    if of == "en":
        words = {*fresh(comparable(part), comparable(question))} - {*comparable(reference).stems}
        return len(words) > MAX_EXTRA_WORDS or not {*figures(part)} <= {*figures(f"{reference} {question}")}
    added_words = canonical_words(part, of) - canonical_words(question, of) - canonical_words(reference, of)
    known_figures = amounts(reference) | amounts(question)
    return len(added_words) > MAX_EXTRA_WORDS or any(not is_among(one, known_figures) for one in amounts(part))


def _score(name: str, grade: Grade, reasons: str, reasoning: Reasoning | None = None) -> Score:
    value = 1.0 if grade == "CORRECT" else 0.0
    return Score(judge=name, criterion=name, value=value, label=grade, reasons=reasons, reasoning=reasoning)


def _judge(name: str, needed: Need, scores: Scorer, prompt: type[QuizPrompt[Any]]) -> Judge:
    needs: tuple[Need, ...] = ("question", "answer", needed)
    return Judge(name, (name,), needs, VERSION, scores, answers_only=True, prompts=(prompt,))


VERSION = version_of_sources(
    "judges/quiz", "judges/correctness", "judges/turn", "judges/rules", "text", "text/distress", *MEANING
)
JUDGES = (
    _judge("qa", "reference", partial(qa, "qa", "reference"), JudgeQuiz),
    _judge("context_qa", "contexts", partial(qa, "context_qa", "contexts"), JudgeQuiz),
    _judge("cot_qa", "grounds", cot_qa, JudgeQuizBySteps),
)
