"""The figures of a run in little room: a few bytes for each verdict, each word but once."""

from __future__ import annotations

from array import array
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
GIVEN = ("decision", "judge", "criterion")
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

    def column(self, at: Any = None) -> Any:
        """The cells, or those at these places, as categories in order of the alphabet."""
        words = sorted(self.known)
        rank = numbers.empty(len(words), "int32")
        rank[[self.known[word] for word in words]] = numbers.arange(len(words))
        codes = numbers.array(self.codes, "int32")
        codes = rank[codes if at is None else codes[at]]
        return frames.Categorical.from_codes(codes, categories=frames.Index(words, dtype="object"))


class Figures:
    """Takes in verdicts one by one; `begin` a conversation before the verdicts on its turns."""

    def __init__(self) -> None:
        self._about = {name: _Words() for name in ABOUT}
        self._given = {name: _Words() for name in GIVEN}
        self._number, self._repeat = array("i"), array("i")
        self._place, self._turn, self._answered, self._value = array("i"), array("i"), array("b"), array("d")

    def begin(self, talk: Talk) -> None:
        """What comes next is of this conversation."""
        for name, words in self._about.items():
            words.add(str(getattr(talk, ABOUT[name])))
        self._number.append(talk.number)
        self._repeat.append(talk.repeat)

    def add(self, turn: Exchange, judge: str, criterion: str, value: float) -> None:
        """A verdict on a turn; NaN where it is unscored."""
        for words, word in zip(self._given.values(), (turn.decision, judge, criterion), strict=True):
            words.add(word)
        self._place.append(len(self._number) - 1)
        self._turn.append(turn.number)
        self._answered.append(-1 if turn.answered is None else int(turn.answered))
        self._value.append(value)

    def frame(self) -> pd.DataFrame:
        """One row per verdict (COLUMNS), in the form of `Store.score_values`."""
        at = numbers.array(self._place, "int64")
        answered = numbers.array(self._answered, "int8")
        columns: dict[str, Any] = {name: words.column(at) for name, words in self._about.items()}
        columns |= {name: words.column() for name, words in self._given.items()}
        columns["number"] = numbers.array(self._number, "int64")[at]
        columns["repeat"] = numbers.array(self._repeat, "int64")[at]
        columns["turn"] = numbers.array(self._turn, "int64")
        columns["answered"] = frames.arrays.BooleanArray(answered == 1, answered < 0)
        columns["value"] = numbers.array(self._value, "float64")
        return cast(pd.DataFrame, frames.DataFrame(columns)[list(COLUMNS)])
