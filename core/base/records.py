"""A run as it is taken away: plain records of a conversation, its turns and the verdicts on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.base.types import Language


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with its plan and everything it used; `longest` is the highest number of a turn in it."""

    id: str
    bot: str
    name: str
    language: Language
    status: str
    seed: int
    max_turns: int
    total: int
    created_at: datetime
    finished_at: datetime | None
    error: str
    plan: dict[str, Any]
    snapshot: dict[str, Any]
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a turn; `value` (0 to 1) is none when unscored, then `error` says why; `repeat` counts from 1."""

    judge: str
    criterion: str
    value: float | None
    label: str = ""
    reasons: str = ""
    error: str = ""
    version: str = ""
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a person said and the bot replied; `record` and `sample` are JSON, empty where there is none or none was asked for."""

    number: int
    user_text: str
    reply_text: str
    decision: str
    row: int | None
    answered: bool | None
    query: str
    seconds: float | None
    error: str
    created_at: datetime
    record: str = ""
    sample: str = ""
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """A whole conversation of a run."""

    id: str
    number: int
    scenario_id: str
    persona_id: str
    persona_name: str
    repeat: int
    kind: str
    question: str
    status: str
    ending: str
    closing: str
    error: str
    started_at: datetime | None
    finished_at: datetime | None
    scenario: dict[str, Any] = field(default_factory=dict[str, Any])
    turns: tuple[Exchange, ...] = ()


def overall(talk: Talk, judge: str, criterion: str) -> Iterator[tuple[Exchange, float | None]]:
    """The turns of a conversation, each with the mean of a judge's verdicts on it (several where it judged again)."""
    for turn in talk.turns:
        values = [one.value for one in turn.verdicts if (one.judge, one.criterion) == (judge, criterion)]
        known = [value for value in values if value is not None]
        yield turn, sum(known) / len(known) if known else None
