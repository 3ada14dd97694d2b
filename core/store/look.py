"""The numbers of a run without its texts, read in lean queries and kept in memory until something in the run changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

import numpy as np
import pandas as pd
from sqlalchemy import Integer, Select, func, select, type_coerce

from core.store.database import Database
from core.store.lean import numbers_of, rows_of
from core.store.rows import JudgeVersion
from core.store.runs import CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.turns import judge_versions, of_run
from core.store.words import bare

T = TypeVar("T")
Columns = TypeVarTuple("Columns")
Table = Any
frames: Any = pd  # typed too loosely to be checked
numbers: Any = np
FIRST = 30  # turns in which the order of a judge's criteria is looked up
FOUND = 96  # findings held for a run: charts and sums of a page, some kilobytes each
LISTS = 2  # lists of all conversations held for a run: some megabytes each
TABLES = 2  # tables of verdicts held for a run: some megabytes each
COLUMNS = 12  # criteria that are read in one scan
THIN = 2  # ids in the span of a run's turns for each of them, up to which the span is read in place of a join
_TALK = {
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
    "status": CONVERSATIONS.c.status,
    "ending": CONVERSATIONS.c.ending,
}
_WORDS = ("conversation", "scenario", "question", "kind", "persona", "persona_name", "status", "ending")
_TURN = ("id", "place", "turn", "decision", "answered")
_ABOUT = tuple(_TALK)[:8]
VALUE_COLUMNS = (*_ABOUT, "turn", "decision", "answered", "judge", "criterion", "value", "version")


class Verdict(NamedTuple):
    """What a judge in one version gives."""

    judge: str
    version: str
    criterion: str


class Look:
    """A run as it was when it was looked at; safe to share between threads. Frames that it gives must not be changed.

    talks: one row per conversation (conversation, number, scenario, question, kind, persona, persona_name, repeat,
    status, ending), by number; words are categories.
    """

    def __init__(self, db: Database, run_id: str) -> None:
        self._db, self._run_id, self._lock = db, run_id, threading.RLock()
        self._marks: dict[tuple[str, str], tuple[Table, Table]] = {}
        self._found: dict[Hashable, Any] = {}
        self._tables: dict[Hashable, pd.DataFrame] = {}
        self._lists: dict[Hashable, Any] = {}

    def found(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was found in the run, worked out once: what `make` gives for this key; it must not be changed."""
        with self._lock:
            return _kept(self._found, key, make, FOUND)

    def listing(self, key: Hashable, make: Callable[[], T]) -> T:
        """The same for what is large (LISTS); it must not be changed."""
        with self._lock:
            return _kept(self._lists, key, make, LISTS)

    @cached_property
    def talks(self) -> pd.DataFrame:
        """One row per conversation, by number."""
        columns = [bare(column, self._db.engine.dialect.name) for column in _TALK.values()]
        wanted = select(*columns).where(CONVERSATIONS.c.run_id == self._run_id).order_by(CONVERSATIONS.c.number)
        table = self._table(wanted, tuple(_TALK))
        return table.astype({**dict.fromkeys(_WORDS, "category"), "number": "int64", "repeat": "int64"})

    @cached_property
    def turns(self) -> pd.DataFrame:
        """One row per turn in order: id, place (of its conversation among the talks), turn, decision, answered."""
        said = type_coerce(TURNS.c.answered, Integer)
        decision = bare(TURNS.c.decision, self._db.engine.dialect.name)
        of = (TURNS.c.id, CONVERSATIONS.c.number, TURNS.c.number, decision, said)
        wanted = select(*of).select_from(CONVERSATIONS.join(TURNS)).where(CONVERSATIONS.c.run_id == self._run_id)
        table = self._table(wanted, _TURN)
        places = frames.Index(cast(Table, self.talks)["number"])
        table["place"] = places.get_indexer(table["place"].astype("int64"))
        table = table[table["place"] >= 0].sort_values(["place", "turn"], kind="stable").reset_index(drop=True)
        return table.astype({"id": "int64", "turn": "int64", "decision": "category", "answered": "boolean"})

    @property
    def decisions(self) -> pd.DataFrame:
        """One row per turn: conversation, turn, decision ("ask", "search", "" where no bot of ours decided)."""
        turns = cast(Table, self.turns)
        talk = cast(Table, self.talks)["conversation"].array.take(turns["place"].to_numpy())
        return cast(pd.DataFrame, turns[["turn", "decision"]].assign(conversation=talk))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every judge, version and criterion that there is."""
        wanted = select(SCORES.c.judge, SCORES.c.version, SCORES.c.criterion).distinct()
        return tuple(sorted(Verdict(*row) for row in rows_of(self._db, of_run(wanted, self._run_id))))

    @cached_property
    def versions(self) -> tuple[JudgeVersion, ...]:
        """The versions of judges that scored in more than one, the newest first."""
        pairs = dict.fromkeys((one.judge, one.version) for one in self.verdicts)
        judges = [judge for judge, _ in pairs]
        several = [pair for pair in pairs if judges.count(pair[0]) > 1]
        return tuple(judge_versions(self._db, self._run_id, several))

    @property
    def judged(self) -> tuple[JudgeVersion, ...]:
        """Every judge and version; turns are counted only where a judge scored in several (else 0)."""
        known = {(one.judge, one.version): one for one in self.versions}
        pairs = dict.fromkeys((one.judge, one.version) for one in self.verdicts)
        return tuple(known.get(pair) or JudgeVersion(judge=pair[0], version=pair[1], turns=0) for pair in pairs)

    @cached_property
    def _plan(self) -> tuple[tuple[str, ...], bool]:
        """The judges that the run was planned with, and whether it is still going on."""
        for run in rows_of(self._db, select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == self._run_id)):
            return tuple(run.plan.get("judges", ())), run.status == "running"
        return (), False

    def judges(self) -> list[str]:
        """The judges of the run in order: those it was planned with, then those that came later."""
        planned = list(dict.fromkeys(self._plan[0]))
        later = sorted({one.judge for one in self.verdicts} - set(planned))
        if len(later) > 1:
            pairs = {(one.judge, one.version) for one in self.verdicts if one.judge in later}
            widest = _by_width(judge_versions(self._db, self._run_id, pairs))
            later = list(dict.fromkeys(one.judge for one in widest))
        return [*planned, *later]

    def headlines(self) -> dict[str, tuple[str, str]]:
        """Of each judge, in order, the criterion that stands for it (Overall, else its first) and the version that counts."""
        with self._lock:
            chosen = self._chosen({})
            return {name: self._headline(name, chosen.get(name, "")) for name in self.judges()}

    def _headline(self, judge: str, version: str) -> tuple[str, str]:
        criteria = self.criteria(judge, version)
        return ("overall" if "overall" in criteria or not criteria else criteria[0]), version

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
            return _kept(self._tables, key, lambda: self._values(key), TABLES)

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

    def _chosen(self, versions: Mapping[str, str]) -> dict[str, str]:
        """The version of each judge that counts: the one asked for, else the newest of the widest."""
        only = {one.judge: one.version for one in self.verdicts}
        return {**only, **{one.judge: one.version for one in _by_width(self.versions)}, **versions}

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

    def criteria(self, judge: str, version: str) -> list[str]:
        """The criteria of a judge in the order in which it gives them."""
        names = {one.criterion for one in self.verdicts if (one.judge, one.version) == (judge, version)}
        first = [int(mark) for mark in cast(Table, self.turns)["id"].head(FIRST)]
        wanted = select(SCORES.c.turn_id, SCORES.c.id, SCORES.c.criterion).where(
            SCORES.c.turn_id.in_(first), SCORES.c.judge == judge, SCORES.c.version == version
        )
        rows = sorted(rows_of(self._db, wanted), key=lambda row: (first.index(row.turn_id), row.id))
        told = dict.fromkeys(str(row.criterion) for row in rows)
        return [*(name for name in told if name in names), *sorted(names - set(told))]

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

    def near(self, wanted: Select[*Columns], turn: Any) -> Select[*Columns]:
        """Of turns or scores by the turn's id: the run's, and maybe others among them (one span of an index is quicker)."""
        ids = cast(Table, self.turns)["id"]
        if len(ids) and ids.max() - ids.min() < THIN * len(ids):
            return wanted.where(turn.between(int(ids.min()), int(ids.max())))
        joined = CONVERSATIONS.join(TURNS)
        joined = joined if turn.table is TURNS else joined.join(SCORES)
        return wanted.select_from(joined).where(CONVERSATIONS.c.run_id == self._run_id)

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
        columns: dict[str, Any] = {name: talks[name].array.take(at) for name in _ABOUT}
        columns |= {name: turns[name].array.take(row) for name in ("turn", "decision", "answered")}
        for name, place in (("judge", 0), ("criterion", 1), ("version", 4)):
            columns[name] = _words([part[place] for part in parts], sizes).take(order)
        columns["value"] = _joined([part[3] for part in parts], "float64")[order]
        return cast(pd.DataFrame, frames.DataFrame(columns)[list(VALUE_COLUMNS)])

    def _table(self, wanted: Select[*tuple[Any, ...]], columns: Sequence[str]) -> Table:
        rows = rows_of(self._db, wanted)
        return frames.DataFrame({name: list(map(itemgetter(at), rows)) for at, name in enumerate(columns)})


def _is(judge: str, version: str, criterion: str) -> Any:
    return (SCORES.c.criterion == criterion) & (SCORES.c.judge == judge) & (SCORES.c.version == version)


def _kept(known: dict[Hashable, T], key: Hashable, make: Callable[[], T], most: int) -> T:
    """What is known for the key, else what `make` gives; of all that is known, the `most` used last stay."""
    known[key] = found = known.pop(key) if key in known else make()
    while len(known) > most:
        known.pop(next(iter(known)))
    return found


def _by_width(versions: Sequence[JudgeVersion]) -> list[JudgeVersion]:
    """Those that saw the most turns last, the newest of equals last (`versions` has the newest first)."""
    oldest_first = versions[::-1]
    return sorted(oldest_first, key=lambda one: one.turns)


def _joined(arrays: Sequence[Any], kind: str) -> Any:
    return numbers.concatenate([numbers.zeros(0, kind), *arrays]).astype(kind)


def _words(words: Sequence[str], sizes: Sequence[int]) -> Any:
    """A category per part, as often as the part has rows."""
    known = list(dict.fromkeys(words))
    codes = numbers.repeat(numbers.array([known.index(word) for word in words], "int64"), sizes)
    return frames.Categorical.from_codes(codes, categories=frames.Index(known, dtype="object"))
