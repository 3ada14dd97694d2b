"""The turn judge: six criteria from 1 (bad) to 5 (good) for one turn of a bot."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core.base.prompt import Engine, NeedsModel, Prompt
from core.base.types import Language, Sample, Score
from core.judge.asking import asks, judge_question
from core.judge.marks import coherence_of, judge_answer
from core.judge.reading import read
from core.judge.reasons import say
from core.judge.verdict import CRITERIA, Mark, TurnVerdict

__all__ = ["CRITERIA", "VERSION", "JudgeTurn", "TurnVerdict", "judge_turn"]

_FILES = ("turn.ja.md", "turn.en.md", "*.toml", "*.py")


def _version() -> str:
    seen = hashlib.sha256()
    folder = Path(__file__).parent
    for pattern in _FILES:
        for file in sorted(folder.glob(pattern)):
            seen.update(file.name.encode() + file.read_bytes())
    return seen.hexdigest()[:12]


VERSION: str = _version()  # of the prompts, the words and the rules: another version may score otherwise


class JudgeTurn(Prompt[TurnVerdict]):
    """How good is this turn? `guidelines` are the bot's own; `language` is that of the reasons."""

    file = "turn"
    role = "judge"
    sample: Sample
    guidelines: str

    def without_model(self) -> TurnVerdict:
        """Claims, figures and signs of the answer compared with the passages, the reference and the question."""
        found = read(self.sample)
        if asks(self.sample, found) and found.parts:
            return judge_question(self.sample, found, coherence_of(self.sample, found, self.language), self.language)
        return judge_answer(self.sample, found, self.language)


def judge_turn(engine: Engine, sample: Sample, guidelines: str = "", language: Language = "ja") -> tuple[Score, ...]:
    """Six scores in the order of CRITERIA: value = label / 5; unscored, with the error, what cannot be judged."""
    if not sample.question.strip():
        return tuple(_unscored(name, say("unscored.question", language)) for name in CRITERIA)
    try:
        verdict = engine.ask(JudgeTurn(sample=sample, guidelines=guidelines, language=language))
    except NeedsModel as error:
        return tuple(_unscored(name, str(error)) for name in CRITERIA)
    return tuple(_score(name, verdict.mark(name)) for name in CRITERIA)


def _score(criterion: str, mark: Mark) -> Score:
    if mark.score is None:
        return _unscored(criterion, mark.reason)
    return Score(judge="turn", criterion=criterion, value=mark.score / 5, label=str(mark.score), reasons=mark.reason)


def _unscored(criterion: str, error: str) -> Score:
    return Score(judge="turn", criterion=criterion, value=None, error=error)
