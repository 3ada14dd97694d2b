"""The numbers of a run without its texts, read in lean queries and kept in memory until something in the run changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from sqlalchemy import func, select

from core.store.database import Database
from core.store.lean import numbers_of, rows_of
from core.store.looked import Looked, kept
from core.store.runs import CASE, SCORES
from core.store.text_columns import bare

Table = Any
frames: Any = pd  # typed too loosely to be checked
numbers: Any = np
TABLES = 2  # tables of verdicts held for a run: some megabytes each
COLUMNS = 12  # criteria that are read in one scan
VALUE_COLUMNS = (*CASE, "turn", "decision", "answered", "judge", "criterion", "value", "version")


class Look(Looked):
    """A run as it was when it was looked at, with its verdicts; frames that it gives must not be changed."""

    def __init__(self, db: Database, run_id: str) -> None:
        super().__init__(db, run_id)
        self._marks: dict[tuple[str, str], tuple[Table, Table]] = {}
        self._tables: dict[Hashable, pd.DataFrame] = {}

    def values(self, versions: Mapping[str, str] | None = None, judges: Iterable[str] | None = None) -> pd.DataFrame:
        """One row per verdict, as `Store.score_frame` has them but without label, reasons and error, words as categories.

        `value` is NaN where a verdict is unscored, and `version` is "" where the judge never saw the turn. Several
        verdicts of one version on one turn and criterion (`scores.repeat`) are one row, their mean.
        judges: only these (default: all of the run); the fewer, the quicker.
        """
        with self._lock:
            chosen, order = self._chosen(versions or {}), self.judges()
            some = None if judges is None else set(judges)
            wanted = [name for name in order if some is None or name in some]
            key = tuple((name, chosen.get(name, "")) for name in wanted)
            return kept(self._tables, key, lambda: self._values(key), TABLES)

    def _values(self, judges: Sequence[tuple[str, str]]) -> pd.DataFrame:
        """The verdicts of these judges, each in a version."""
        parts = [part for name, version in judges for part in self._judge(name, version)]
        return self._whole(parts, [name for name, _ in judges])

    def means(self, told: tuple[tuple[str, str, str], ...]) -> Table:
        """Means of criteria of judges' versions (judge, version, criterion): turns x criteria, NaN where there is none."""
        cuts = [told[at : at + COLUMNS] for at in range(0, len(told), COLUMNS)] or [told]
        return self.found(("means", told), lambda: numbers.hstack([self._means(some) for some in cuts]))

    def _means(self, told: Sequence[tuple[str, str, str]]) -> Table:
        ids = frames.Index(cast(Table, self.turns)["id"])
        found = numbers.full((len(ids), len(told)), numbers.nan)
        if told:
            columns = [func.avg(SCORES.c.value).filter(_is(*one)) for one in told]
            mine = SCORES.c.judge.in_({judge for judge, _, _ in told})
            wanted = self.near(select(SCORES.c.turn_id, *columns), SCORES.c.turn_id).where(mine)
            rows = numbers_of(self._db, wanted.group_by(SCORES.c.turn_id), 1 + len(told))
            at = ids.get_indexer(rows[:, 0].astype("int64"))
            found[at[at >= 0]] = rows[at >= 0, 1:]
        return found

    def labels(self, judge: str, version: str, criterion: str) -> Sequence[Any]:
        """(turn's id, label) of each verdict that has a value; some of other runs', too."""
        given = select(SCORES.c.turn_id, bare(SCORES.c.label, self._db.engine.dialect.name))
        mine = (SCORES.c.judge == judge) & (SCORES.c.version == version) & (SCORES.c.criterion == criterion)
        return rows_of(self._db, self.near(given, SCORES.c.turn_id).where(mine, SCORES.c.value.is_not(None)))

    def _judge(self, judge: str, version: str) -> list[tuple[Any, ...]]:
        """(judge's name, criteria, rows, values, version) of the turns it saw, and of those it should have seen."""
        criteria = self.criteria(judge, version)
        value, there = self._marked(judge, version, criteria)
        seen = there.any(axis=1) if criteria else numbers.zeros(len(cast(Table, self.turns)), bool)
        parts: list[tuple[Any, ...]] = []
        for place, name in enumerate(criteria):
            rows = numbers.flatnonzero(there[:, place])
            parts.append((judge, name, rows, value[rows, place], version, place))
        lost = numbers.flatnonzero(~seen)
        if len(lost) and not self._plan[1]:
            nothing = numbers.full(len(lost), numbers.nan)
            parts += [(judge, name, lost, nothing, "", at) for at, name in enumerate(criteria or ["overall"])]
        return parts

    def _marked(self, judge: str, version: str, criteria: Sequence[str]) -> tuple[Table, Table]:
        """Values (turns x criteria, NaN when unscored) and whether there is a verdict at all."""
        if (judge, version) not in self._marks:
            size = (len(cast(Table, self.turns)), len(criteria))
            value, there = numbers.full(size, numbers.nan), numbers.zeros(size, bool)
            if criteria:
                rows = self.pivot(judge, version, criteria)
                at = frames.Index(cast(Table, self.turns)["id"]).get_indexer(rows[:, 0].astype("int64"))
                rows, at = rows[at >= 0], at[at >= 0]
                value[at] = rows[:, 1:]
                there[at] = ~numbers.isnan(rows[:, 1:])
                self._unscored(judge, version, criteria, there)
            self._marks[judge, version] = value, there
        return self._marks[judge, version]

    def pivot(self, judge: str, version: str, criteria: Sequence[str]) -> Table:
        """Rows of a turn's id and the mean of each criterion (NaN: unscored, or no verdict); some of other runs', too."""
        means = [func.avg(SCORES.c.value).filter(SCORES.c.criterion == name) for name in criteria]
        wanted = self.near(select(SCORES.c.turn_id, *means), SCORES.c.turn_id).group_by(SCORES.c.turn_id)
        mine = (SCORES.c.judge == judge) & (SCORES.c.version == version)
        return numbers_of(self._db, wanted.where(mine), 1 + len(criteria))

    def _unscored(self, judge: str, version: str, criteria: Sequence[str], there: Table) -> None:
        """Mark the verdicts that have no value as there, too."""
        wanted = self.near(select(SCORES.c.turn_id, SCORES.c.criterion), SCORES.c.turn_id)
        rows = rows_of(
            self._db, wanted.where(SCORES.c.value.is_(None), SCORES.c.judge == judge, SCORES.c.version == version)
        )
        at = frames.Index(cast(Table, self.turns)["id"]).get_indexer([row.turn_id for row in rows])
        place = {name: column for column, name in enumerate(criteria)}
        for row, (_, criterion) in zip(at, rows, strict=True):
            if row >= 0 and criterion in place:
                there[row, place[criterion]] = True

    def _whole(self, parts: Sequence[tuple[Any, ...]], judges: Sequence[str]) -> pd.DataFrame:
        """The parts as one frame, by turn, judge and criterion."""
        talks, turns = cast(Table, self.talks), cast(Table, self.turns)
        sizes = [len(part[2]) for part in parts]
        row = _joined([part[2] for part in parts], "int64")
        rank = numbers.repeat(numbers.array([judges.index(part[0]) for part in parts], "int64"), sizes)
        within = numbers.repeat(numbers.array([part[5] for part in parts], "int64"), sizes)
        order = numbers.lexsort((within, rank, row))
        row = row[order]
        at = turns["place"].to_numpy()[row]
        columns: dict[str, Any] = {name: talks[name].array.take(at) for name in CASE}
        columns |= {name: turns[name].array.take(row) for name in ("turn", "decision", "answered")}
        for name, place in (("judge", 0), ("criterion", 1), ("version", 4)):
            columns[name] = _words([part[place] for part in parts], sizes).take(order)
        columns["value"] = _joined([part[3] for part in parts], "float64")[order]
        return cast(pd.DataFrame, frames.DataFrame(columns)[list(VALUE_COLUMNS)])


def _is(judge: str, version: str, criterion: str) -> Any:
    return (SCORES.c.criterion == criterion) & (SCORES.c.judge == judge) & (SCORES.c.version == version)


def _joined(arrays: Sequence[Any], kind: str) -> Any:
    return numbers.concatenate([numbers.zeros(0, kind), *arrays]).astype(kind)


def _words(words: Sequence[str], sizes: Sequence[int]) -> Any:
    """A category per part, as often as the part has rows."""
    known = list(dict.fromkeys(words))
    codes = numbers.repeat(numbers.array([known.index(word) for word in words], "int64"), sizes)
    return frames.Categorical.from_codes(codes, categories=frames.Index(known, dtype="object"))
