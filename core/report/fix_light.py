"""What to fix in a run in little room, for what is taken away: of each entry, the texts of its worst turn alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.base.words import Say
from core.report.causes import Cause, Named
from core.report.fix_list import LowTurn
from core.report.labels import percent

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
    """What is told of the turn that lost most: why, in a sentence, what to know before mending, and its conversation."""

    score: float
    why: str
    notes: str
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
            notes = " ".join(notes_on(turn, say).values())
            worst[key] = Worst(turn.score, _why(turn, say), notes, question, turn.number, turn.conversation)
    return LightFindings(tuple(kept), worst, scored, unscored)


def notes_on(low: LowTurn, say: Say) -> dict[str, str]:
    """What to know of a low turn before anything is mended, by the name of each sentence: that the reply was empty,
    that judges disagree, that a judge and the words do."""
    holds = {
        "was_empty": low.known.empty and not low.named.why.startswith("empty"),
        "disagree": low.disputed,
        "stands": low.stands,
    }
    overall = percent(low.overall or 0.0)
    return {name: say(f"fix.{name}", overall=overall) for name, there in holds.items() if there}


def _why(low: LowTurn, say: Say) -> str:
    return say(f"fix.why_{low.named.why}", **{name: _short(text) for name, text in low.details.items()})


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
