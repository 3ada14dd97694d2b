"""The threshold sweep: how often the bot would have asked with other thresholds, from the stored assessments, with no new call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import pandas as pd

from core.analysis.clarification import FirstTurn, Rate, first_turns, rate_of
from core.base.frozen_model import FrozenModel
from core.base.means import ROUNDING
from core.base.types import ASSESSMENT_SCORES, Assessment, ClarifySettings, Patience
from core.bot.clarify.routing import route_by_rules

TEXTS = ("ask_missing_info", "res_consultation", "ask_user_meta_info")
MAX_THRESHOLD = 5  # the highest threshold


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
        """(clarity threshold, score threshold)."""
        return self.clarity_threshold, self.score_threshold

    @property
    def balance(self) -> float | None:
        """Recall less needless share (Youden's J); None without both."""
        if self.recall.value is None or self.needless.value is None:
            return None
        return self.recall.value - self.needless.value

    def distance(self, other: SweepPoint) -> int:
        """How many steps both thresholds are away from another pair."""
        return sum(abs(a - b) for a, b in zip(self.thresholds, other.thresholds, strict=True))


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
        thresholds = (settings.clarity_threshold, settings.score_threshold)
        return next(point for point in self.points if point.thresholds == thresholds)


class _Path(NamedTuple):
    """What decides how a conversation comes out: a large run has few different ones."""

    scenario: str
    needed: bool | None
    turns: tuple[int, ...]  # places of the assessments of its turns


def sweep_thresholds(
    frame: pd.DataFrame, own: ClarifySettings, max_questions: int | None = None, patience: Patience = "balanced"
) -> ThresholdSweep:
    """Every pair of thresholds for a run (`frame`: `core.store.clarification_table`) whose bot had the settings `own`.

    max_questions: instead of the bot's; with 0 nothing is ever asked.
    """
    conversations, assessments = _conversations(frame)
    known = [(first, turns) for first, turns in conversations if turns]
    paths = Counter(_Path(first.scenario, first.needed, turns) for first, turns in known)
    base = own if max_questions is None else own.model_copy(update={"max_questions": max_questions})
    pairs = ((clarity, score) for clarity in range(MAX_THRESHOLD + 1) for score in range(MAX_THRESHOLD + 1))
    settings = (base.model_copy(update={"clarity_threshold": clear, "score_threshold": two}) for clear, two in pairs)
    return ThresholdSweep(
        points=tuple(_point(paths, assessments, thresholds, patience) for thresholds in settings),
        conversations=len(known),
        left_out=len(conversations) - len(known),
        reproduced=sum(_asked([assessments[turns[0]]], own, "balanced")[0] == first.asked for first, turns in known),
    )


def best_point(sweep: ThresholdSweep, own: ClarifySettings) -> SweepPoint | None:
    """The pair of thresholds with the best balance, of equals the nearest to the run's own; None if that is as good."""
    now = sweep.at(own)
    balances = {point: point.balance for point in sweep.points if point.balance is not None}
    best = max(balances, key=lambda point: (balances[point], -point.distance(now)), default=None)
    return None if best is None or balances[best] <= (now.balance or 0.0) + ROUNDING else best


def _point(
    paths: Counter[_Path], assessments: Sequence[Assessment], settings: ClarifySettings, patience: Patience
) -> SweepPoint:
    turn_lists = {path.turns for path in paths}
    asked = {turns: _asked([assessments[place] for place in turns], settings, patience) for turns in turn_lists}
    first: dict[bool, Counter[tuple[str, bool]]] = {True: Counter(), False: Counter()}
    for path, count in paths.items():
        if path.needed is not None:
            first[path.needed][path.scenario, asked[path.turns][0]] += count
    questions = sum(sum(asked[path.turns]) * count for path, count in paths.items())
    return SweepPoint(
        clarity_threshold=settings.clarity_threshold,
        score_threshold=settings.score_threshold,
        recall=rate_of(first[True]),
        needless=rate_of(first[False]),
        questions=questions / paths.total() if paths else None,
    )


def _asked(turns: Iterable[Assessment], settings: ClarifySettings, patience: Patience) -> list[bool]:
    """Whether each turn asks with these settings."""
    asked = list[bool]()
    for turn in turns:
        asked.append(route_by_rules(turn, settings, patience, sum(asked)).decision == "ask")
    return asked


def _conversations(frame: pd.DataFrame) -> tuple[list[tuple[FirstTurn, tuple[int, ...]]], list[Assessment]]:
    """Each conversation with the places of its turns' assessments, as far as they are known, and all different ones.

    They differ by what the route depends on: their scores, and which texts there are.
    """
    places: dict[tuple[Any, ...], int] = {}
    turns: dict[str, list[int]] = {}
    broken = set[str]()
    for conversation, assessment in zip(frame["conversation"].tolist(), frame["assessment"].tolist(), strict=True):
        if not isinstance(assessment, Mapping) or conversation in broken:
            broken.add(conversation)  # what follows an unknown turn cannot be worked out
            continue
        values = cast(Mapping[str, Any], assessment)
        key = (*(values[name] for name in ASSESSMENT_SCORES), *(bool(values.get(name)) for name in TEXTS))
        turns.setdefault(conversation, []).append(places.setdefault(key, len(places)))
    names = (*ASSESSMENT_SCORES, *TEXTS)
    texts = {True: "asks", False: ""}
    assessments = [
        Assessment.model_validate(
            {name: texts[value] if name in TEXTS else value for name, value in zip(names, key, strict=True)}
        )
        for key in places
    ]
    return [(first, tuple(turns.get(first.conversation, ()))) for first in first_turns(frame)], assessments
