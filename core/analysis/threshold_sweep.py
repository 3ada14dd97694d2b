"""The threshold sweep: how often the bot would have asked with other thresholds, from the stored assessments, with no new call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import pandas as pd

from core.analysis.clarification import FirstTurn, Rate, first_turns, rate_of
from core.base.types import Assessment, ClarifySettings, FrozenModel, Patience
from core.bot.clarify.routing import route

Table = Any  # pandas is typed too loosely to be checked
SCORES = ("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person")
TEXTS = ("ask_missing_info", "res_consultation", "ask_user_meta_info")
MOST = 5  # the highest threshold


class SweepPoint(FrozenModel):
    """One pair of thresholds: what the first turns would have been (exact), and questions per conversation (a guess).

    The guess takes the later turns as they were, though they would have gone differently after another first turn.
    """

    clarity_threshold: int
    score_threshold: int
    recall: Rate
    needless: Rate
    questions: float | None

    @property
    def thresholds(self) -> tuple[int, int]:
        """Both thresholds."""
        return self.clarity_threshold, self.score_threshold


class ThresholdSweep(FrozenModel):
    """All pairs of thresholds from 0 to 5.

    conversations: those with a stored assessment of their first turn; left_out: those without; reproduced: of the
    conversations, those whose first turn comes out with the run's own thresholds as it was.
    """

    points: tuple[SweepPoint, ...]
    conversations: int
    left_out: int
    reproduced: int

    def at(self, settings: ClarifySettings) -> SweepPoint:
        """The point of these thresholds."""
        wanted = (settings.clarity_threshold, settings.score_threshold)
        return next(point for point in self.points if point.thresholds == wanted)


class _Held(NamedTuple):
    """A conversation: its first turn, and the places of its turns' assessments as far as they are known."""

    first: FirstTurn
    turns: tuple[int, ...]


class _Alike(NamedTuple):
    """What a conversation has in common with those that come out alike: a large run has few different ones."""

    scenario: str
    needed: bool | None
    turns: tuple[int, ...]


class _Kinds:
    """The different assessments of a run, by what the route depends on: a large run has few."""

    def __init__(self) -> None:
        self.all: list[Assessment] = []
        self._places: dict[tuple[Any, ...], int] = {}
        self._seen: dict[int, tuple[dict[str, Any], int]] = {}  # by the object, which stays alive as long

    def place(self, found: dict[str, Any]) -> int:
        """The place of an assessment among all: its scores, and which texts there are (their words do not matter)."""
        if id(found) not in self._seen:
            self._seen[id(found)] = found, self._place(found)
        return self._seen[id(found)][1]

    def _place(self, found: dict[str, Any]) -> int:
        key = (*(found[name] for name in SCORES), *(bool(found.get(name)) for name in TEXTS))
        if key not in self._places:
            texts = {name: "?" for name in TEXTS if found.get(name)}
            self._places[key] = len(self.all)
            self.all.append(Assessment.model_validate({name: found[name] for name in SCORES} | texts))
        return self._places[key]


def sweep_thresholds(
    frame: pd.DataFrame, own: ClarifySettings, max_questions: int | None = None, patience: Patience = "balanced"
) -> ThresholdSweep:
    """Every pair of thresholds for a run (`frame`: `Store.tables.clarification`) whose bot had the settings `own`.

    max_questions: instead of the bot's; with 0 nothing is ever asked.
    """
    kinds = _Kinds()
    held = _held(frame, kinds)
    known = [one for one in held if one.turns]
    alike = Counter(_Alike(one.first.scenario, one.first.needed, one.turns) for one in known)
    most = own.max_questions if max_questions is None else max_questions
    return ThresholdSweep(
        points=tuple(
            _point(
                alike,
                kinds,
                own.model_copy(update={"clarity_threshold": clear, "score_threshold": low, "max_questions": most}),
                patience,
            )
            for clear in range(MOST + 1)
            for low in range(MOST + 1)
        ),
        conversations=len(known),
        left_out=len(held) - len(known),
        reproduced=sum(_asks(kinds.all[one.turns[0]], own, "balanced", 0) == one.first.asked for one in known),
    )


def best_point(found: ThresholdSweep, own: ClarifySettings) -> SweepPoint | None:
    """The pair of thresholds with the largest recall less needless share; none where the run's own is as good.

    Of equals the nearest to the run's own (Youden's J; both shares need a labelled conversation).
    """
    now = found.at(own)
    able = [point for point in found.points if _gain(point) is not None]
    best = max(able, key=lambda point: ((_gain(point) or 0.0), -_far(point, now)), default=None)
    if best is None or (_gain(best) or 0.0) <= (_gain(now) or 0.0) + 1e-9:
        return None
    return best


def _gain(point: SweepPoint) -> float | None:
    if point.recall.value is None or point.needless.value is None:
        return None
    return point.recall.value - point.needless.value


def _far(one: SweepPoint, other: SweepPoint) -> int:
    return sum(abs(a - b) for a, b in zip(one.thresholds, other.thresholds, strict=True))


def _point(held: Counter[_Alike], kinds: _Kinds, settings: ClarifySettings, patience: Patience) -> SweepPoint:
    paths = {one.turns for one in held}
    talks = {turns: _talk([kinds.all[place] for place in turns], settings, patience) for turns in paths}
    asked: dict[bool, Counter[tuple[str, bool]]] = {True: Counter(), False: Counter()}
    for one, count in held.items():
        if one.needed is not None:
            asked[one.needed][one.scenario, talks[one.turns][0]] += count
    return SweepPoint(
        clarity_threshold=settings.clarity_threshold,
        score_threshold=settings.score_threshold,
        recall=rate_of(asked[True]),
        needless=rate_of(asked[False]),
        questions=sum(talks[one.turns][1] * count for one, count in held.items()) / held.total() if held else None,
    )


def _talk(turns: Sequence[Assessment], settings: ClarifySettings, patience: Patience) -> tuple[bool, int]:
    """(whether the first turn asks, questions in all) with these settings."""
    asked = list[bool]()
    for turn in turns:
        asked.append(_asks(turn, settings, patience, sum(asked)))
    return asked[0], sum(asked)


def _asks(assessment: Assessment, settings: ClarifySettings, patience: Patience, asked: int) -> bool:
    return route(assessment, settings, patience, asked).decision == "ask"


def _held(frame: pd.DataFrame, kinds: _Kinds) -> list[_Held]:
    rows = cast(Table, frame)
    first = {one.conversation: one for one in first_turns(frame)}
    turns: dict[str, list[int]] = {mark: [] for mark in first}
    broken = set[str]()
    for mark, found in zip(rows["conversation"].tolist(), rows["assessment"].tolist(), strict=True):
        if not isinstance(found, dict) or mark in broken:
            broken.add(str(mark))  # what follows a turn that is not known cannot be worked out
        elif mark in turns:
            turns[str(mark)].append(kinds.place(cast("dict[str, Any]", found)))
    return [_Held(one, tuple(turns[mark])) for mark, one in first.items()]
