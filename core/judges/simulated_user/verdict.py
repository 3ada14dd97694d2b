"""What the judge of simulated users gives: its reasons, then what is wrong, how badly, and whether the turn can be used."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from core.base.types import FrozenModel

Tag = Literal[
    "empty",
    "revealed",
    "spoke_as_desk",
    "wrong_language",
    "invented_fact",
    "off_intent",
    "stopped_early",
    "repeats",
    "gave_away",
    "left_persona",
    "other",
    "none",
]
Severity = Literal["none", "minor", "major"]
TAGS: tuple[Tag, ...] = get_args(Tag)
MINOR = frozenset[Tag]({"repeats", "gave_away", "left_persona"})  # the bot can still be judged by its reply


class UserVerdict(FrozenModel):
    """The reasons, then the gravest fault of the user's turn, its severity, and the verdict."""

    reasons: str = Field(description="What was checked and found, with a short quote. Written before the rest.")
    tag: Tag = Field(description="The gravest fault; none when the turn is ok.")
    severity: Severity = Field(description="major: the conversation can no longer test the bot; minor: it still can.")
    verdict: Literal["ok", "spoilt"] = Field(description="spoilt when there is a fault, else ok.")
