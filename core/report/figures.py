"""The figures of a run in little room: a few bytes for each verdict, each word but once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from core.base.records import Exchange, Talk

ABOUT = {
    "conversation": "id",
    "scenario": "scenario_id",
    "question": "question",
    "kind": "kind",
    "persona": "persona_id",
    "persona_name": "persona_name",
}
COLUMNS = (
    *("conversation", "number", "scenario", "question", "kind", "persona", "persona_name", "repeat"),
    *("turn", "decision", "answered", "judge", "criterion", "value"),
)
frames: Any = pd  # typed too loosely to be checked
numbers: Any = np


class _Words:
    """A column of words as numbers."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.codes = array("i")

    def add(self, word: str) -> None:
        """The next cell."""
        self.codes.append(self.known.setdefault(word, len(self.known)))

    def column(self, at: Any) -> Any:
        """The cells at these places, as categories in order of the alphabet."""
        words = sorted(self.known)
        rank = numbers.empty(len(words), "int32")
        rank[[self.known[word] for word in words]] = numbers.arange(len(words))
        return _categories(rank[numbers.asarray(self.codes)[at]], words)


class Figures:
    """Takes in verdicts one by one; `begin` a conversation before its turns, and a turn before the verdicts on it."""

    def __init__(self) -> None:
        self._about = {name: _Words() for name in ABOUT}
        self._number, self._repeat = array("i"), array("i")  # of each conversation
        self._decision, self._place = _Words(), array("i")  # of each turn; place: of its conversation
        self._turn, self._answered = array("i"), array("b")
        self._given: dict[
            str, dict[str, tuple[array[int], array[float]]]
        ] = {}  # turns and values, by judge and criterion

    def begin(self, talk: Talk) -> None:
        """What comes next is of this conversation."""
        for name, words in self._about.items():
            words.add(str(getattr(talk, ABOUT[name])))
        self._number.append(talk.number)
        self._repeat.append(talk.repeat)

    def turn(self, turn: Exchange) -> None:
        """What comes next is of this turn."""
        self._decision.add(turn.decision)
        self._place.append(len(self._number) - 1)
        self._turn.append(turn.number)
        self._answered.append(-1 if turn.answered is None else int(turn.answered))

    def add(self, judge: str, criterion: str, value: float) -> None:
        """A verdict on the turn; NaN where it is unscored."""
        turns, values = self._given.setdefault(judge, {}).setdefault(criterion, (array("i"), array("d")))
        turns.append(len(self._turn) - 1)
        values.append(value)

    def judges(self) -> list[str]:
        """The judges that gave verdicts, in order of appearance."""
        return list(self._given)

    def frame(self, judge: str) -> pd.DataFrame:
        """One row per verdict of a judge (COLUMNS), in the form of `Store.score_values`."""
        given = self._given.get(judge, {})
        turns = _joined((turns for turns, _ in given.values()), "int32")
        order = turns.argsort(kind="stable")
        turns = turns[order]
        at = numbers.asarray(self._place)[turns]
        names = sorted(given)
        codes = numbers.repeat([names.index(name) for name in given], [len(turns) for turns, _ in given.values()])
        answered = numbers.asarray(self._answered)[turns]
        columns: dict[str, Any] = {name: words.column(at) for name, words in self._about.items()}
        columns |= {
            name: numbers.asarray(codes)[at] for name, codes in (("number", self._number), ("repeat", self._repeat))
        }
        columns["turn"] = numbers.asarray(self._turn)[turns]
        columns["decision"] = self._decision.column(turns)
        columns["answered"] = frames.arrays.BooleanArray(answered == 1, answered < 0)
        columns["judge"] = _categories(numbers.zeros(len(turns), "int8"), [judge])
        columns["criterion"] = _categories(codes.astype("int32")[order], names)
        columns["value"] = _joined((values for _, values in given.values()), "float64")[order]
        return cast(pd.DataFrame, frames.DataFrame(columns)[list(COLUMNS)])


def _categories(codes: Any, words: Sequence[str]) -> Any:
    return frames.Categorical.from_codes(codes, categories=frames.Index(words, dtype="object"))


def _joined(parts: Iterable[Any], kind: str) -> Any:
    return numbers.concatenate([numbers.zeros(0, kind), *parts])
