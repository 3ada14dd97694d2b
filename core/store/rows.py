"""The rows that the store hands out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import field_validator

from core.base.frozen_model import FrozenModel
from core.base.types import Language, Message, Passage, Profile, Reasoning, Sample, Scenario, Turn

STOPPING = "stopping"  # in the plan of a run that was asked to stop
PAUSED = "paused"  # in the plan of a run that was resumed: seconds between its stops and resumptions
TRASHED = "removed_at"  # in the plan of a run in the trash: since when
ENDED = ("done", "failed")  # conversations that came to an end, well or not
RunStatus = Literal["running", "done", "stopped", "interrupted"]
ConversationStatus = Literal["waiting", "running", "done", "failed", "stopped"]
FeedbackKind = Literal["up", "down", "asked_too_much", "should_have_asked"]


def conversation_id(run_id: str, number: int) -> str:
    """The id of a run's conversation; numbers count from 1."""
    return f"{run_id}-{number:05d}"


class RunRow(FrozenModel):
    id: str
    bot: str
    name: str
    language: Language
    status: RunStatus
    seed: int
    max_turns: int
    total: int  # number of conversations
    created_at: datetime
    finished_at: datetime | None = None
    plan: dict[str, Any]  # `core.runs.plan.Plan` as a dict
    error: str = ""
    owner: str = ""
    leased_until: datetime | None = None

    @property
    def is_answer_file(self) -> bool:
        return "file" in self.plan

    @field_validator("plan")
    @classmethod
    def _as_planned(cls, plan: dict[str, Any]) -> dict[str, Any]:
        """The plan without what the store adds to it."""
        return {name: value for name, value in plan.items() if name not in (STOPPING, PAUSED, TRASHED)}


class TrashedRun(NamedTuple):
    """A run in the trash, and since when; everything in it is still there."""

    run: RunRow
    at: datetime


class ConversationRow(FrozenModel):
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
    closing: str = ""  # the simulated user's last message, to which the bot did not reply
    error: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @classmethod
    def planned(
        cls, run_id: str, bot: str, number: int, scenario: Scenario, persona_id: str, persona_name: str, repeat: int = 1
    ) -> ConversationRow:
        """A conversation that waits to be made."""
        return cls(
            id=conversation_id(run_id, number),
            run_id=run_id,
            bot=bot,
            number=number,
            scenario_id=scenario.id,
            scenario=scenario,
            persona_id=persona_id,
            persona_name=persona_name,
            repeat=repeat,
            kind=scenario.kind,
            question=scenario.question,
        )


class CaseKey(NamedTuple):
    """Conversations of two runs with the same key are the same case; their numbers differ if a scenario was added."""

    scenario_id: str
    question: str
    persona_id: str
    repeat: int


class ScoreRow(FrozenModel):
    """A verdict on a turn."""

    id: int
    judge: str
    version: str
    criterion: str
    value: float | None  # 0 to 1; None if unscored (then `error` says why) or not applicable
    label: str
    reasons: str
    error: str
    repeat: int = 1
    reasoning: Reasoning | None = None

    @field_validator("reasoning", mode="before")
    @classmethod
    def _as_stored(cls, reasoning: Any) -> Any:
        return Reasoning.model_validate_json(reasoning) if isinstance(reasoning, str) else reasoning


class JudgeVersion(FrozenModel):
    judge: str
    version: str
    turns: int = 0  # of a run that it scored or tried to score


class FeedbackRow(FrozenModel):
    kind: str
    comment: str
    created_at: datetime


class TurnRow(FrozenModel):
    """A turn of a conversation or chat."""

    id: int
    conversation_id: str
    number: int
    user_text: str
    user_state: str
    reply_text: str
    decision: str
    rule: int | None
    answered: bool | None
    query: str
    seconds: float
    error: str
    created_at: datetime
    turn: Turn | None  # None until the bot has replied, or if it could not (then `error` says why)
    sample: Sample | None = None  # of an answer from a file, which has no `turn`
    scores: tuple[ScoreRow, ...] = ()  # the first verdict of each judge, in the version that counts
    repeats: tuple[ScoreRow, ...] = ()  # the further verdicts
    feedback: tuple[FeedbackRow, ...] = ()

    @property
    def passages(self) -> tuple[Passage, ...] | None:
        """What the bot saw, best first (of an answer from a file, its contexts); None if that is unknown."""
        if self.turn:
            return self.turn.passages
        texts = enumerate(self.sample.contexts if self.sample else (), 1)
        return tuple(Passage(id=str(n), document="", title="", heading="", text=text) for n, text in texts) or None


def messages_of(rows: Iterable[TurnRow]) -> tuple[Message, ...]:
    """The messages of these turns; those without a reply are left out."""
    return tuple(message for row in rows if row.turn for message in row.turn.as_messages())


def with_history(rows: Iterable[TurnRow]) -> Iterator[tuple[TurnRow, tuple[Message, ...]]]:
    """The turns of a conversation, each with the messages before it."""
    before: tuple[Message, ...] = ()
    for row in rows:
        yield row, before
        before += messages_of([row])


class Progress(FrozenModel):
    """Progress of a run: numbers of conversations and turns; times in seconds."""

    status: RunStatus
    total: int
    done: int
    failed: int
    stopped: int
    running: int
    turns: int
    seconds: float
    per_second: float
    eta_seconds: float | None

    @property
    def finished(self) -> int:
        """Conversations that have ended, well or not."""
        return self.done + self.failed


class ChatRow(FrozenModel):
    """A chat of a user with a bot; its title is the first message."""

    id: str
    bot: str
    title: str
    created_at: datetime
    profile: Profile = Profile()
