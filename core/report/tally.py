"""What a run comes to, counted while its conversations go by: figures without texts, and the worst conversations."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any, NamedTuple

import pandas as pd

from core.base.records import Talk, Verdict, overall
from core.report.figures import Figures
from core.report.health import JUDGE as USER
from core.report.health import finding
from core.report.intervals import Interval, mean_interval
from core.report.part import Part, part_of
from core.report.summary import JUDGE, RunSummary, conversation_scores, criteria_of, summarise

WORST = 10  # conversations shown in full


class Ended(NamedTuple):
    """How a conversation ended, for the summary."""

    number: int
    status: str


class Found(NamedTuple):
    """A scenario with the mean of its conversations' scores, of how many, and how many of its turns are low."""

    scenario: str
    question: str
    score: float
    conversations: int
    low: int


class Tally:
    """Takes in the conversations of a run one by one; figures alone are kept, and the worst conversations."""

    def __init__(self, judge: str, criterion: str, line: float | None, worst: int = WORST) -> None:
        self.judge, self.criterion, self.line = judge, criterion, line
        self.ended: list[Ended] = []
        self.turns = 0
        self.spoilt = 0
        self._figures = Figures()
        self._worst: list[tuple[float, int, Talk]] = []
        self._room = worst

    def passing(self, talks: Iterable[Talk]) -> Iterator[Talk]:
        """The same conversations, counted as they go by."""
        for talk in talks:
            self.add(talk)
            yield talk

    def add(self, talk: Talk) -> None:
        """Count a conversation."""
        self.ended.append(Ended(talk.number, intern(talk.status)))
        self.turns += len(talk.turns)
        self.spoilt += any(_is_spoilt(turn.verdicts) for turn in talk.turns)
        self._figures.begin(talk)
        for turn in talk.turns:
            self._figures.turn(turn)
            for (judge, criterion), value in _means(turn.verdicts).items():
                self._figures.add(judge, criterion, value)
        known = [value for _, value in overall(talk, self.judge, self.criterion) if value is not None]
        score = sum(known) / len(known) if known else None
        if score is not None and self._room and (self.line is None or score < self.line - 1e-9):
            self._keep(score, talk)

    def judges(self) -> list[str]:
        """The judges of the run, the judge of turns first, then in order of appearance."""
        return sorted(self._figures.judges(), key=lambda name: name != JUDGE)

    def frame(self, judge: str) -> pd.DataFrame:
        """A judge's figures in the form of `score_values`; verdicts given several times count as their mean."""
        return self._figures.frame(judge)

    def worst(self) -> list[tuple[float, Talk]]:
        """The conversations below the finish line that went worst, the worst first, with their scores."""
        kept = sorted(self._worst, key=lambda one: (-one[0], -one[1]))
        return [(-badness if self.line is not None else badness, talk) for badness, _, talk in kept]

    def _keep(self, score: float, talk: Talk) -> None:
        badness = -score if self.line is not None else score
        entry = (badness, -talk.number, talk)
        if len(self._worst) < self._room:
            heapq.heappush(self._worst, entry)
        elif entry[:2] > self._worst[0][:2]:
            heapq.heapreplace(self._worst, entry)


def _is_spoilt(verdicts: Iterable[Verdict]) -> bool:
    """Whether the judge of simulated users found a major fault; of several verdicts the one nearest to their mean tells."""
    values = [(one.value, one) for one in verdicts if one.judge == USER and one.value is not None]
    if not values:
        return False
    mean = sum(value for value, _ in values) / len(values)
    nearest = min(values, key=lambda pair: abs(pair[0] - mean))[1]
    found = finding(nearest.label, nearest.reasons) if mean < 1 else None
    return found is not None and found[1] == "major"


def _means(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], float]:
    """The mean of a turn's verdicts by judge and criterion; NaN where all are unscored."""
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in verdicts:
        known = values[one.judge, one.criterion]
        known += [] if one.value is None else [one.value]
    return {key: sum(known) / len(known) if known else float("nan") for key, known in values.items()}


class Line(NamedTuple):
    """A line of the summary: a mean (none: nothing is scored) of how many, and how sure it is."""

    name: str
    value: float | None
    n: int
    sure: Interval | None


class Sums(NamedTuple):
    """A run in numbers: counts (`summary`, by one judge alone), the score, means by criterion, persona and kind.

    states: of its conversations.
    """

    summary: RunSummary
    score: Line
    criteria: list[tuple[str, Line]]
    personas: list[Line]
    kinds: list[Line]
    spoilt: int
    lowest: list[Found]
    states: list[str]

    def part(self, status: str) -> Part | None:
        """How far a run of this status came; none where it is whole."""
        return part_of(status, self.states)


def sums(tally: Tally, frame: pd.DataFrame) -> Sums:
    """What a run comes to, by the tally's judge, of whose figures `frame` is; one judge's figures are laid out at a time."""
    judge, criterion = tally.judge, tally.criterion
    means: Any = conversation_scores(frame, criterion, judge)
    lines = [line for name in tally.judges() for line in _lines(frame if name == judge else tally.frame(name), name)]
    score = _line(criterion, means)
    groups = {
        column: [_line(str(name), part) for name, part in means[means[column] != ""].groupby(column, sort=False)]
        for column in ("persona_name", "kind")
    }
    found = summarise(frame, tally.ended, judge)
    lowest = _lowest(tally, frame, means)
    return Sums(
        found,
        score,
        lines,
        groups["persona_name"],
        groups["kind"],
        tally.spoilt,
        lowest,
        [one.status for one in tally.ended],
    )


def _lines(frame: pd.DataFrame, judge: str) -> list[tuple[str, Line]]:
    """The mean of each criterion of a judge."""
    return [(judge, _line(one, conversation_scores(frame, one, judge))) for one in criteria_of(frame, judge)]


def _line(name: str, scores: Any) -> Line:
    there = scores.dropna(subset=["score"])
    values, scenarios = there["score"], list(there["scenario"])
    return Line(
        name,
        float(values.mean()) if len(values) else None,
        len(values),
        mean_interval(list(values), scenarios=scenarios),
    )


def _lowest(tally: Tally, frame: Any, means: Any) -> list[Found]:
    """The scenarios with an answer below the finish line by score, the worst first."""
    if tally.line is None:
        return []
    mine = frame[(frame["judge"] == tally.judge) & (frame["criterion"] == tally.criterion)]
    low = mine[mine["value"] < tally.line - 1e-9].groupby("scenario").size()
    found = [
        Found(str(name), str(part["question"].iloc[0]), float(part["score"].mean()), len(part), int(low.get(name, 0)))
        for name, part in means.dropna(subset=["score"]).groupby("scenario", sort=False)
    ]
    return sorted((one for one in found if one.low), key=lambda one: one.score)
