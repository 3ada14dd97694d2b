"""The turn judge: six criteria from 1 (bad) to 5 (good) for one turn of a bot."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from core.base.prompt import Engine, Prompt
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.prompt_data import Shown, ShownExample, shown, shown_examples
from core.judges.turn.clarifying_questions import asks, judge_question
from core.judges.turn.measures import measure
from core.judges.turn.scoring import CRITERIA, Mark, TurnVerdict, coherence_of, judge_answer
from core.judges.version import version_of_folders

__all__ = ["CRITERIA", "JUDGE", "JudgeTurn", "TurnVerdict"]

LABELS = ("1", "2", "3", "4", "5")  # of an example: its overall mark


class JudgeTurn(Prompt[TurnVerdict]):
    """How good is this turn? `guidelines` are the bot's own; `language` is that of the reasons."""

    file = "turn"
    role = "judge"
    required = ("shown.question", "shown.answer")
    sample: Sample
    shown: Shown
    guidelines: str
    examples: tuple[ShownExample, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _show(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {"shown": shown(Sample.model_validate(given["sample"])), **given}

    def without_model(self) -> TurnVerdict:
        """Claims, figures and signs of the answer compared with the passages, the reference and the question."""
        found = measure(self.sample)
        if asks(self.sample, found) and found.parts:
            return judge_question(self.sample, found, coherence_of(self.sample, found, self.language), self.language)
        return judge_answer(self.sample, found, self.language)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Six scores in the order of CRITERIA: value = label / 5; unscored, with the reason, what cannot be judged."""
    verdict = engine.ask(_prompt(sample, options))
    return tuple(_score(name, verdict.mark(name)) for name in CRITERIA)


def _prompt(sample: Sample, options: JudgeOptions) -> JudgeTurn:
    examples = shown_examples(options.examples_of("turn"), LABELS)
    return JudgeTurn(
        sample=sample, shown=shown(sample), guidelines=options.guidelines, examples=examples, language=options.language
    )


def _score(criterion: str, mark: Mark) -> Score:
    if mark.score is None:
        return Score(judge="turn", criterion=criterion, value=None, error=mark.reason)
    return Score(judge="turn", criterion=criterion, value=mark.score / 5, label=str(mark.score), reasons=mark.reason)


JUDGE = Judge(
    "turn",
    CRITERIA,
    ("question",),
    version_of_folders("judges/turn", "judges/rules", "text"),
    scores,
    scale="marks",
    prompts=(JudgeTurn,),
)
