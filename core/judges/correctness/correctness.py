"""The correctness judge: does the answer say what the reference says? Yes or No, by facts and not by likeness."""

from __future__ import annotations

from core.base.prompt import Engine
from core.base.types import CheckedClaim, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions, yes_or_no
from core.judges.correctness.correctness_verdict import Claim, CorrectnessVerdict
from core.judges.correctness.without_model import compute
from core.judges.judge_prompt import JudgePrompt
from core.judges.prompt_data import ShownExample, shown_examples
from core.judges.version import version_of_folders

__all__ = ["JUDGE", "Claim", "CorrectnessVerdict", "JudgeCorrectness"]

LABELS = ("Yes", "No")


class JudgeCorrectness(JudgePrompt[CorrectnessVerdict]):
    """Is the answer right, by the reference? `language` is that of the reasons."""

    file = "correctness"
    required = ("shown.answer", "shown.reference")
    examples: tuple[ShownExample, ...] = ()

    def without_model(self) -> CorrectnessVerdict:
        """Facts of the reference looked up in the answer: a fitted model for short ones, claim by claim for sentences."""
        return compute(self.sample, self.language)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """One score: 1 for Yes, 0 for No."""
    examples = shown_examples(options.examples_of("correctness"), LABELS)
    verdict = engine.ask(JudgeCorrectness(sample=sample, examples=examples, language=options.language))
    claims = tuple(CheckedClaim(claim=one.claim, state=one.status, evidence=one.evidence) for one in verdict.claims)
    return yes_or_no("correctness", verdict.verdict, verdict.reason, Reasoning(claims=claims))


VERSION = version_of_folders("judges/correctness", "judges/turn", "judges/rules", "text")
JUDGE = Judge(
    "correctness", ("correctness",), ("question", "answer", "reference"), VERSION, scores, prompts=(JudgeCorrectness,)
)
