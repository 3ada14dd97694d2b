"""The turn judge: six criteria from 1 (bad) to 5 (good) for one turn of a bot."""

from __future__ import annotations

from core.base.prompt import Engine
from core.base.types import BEYOND_DOCUMENTS, NOT_APPLICABLE, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.judge_prompt import JudgePrompt
from core.judges.prompt_data import ShownExample, shown_examples
from core.judges.turn.clarifying_questions import asks, judge_question
from core.judges.turn.marks import CRITERIA, Mark, TurnVerdict
from core.judges.turn.measures import measure
from core.judges.turn.scoring import coherence_of, judge_answer
from core.judges.turn.without_reference import judge_without_reference, with_tone
from core.judges.version import version_of_folders

__all__ = ["CRITERIA", "JUDGE", "JudgeTurn", "TurnVerdict"]

OVERALL = CRITERIA[-1]
LABELS = ("1", "2", "3", "4", "5")  # of an example: its overall mark


class JudgeTurn(JudgePrompt[TurnVerdict]):
    """How good is this turn? `guidelines` are the bot's own; `language` is that of the reasons."""

    file = "turn"
    required = ("shown.question", "shown.answer")
    guidelines: str
    examples: tuple[ShownExample, ...] = ()

    def without_model(self) -> TurnVerdict:
        """Claims, figures and signs of the answer compared with the passages, the reference and the question."""
        found = measure(self.sample)
        if asks(self.sample, found) and found.parts:
            coherence = coherence_of(self.sample, found, self.language)
            return with_tone(self.sample, judge_question(self.sample, found, coherence, self.language), self.language)
        if self.sample.reference or self.sample.kind in BEYOND_DOCUMENTS:
            return judge_answer(self.sample, found, self.language)
        return judge_without_reference(self.sample, found, self.language)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Six scores in the order of CRITERIA: value = label / 5, none if the criterion does not apply."""
    verdict = engine.ask(_prompt(sample, options))
    reasoning = Reasoning(steps=verdict.steps, conclusion=verdict.conclusion)
    return tuple(_score(name, verdict.mark(name), reasoning if name == OVERALL else None) for name in CRITERIA)


def _prompt(sample: Sample, options: JudgeOptions) -> JudgeTurn:
    examples = shown_examples(options.examples_of("turn"), LABELS)
    return JudgeTurn(sample=sample, guidelines=options.guidelines, examples=examples, language=options.language)


def _score(criterion: str, mark: Mark, reasoning: Reasoning | None) -> Score:
    value, label = (None, NOT_APPLICABLE) if mark.score is None else (mark.score / 5, str(mark.score))
    return Score(judge="turn", criterion=criterion, value=value, label=label, reasons=mark.reason, reasoning=reasoning)


JUDGE = Judge(
    "turn",
    CRITERIA,
    ("question",),
    version_of_folders("judges/turn", "judges/rules", "text", "text/distress"),
    scores,
    scale="marks",
    prompts=(JudgeTurn,),
)
