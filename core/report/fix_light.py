"""What to fix in a run in little room, for what is taken away: of each entry, the texts of its worst turn alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.base.words import Say
from core.report.causes import Cause, Named
from core.report.fix_list import LowTurn

LONGEST = 200  # letters of a text that a sentence names


class Light(NamedTuple):
    """A low turn without its texts."""

    named: Named
    document: str
    scenario: str
    score: float

    @property
    def lost(self) -> float:
        """Points lost, 0 to 1."""
        return 1.0 - self.score


class Worst(NamedTuple):
    """What is told of the turn that lost most: why, in a sentence, and its conversation."""

    score: float
    why: str
    question: str
    number: int
    conversation: str


class LightFindings(NamedTuple):
    """`Findings` in little room; worst: of each entry, by cause, document and scenario."""

    turns: tuple[Light, ...]
    worst: dict[tuple[Cause, str, str], Worst]
    scored: int
    unscored: int


def lighten(say: Say, turns: Iterable[LowTurn], scored: int, unscored: int) -> LightFindings:
    """The findings of these turns, each let go before the next is asked for; of equals the first is the worst."""
    kept: list[Light] = []
    worst: dict[tuple[Cause, str, str], Worst] = {}
    shared: dict[str, str] = {}
    for turn in turns:
        document, scenario = (shared.setdefault(name, name) for name in (turn.document, turn.scenario))
        kept.append(Light(turn.named, document, scenario, turn.score))
        key: tuple[Cause, str, str] = (turn.named.cause, document, scenario)
        if key not in worst or turn.score < worst[key].score:
            question = " ".join(turn.question.split())
            worst[key] = Worst(turn.score, _why(turn, say), question, turn.number, turn.conversation)
    return LightFindings(tuple(kept), worst, scored, unscored)


def _why(low: LowTurn, say: Say) -> str:
    return say(f"fix.why_{low.named.why}", **{name: _short(text) for name, text in low.details.items()})


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
