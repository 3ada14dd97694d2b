"""What a run comes to, counted while its conversations go by: figures without texts, and the worst conversations."""

from __future__ import annotations

import heapq
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from core.analysis.aggregate import (
    Incomplete,
    RunSummary,
    conversation_scores,
    criteria_of,
    incomplete_of,
    mean_of,
    summarise,
)
from core.analysis.confidence_intervals import Interval
from core.analysis.simulator_health import parse_label
from core.base.means import mean
from core.store.export_records import ExportedConversation, ExportedScore, ExportedTurn, conversation_score
from core.store.headline import SIMULATED_USER, judges_in_order
from core.store.run_queries import CONVERSATION_COLUMNS

ABOUT = {
    "conversation": "id",
    "scenario": "scenario_id",
    "question": "question",
    "kind": "kind",
    "persona": "persona_id",
    "persona_name": "persona_name",
}
COLUMNS = (
    *CONVERSATION_COLUMNS,
    *("turn", "decision", "answered", "judge", "criterion", "value"),
)
frames: Any = pd  # typed too loosely to be checked
numbers: Any = np


class Figures:
    """Takes in verdicts one by one; `begin` a conversation before its turns, and a turn before the verdicts on it."""

    def __init__(self) -> None:
        self._about: dict[str, list[str]] = {name: [] for name in ABOUT}
        self._number, self._repeat, self._turns = array("i"), array("i"), array("i")  # of each conversation
        self._decision = list[str]()  # of each turn
        self._turn, self._answered = array("i"), array("b")
        self._by_judge: dict[
            str, dict[str, tuple[array[int], array[float]]]
        ] = {}  # turns and values, by judge and criterion

    def begin(self, conversation: ExportedConversation) -> None:
        """What comes next is of this conversation."""
        for name, words in self._about.items():
            words.append(intern(str(getattr(conversation, ABOUT[name]))))
        self._number.append(conversation.number)
        self._repeat.append(conversation.repeat)
        self._turns.append(0)

    def turn(self, turn: ExportedTurn) -> None:
        """What comes next is of this turn."""
        self._decision.append(intern(turn.decision))
        self._turns[-1] += 1
        self._turn.append(turn.number)
        self._answered.append(-1 if turn.answered is None else int(turn.answered))

    def add(self, judge: str, criterion: str, value: float) -> None:
        """A verdict on the turn; NaN if it is unscored."""
        turns, values = self._by_judge.setdefault(judge, {}).setdefault(criterion, (array("i"), array("d")))
        turns.append(len(self._turn) - 1)
        values.append(value)

    def judges(self) -> list[str]:
        """The judges that gave verdicts, in order of appearance."""
        return list(self._by_judge)

    def frame(self, judge: str) -> pd.DataFrame:
        """One row per verdict of a judge (COLUMNS), in the form of `score_values`."""
        criteria = self._by_judge.get(judge, {})
        turns = _joined((turns for turns, _ in criteria.values()), "int32")
        order = turns.argsort(kind="stable")
        turns = turns[order]
        at = numbers.repeat(numbers.arange(len(self._turns)), self._turns)[turns]
        names = sorted(criteria)
        codes = numbers.repeat([names.index(name) for name in criteria], [len(turns) for turns, _ in criteria.values()])
        answered = numbers.asarray(self._answered)[turns]
        columns: dict[str, Any] = {name: _words(words).take(at) for name, words in self._about.items()}
        columns |= {
            name: numbers.asarray(codes)[at] for name, codes in (("number", self._number), ("repeat", self._repeat))
        }
        columns["turn"] = numbers.asarray(self._turn)[turns]
        columns["decision"] = _words(self._decision).take(turns)
        columns["answered"] = frames.arrays.BooleanArray(answered == 1, answered < 0)
        columns["judge"] = _categories(numbers.zeros(len(turns), "int8"), [judge])
        columns["criterion"] = _categories(codes.astype("int32")[order], names)
        columns["value"] = _joined((values for _, values in criteria.values()), "float64")[order]
        return cast(pd.DataFrame, frames.DataFrame(columns)[list(COLUMNS)])


def _words(words: Sequence[str]) -> Any:
    """Words as categories in order of the alphabet."""
    return frames.Categorical(frames.Index(words, dtype="object"))


def _categories(codes: Any, words: Sequence[str]) -> Any:
    return frames.Categorical.from_codes(codes, categories=frames.Index(words, dtype="object"))


def _joined(parts: Iterable[Any], kind: str) -> Any:
    return numbers.concatenate([numbers.zeros(0, kind), *parts])


WORST = 10  # conversations shown in full


class ConversationEnd(NamedTuple):
    """How a conversation ended, for the summary."""

    number: int
    status: str


class WeakScenario(NamedTuple):
    """A scenario with the mean of its conversations' scores, of how many, and how many of its turns are low."""

    scenario: str
    question: str
    score: float
    conversations: int
    failures: int


class RunTally:
    """Takes in the conversations of a run one by one; figures alone are kept, and the worst conversations."""

    def __init__(self, judge: str, criterion: str, line: float | None, worst: int = WORST) -> None:
        self.judge, self.criterion, self.line = judge, criterion, line
        self.ended: list[ConversationEnd] = []
        self.turns = 0
        self.invalid = 0
        self._figures = Figures()
        self._worst: list[tuple[float, int, ExportedConversation]] = []
        self._room = worst

    def counted(self, conversations: Iterable[ExportedConversation]) -> Iterator[ExportedConversation]:
        """The same conversations, counted as they go by."""
        for conversation in conversations:
            self.add(conversation)
            yield conversation

    def add(self, conversation: ExportedConversation) -> None:
        """Count a conversation."""
        self.ended.append(ConversationEnd(conversation.number, intern(conversation.status)))
        self.turns += len(conversation.turns)
        self.invalid += any(_is_invalid(turn.verdicts) for turn in conversation.turns)
        self._figures.begin(conversation)
        for turn in conversation.turns:
            self._figures.turn(turn)
            for (judge, criterion), value in _means(turn.verdicts).items():
                self._figures.add(judge, criterion, value)
        score = conversation_score(conversation, self.judge, self.criterion)
        if score is not None and self._room and (self.line is None or score < self.line - 1e-9):
            self._keep(score, conversation)

    def judges(self) -> list[str]:
        """The judges of the run in order (`judges_in_order`)."""
        return judges_in_order(self._figures.judges())

    def frame(self, judge: str) -> pd.DataFrame:
        """A judge's figures in the form of `score_values`; verdicts given several times count as their mean."""
        return self._figures.frame(judge)

    def worst(self) -> list[tuple[float, ExportedConversation]]:
        """The conversations below the pass mark that went worst, the worst first, with their scores."""
        ordered = sorted(self._worst, key=lambda conversation: (-conversation[0], -conversation[1]))
        return [(-badness if self.line is not None else badness, conversation) for badness, _, conversation in ordered]

    def _keep(self, score: float, conversation: ExportedConversation) -> None:
        badness = -score if self.line is not None else score
        entry = (badness, -conversation.number, conversation)
        if len(self._worst) < self._room:
            heapq.heappush(self._worst, entry)
        elif entry[:2] > self._worst[0][:2]:
            heapq.heapreplace(self._worst, entry)


def _is_invalid(verdicts: Iterable[ExportedScore]) -> bool:
    """Whether the judge of simulated users found a major fault; of several verdicts the one nearest to their mean tells."""
    values = [
        (verdict.value, verdict)
        for verdict in verdicts
        if verdict.judge == SIMULATED_USER and verdict.value is not None
    ]
    value = mean(value for value, _ in values)
    if value is None:
        return False
    nearest = min(values, key=lambda pair: abs(pair[0] - value))[1]
    fault = parse_label(nearest.label, nearest.reasons) if value < 1 else None
    return fault is not None and fault[1] == "major"


def _means(verdicts: Iterable[ExportedScore]) -> dict[tuple[str, str], float]:
    """The mean of a turn's verdicts by judge and criterion; NaN if all are unscored."""
    values: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for verdict in verdicts:
        values[verdict.judge, verdict.criterion].append(verdict.value)
    means = {key: mean(numbers) for key, numbers in values.items()}
    return {key: float("nan") if value is None else value for key, value in means.items()}


class SummaryRow(NamedTuple):
    """A line of the summary: a mean (none: nothing is scored) of how many, and how sure it is."""

    name: str
    value: float | None
    n: int
    interval: Interval | None


class RunTotals(NamedTuple):
    """A run in numbers: counts (`summary`, by one judge alone), the score, means by criterion, persona and kind.

    states: of its conversations.
    """

    summary: RunSummary
    score: SummaryRow
    criteria: list[tuple[str, SummaryRow]]
    personas: list[SummaryRow]
    kinds: list[SummaryRow]
    invalid: int
    lowest: list[WeakScenario]
    states: list[str]

    def part(self, status: str) -> Incomplete | None:
        """How far a run of this status came; none if it is whole."""
        return incomplete_of(status, self.states)


def run_totals(tally: RunTally, frame: pd.DataFrame) -> RunTotals:
    """What a run comes to, by the tally's judge, of whose figures `frame` is; one judge's figures are laid out at a time."""
    judge, criterion = tally.judge, tally.criterion
    means: Any = conversation_scores(frame, criterion, judge)
    lines = [line for name in tally.judges() for line in _lines(frame if name == judge else tally.frame(name), name)]
    score = _line(criterion, means)
    groups = {
        column: [_line(str(name), part) for name, part in means[means[column] != ""].groupby(column, sort=False)]
        for column in ("persona_name", "kind")
    }
    summary = summarise(frame, tally.ended, judge)
    lowest = _lowest(tally, frame, means)
    return RunTotals(
        summary,
        score,
        lines,
        groups["persona_name"],
        groups["kind"],
        tally.invalid,
        lowest,
        [conversation.status for conversation in tally.ended],
    )


def _lines(frame: pd.DataFrame, judge: str) -> list[tuple[str, SummaryRow]]:
    """The mean of each criterion of a judge."""
    return [
        (judge, _line(criterion, conversation_scores(frame, criterion, judge)))
        for criterion in criteria_of(frame, judge)
    ]


def _line(name: str, scores: Any) -> SummaryRow:
    score = mean_of(name, scores)
    return SummaryRow(name, score.mean, score.n, score.interval) if score else SummaryRow(name, None, 0, None)


def _lowest(tally: RunTally, frame: Any, means: Any) -> list[WeakScenario]:
    """The scenarios with an answer below the pass mark by score, the worst first."""
    if tally.line is None:
        return []
    criterion_rows = frame[(frame["judge"] == tally.judge) & (frame["criterion"] == tally.criterion)]
    counts = criterion_rows[criterion_rows["value"] < tally.line - 1e-9].groupby("scenario").size()
    conversations = [
        WeakScenario(
            str(name), str(part["question"].iloc[0]), float(part["score"].mean()), len(part), int(counts.get(name, 0))
        )
        for name, part in means.dropna(subset=["score"]).groupby("scenario", sort=False)
    ]
    return sorted(
        (conversation for conversation in conversations if conversation.failures),
        key=lambda conversation: conversation.score,
    )
