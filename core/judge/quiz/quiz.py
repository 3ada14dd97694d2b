"""`qa`, `context_qa` and `cot_qa`: an answer graded as in a quiz, CORRECT or INCORRECT; wording does not count."""

from __future__ import annotations

from typing import Literal

from core.base.prompt import Engine, Prompt
from core.base.types import Sample, Score
from core.judge.correctness.shots import Shot, shots
from core.judge.judge import How, Judge
from core.judge.quiz.compute import Graded, by_contexts, by_reference, joined
from core.judge.quiz.verdict import Grade, QuizVerdict, SteppedVerdict
from core.judge.text.shown import Shown, shown
from core.judge.version import version_of_folders

__all__ = ["JUDGES", "JudgeQuiz", "JudgeQuizBySteps", "QuizVerdict", "SteppedVerdict"]

Grounds = Literal["reference", "contexts"]
LABELS = ("CORRECT", "INCORRECT")


class JudgeQuiz(Prompt[QuizVerdict]):
    """Is the answer right, by the reference or by the passages? `strict`: statements beyond them count against it."""

    file = "quiz"
    role = "judge"
    sample: Sample
    shown: Shown
    grounds: Grounds
    strict: bool
    stepwise: bool = False
    examples: tuple[Shot, ...] = ()

    def without_model(self) -> QuizVerdict:
        """By facts found in the answer, or by passages that bear its claims out."""
        found = graded(self.sample, self.grounds, self.strict, self.language)
        return QuizVerdict(reason=found.reason, grade=found.grade)


class JudgeQuizBySteps(Prompt[SteppedVerdict]):
    """The same, reasoned step by step."""

    file = "quiz"
    role = "judge"
    sample: Sample
    shown: Shown
    grounds: Grounds
    strict: bool
    stepwise: bool = True
    examples: tuple[Shot, ...] = ()

    def without_model(self) -> SteppedVerdict:
        """Each fact in its own step, then the grade."""
        found = graded(self.sample, self.grounds, self.strict, self.language)
        return SteppedVerdict(steps=joined(found.steps), conclusion=found.reason, grade=found.grade)


def graded(sample: Sample, grounds: Grounds, strict: bool, language: Literal["ja", "en"]) -> Graded:
    """The grade without a model."""
    judge = by_reference if grounds == "reference" else by_contexts
    return judge(sample, strict, language)


def qa(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """One score by the reference: 1 for CORRECT, 0 for INCORRECT."""
    verdict = engine.ask(_prompt(sample, "reference", how, "qa"))
    return (_score("qa", verdict.grade, verdict.reason),)


def context_qa(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """One score by the passages."""
    verdict = engine.ask(_prompt(sample, "contexts", how, "context_qa"))
    return (_score("context_qa", verdict.grade, verdict.reason),)


def cot_qa(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """One score by the reference where there is one, else by the passages; the steps stand in the reasons."""
    grounds: Grounds = "reference" if any(text.strip() for text in sample.reference) else "contexts"
    verdict = engine.ask(
        JudgeQuizBySteps(
            sample=sample,
            shown=shown(sample),
            grounds=grounds,
            strict=how.strict,
            examples=shots(how.shots("cot_qa"), LABELS),
            language=how.language,
        )
    )
    reasons = "\n".join(joined((*verdict.steps, verdict.conclusion)))
    return (_score("cot_qa", verdict.grade, reasons),)


def _prompt(sample: Sample, grounds: Grounds, how: How, name: str) -> JudgeQuiz:
    return JudgeQuiz(
        sample=sample,
        shown=shown(sample),
        grounds=grounds,
        strict=how.strict,
        examples=shots(how.shots(name), LABELS),
        language=how.language,
    )


def _score(name: str, grade: Grade, reasons: str) -> Score:
    value = 1.0 if grade == "CORRECT" else 0.0
    return Score(judge=name, criterion=name, value=value, label=grade, reasons=reasons)


VERSION = version_of_folders("quiz", "correctness", "turn", "text")
JUDGES = (
    Judge("qa", ("qa",), ("question", "answer", "reference"), VERSION, qa),
    Judge("context_qa", ("context_qa",), ("question", "answer", "contexts"), VERSION, context_qa, answers_only=True),
    Judge("cot_qa", ("cot_qa",), ("question", "answer", "grounds"), VERSION, cot_qa, answers_only=True),
)
