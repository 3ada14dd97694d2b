"""What the store hands out: frozen rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic import field_validator

from core.base.types import FrozenModel, Language, Profile, Sample, Scenario, Turn

STOPPING = "stopping"  # stored in the plan of a run that was asked to stop
RunStatus = Literal["running", "done", "stopped", "interrupted"]
ConversationStatus = Literal["waiting", "running", "done", "failed", "stopped"]
FeedbackKind = Literal["up", "down", "asked_too_much", "should_have_asked"]


class RunRow(FrozenModel):
    """A run; `plan` is `core.runs.plan.Plan` as a dict, `total` the number of its conversations."""

    id: str
    bot: str
    name: str
    language: Language
    status: RunStatus
    seed: int
    max_turns: int
    total: int
    created_at: datetime
    finished_at: datetime | None = None
    plan: dict[str, Any]
    error: str = ""
    owner: str = ""
    leased_until: datetime | None = None

    @field_validator("plan")
    @classmethod
    def _as_planned(cls, plan: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in plan.items() if name != STOPPING}


class ConversationRow(FrozenModel):
    """A conversation of a run; `closing` is the simulated user's last word, which the bot did not answer any more."""

    id: str
    run_id: str
    bot: str
    number: int
    scenario_id: str
    scenario: Scenario
    persona_id: str
    persona_name: str
    repeat: int = 1
    kind: str
    question: str
    status: ConversationStatus = "waiting"
    ending: str = ""
    closing: str = ""
    error: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ScoreRow(FrozenModel):
    """A verdict on a turn; `value` (0 to 1) is none when unscored, then `error` says why."""

    id: int
    judge: str
    version: str
    criterion: str
    value: float | None
    label: str
    reasons: str
    error: str
    repeat: int = 1


class JudgeVersion(FrozenModel):
    """A judge in one version, and how many turns of a run it scored or tried to."""

    judge: str
    version: str
    turns: int


class FeedbackRow(FrozenModel):
    """What a person pressed under a reply."""

    kind: str
    comment: str
    created_at: datetime


class TurnRow(FrozenModel):
    """A turn; `turn` is none while the bot has not replied, or could not (then `error` says why).

    sample: of an answer that came from a file, which has no `turn`; scores: of each judge's newest version, the first
    verdict where it gave several; again: its further ones.
    """

    id: int
    conversation_id: str
    number: int
    user_text: str
    user_state: str
    reply_text: str
    decision: str
    row: int | None
    answered: bool | None
    query: str
    seconds: float
    error: str
    created_at: datetime
    turn: Turn | None
    sample: Sample | None = None
    scores: tuple[ScoreRow, ...] = ()
    again: tuple[ScoreRow, ...] = ()
    feedback: tuple[FeedbackRow, ...] = ()


class Progress(FrozenModel):
    """How far a run is: counts of conversations, and turns so far; times in seconds."""

    status: RunStatus
    total: int
    done: int
    failed: int
    stopped: int
    running: int
    waiting: int
    turns: int
    seconds: float
    per_second: float
    eta_seconds: float | None

    @property
    def finished(self) -> int:
        """Conversations that are over, well or not."""
        return self.done + self.failed


class ChatRow(FrozenModel):
    """A chat of a person with a bot; `title` is its first message."""

    id: str
    bot: str
    title: str
    created_at: datetime
    profile: Profile = Profile()


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
