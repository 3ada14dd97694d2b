"""Judging the turns of a run: what a judge looks at, and scores whatever happens."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Clarify, Language, Message, Sample, Scenario, Score, Turn
from core.judge.turn import CRITERIA, VERSION, judge_turn
from core.llm.errors import ModelError

JUDGES = {"turn": VERSION}
_LOG = logging.getLogger(__name__)


def judge_versions(names: Iterable[str]) -> dict[str, str]:
    """The judges named, each with its version; raises BadInput for one that is not there."""
    for name in names:
        if name not in JUDGES:
            known = ", ".join(JUDGES)
            told = f"There is no judge {name!r}: known are {known}. Choose one of them."
            raise BadInput(told, "unknown_judge", id=name)
    return {name: JUDGES[name] for name in names}


def sample_of(scenario: Scenario, turn: Turn, history: tuple[Message, ...]) -> Sample:
    """What a judge sees of a turn; `history` are the messages before it."""
    return Sample(
        question=turn.message,
        answer=turn.reply.text,
        history=history,
        contexts=_contexts(turn),
        reference=(scenario.reference,) if scenario.reference else (),
        asked_back=isinstance(turn.reply, Clarify),
        kind=scenario.kind,
        needs_asking=scenario.needs_asking,
        intent=scenario.intent,
    )


def _contexts(turn: Turn) -> tuple[str, ...]:
    """What the bot saw, headings above the texts: the passages, or the topics it looked at before it asked back."""
    seen = [hit.passage for hit in turn.hits] or turn.topics[:6]
    return tuple(f"{part.title} › {part.heading}\n{part.text}" for part in seen)


def scores_of(engine: Engine, sample: Sample, guidelines: str, language: Language) -> tuple[Score, ...]:
    """The turn judge's scores; an error while judging gives unscored ones that carry it, so that no turn is lost."""
    try:
        return judge_turn(engine, sample, guidelines, language)
    except Exception as error:
        _LOG.warning("A turn could not be judged", exc_info=True)
        told = sentence(error)
        return tuple(Score(judge="turn", criterion=name, value=None, error=told) for name in CRITERIA)


def sentence(error: BaseException) -> str:
    """An error as one line for a row."""
    told = " ".join(str(error).split())
    if isinstance(error, BadInput | ModelError):
        return told
    return f"{type(error).__name__}: {told}".removesuffix(": ")[:500]
