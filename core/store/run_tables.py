"""The numbers of a run without its texts, as tables in memory until something in the run changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import pandas as pd
from sqlalchemy import Column, Integer, Select, and_, func, or_, select, type_coerce

from core.store.database import Database
from core.store.main_scores import choose_versions, main_criterion, read_versions, scores_of_run
from core.store.rows import JudgeVersion
from core.store.schema import CONVERSATIONS, RUNS, SCORES, TURNS

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
RUNS_CACHED = 4  # runs in memory; each takes some megabytes at ten thousand conversations
RESULTS_CACHED = 96  # results of a run: charts and sums of a page, some kilobytes each
LARGE_CACHED = 5  # large results of a run (lists of all conversations, tables of scores): some megabytes each
FIRST_TURNS = 30  # turns in which the order of a judge's criteria is looked up
CONVERSATION_COLUMNS = {  # what tells one conversation of a run from another, by the names that tables have
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
}
_CONVERSATION = {**CONVERSATION_COLUMNS, "status": CONVERSATIONS.c.status, "ending": CONVERSATIONS.c.ending}
_WORDS = ("conversation", "scenario", "question", "kind", "persona", "persona_name", "status", "ending")


class ScoredCriterion(NamedTuple):
    """What a judge in one version scores."""

    judge: str
    version: str
    criterion: str


class RunTables:
    """A run as it was when it was read; safe to share between threads. Frames that it gives must not be changed."""

    def __init__(self, db: Database, run_id: str) -> None:
        self._db, self._run_id, self._lock = db, run_id, threading.RLock()
        self._results: dict[Hashable, Any] = {}
        self._large: dict[Hashable, Any] = {}

    def cached(self, key: Hashable, make: Callable[[], T], large: bool = False) -> T:
        """What `make` gives for this key, worked out once; it must not be changed. large: it takes megabytes."""
        known, most = (self._large, LARGE_CACHED) if large else (self._results, RESULTS_CACHED)
        with self._lock:
            return recent(known, key, make, most)

    @cached_property
    def conversations(self) -> pd.DataFrame:
        """One row per conversation by number, its words as categories.

        Columns: conversation, number, scenario, question, kind, persona, persona_name, repeat, status, ending.
        """
        table = _conversations(self._db, self._run_id, _CONVERSATION)
        return table.astype({**dict.fromkeys(_WORDS, "category"), "number": "int64", "repeat": "int64"})

    @cached_property
    def turns(self) -> pd.DataFrame:
        """One row per turn in order: id, place (of its conversation in `conversations`), turn, decision, answered."""
        answered = type_coerce(TURNS.c.answered, Integer)
        columns = (TURNS.c.id, CONVERSATIONS.c.number, TURNS.c.number, TURNS.c.decision, answered)
        statement = select(*columns).select_from(CONVERSATIONS.join(TURNS))
        rows = self._db.rows(statement.where(CONVERSATIONS.c.run_id == self._run_id))
        table = frame_of(rows, ("id", "place", "turn", "decision", "answered"))
        table["place"] = pd.Index(self.conversations["number"]).get_indexer(pd.Index(table["place"].astype("int64")))
        table = table[table["place"] >= 0].sort_values(["place", "turn"], kind="stable").reset_index(drop=True)
        return table.astype({"id": "int64", "turn": "int64", "decision": "category", "answered": "boolean"})

    @property
    def decisions(self) -> pd.DataFrame:
        """One row per turn: conversation, turn, decision ("ask", "search", "" if no bot of ours decided)."""
        conversation = self.conversations["conversation"].array.take(self.turns["place"].to_numpy())
        return self.turns[["turn", "decision"]].assign(conversation=conversation)

    @cached_property
    def failed_turns(self) -> frozenset[int]:
        """The ids of the turns that the bot could not take."""
        statement = select(TURNS.c.id).select_from(CONVERSATIONS.join(TURNS)).where(TURNS.c.error != "")
        return frozenset(self._db.column(statement.where(CONVERSATIONS.c.run_id == self._run_id)))

    @cached_property
    def criteria(self) -> tuple[ScoredCriterion, ...]:
        """Every judge, version and criterion that there is."""
        statement = select(SCORES.c.judge, SCORES.c.version, SCORES.c.criterion).distinct()
        return tuple(sorted(ScoredCriterion(*row) for row in self._db.rows(scores_of_run(statement, self._run_id))))

    @cached_property
    def versions(self) -> tuple[JudgeVersion, ...]:
        """Every judge and version that scored the run; of each judge the one that counts is the last."""
        return tuple(read_versions(self._db, self._run_id))

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges of the run in order: those it was planned with, then those that came later."""
        planned, _ = self._plan
        return tuple(dict.fromkeys((*planned, *(one.judge for one in self.versions))))

    @property
    def going_on(self) -> bool:
        return self._plan[1]

    def chosen_versions(self, versions: Mapping[str, str] | None = None) -> dict[str, str]:
        """The version of each judge that counts (`core.store.main_scores`), or the one in `versions`."""
        return {**choose_versions(self.versions), **(versions or {})}

    def main_criteria(self) -> dict[str, tuple[str, str]]:
        """Of each judge, in order, the criterion that stands for it and the version that counts."""
        with self._lock:
            chosen = self.chosen_versions()
            versions = {name: chosen.get(name, "") for name in self.judges}
            return {name: (main_criterion(self.criteria_of(name, of)), of) for name, of in versions.items()}

    def criteria_of(self, judge: str, version: str) -> list[str]:
        """The criteria of a judge in the order in which it gives them."""
        names = {
            criterion.criterion
            for criterion in self.criteria
            if (criterion.judge, criterion.version) == (judge, version)
        }
        first = [int(turn) for turn in self.turns["id"].head(FIRST_TURNS)]
        statement = select(SCORES.c.turn_id, SCORES.c.id, SCORES.c.criterion).where(
            SCORES.c.turn_id.in_(first), SCORES.c.judge == judge, SCORES.c.version == version
        )
        rows = sorted(self._db.rows(statement), key=lambda row: (first.index(row[0]), row[1]))
        seen = dict.fromkeys(str(row[2]) for row in rows)
        return [*(name for name in seen if name in names), *sorted(names - set(seen))]

    def scores(self, statement: Select[*tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Rows of a query of the run's scores, with the row in `turns` in place of the turn's id, their first column.

        Scores of turns that are newer than `turns` are left out.
        """
        rows = self._db.rows(scores_of_run(statement, self._run_id))
        places = pd.Index(self.turns["id"]).get_indexer(pd.Index([row[0] for row in rows], dtype="int64")).tolist()
        return [(place, *row[1:]) for place, row in zip(places, rows, strict=True) if place >= 0]

    @cached_property
    def _plan(self) -> tuple[tuple[str, ...], bool]:
        """The judges that it was planned with, and whether it is still going on."""
        for status, plan in self._db.rows(select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == self._run_id)):
            return tuple(plan.get("judges", ())), status == "running"
        return (), False


class _Cached(NamedTuple):
    """The tables of a run, the state of the run, and the change marker of the database when that was last asked for."""

    marker: object | None
    state: object
    tables: RunTables


class TableRepository:
    """The tables of the runs that were read last; those of a run that has changed are read again."""

    def __init__(self, db: Database) -> None:
        self._db, self._lock = db, threading.Lock()
        self._cache: dict[str, _Cached] = {}

    def of_run(self, run_id: str) -> RunTables:
        """The run as it is now; its state is not asked for again while nothing at all was written."""
        marker = self._db.change_marker()  # before the state: what is written in between shows in the next one
        known = self._cache.get(run_id)
        is_unchanged = known and marker is not None and known.marker == marker
        state = known.state if known and is_unchanged else run_state(self._db, run_id)
        with self._lock:
            known = self._cache.pop(run_id, None)
            tables = known.tables if known and known.state == state else RunTables(self._db, run_id)
            recent(self._cache, run_id, lambda: _Cached(marker, state, tables), RUNS_CACHED)
        return tables

    def state(self, run_id: str) -> object:
        """What changes whenever a number of the run does."""
        self.of_run(run_id)
        known = self._cache.get(run_id)
        return known.state if known else run_state(self._db, run_id)

    def cases(self, run_id: str) -> pd.DataFrame:
        """One row per conversation by number: who, about what, how it ended (`core.analysis.compare`)."""
        columns = {"status": CONVERSATIONS.c.status, "error": CONVERSATIONS.c.error}
        return _conversations(self._db, run_id, {**CONVERSATION_COLUMNS, **columns})


def run_state(db: Database, run_id: str) -> object:
    """What changes whenever the run does: its state, its conversations' states, counts and sums of scores, and the
    reasons of the turn judged last (on SQLite a score that gives way to one as high may leave it its id)."""
    run = select(RUNS.c.status, RUNS.c.finished_at).where(RUNS.c.id == run_id)
    in_run = CONVERSATIONS.c.run_id == run_id
    states = select(CONVERSATIONS.c.status, func.count()).where(in_run).group_by(CONVERSATIONS.c.status)
    turns = select(func.count(), func.max(TURNS.c.id)).select_from(CONVERSATIONS.join(TURNS)).where(in_run)
    value = SCORES.c.value
    sums = (func.count(value), func.sum(value), func.sum(value * SCORES.c.id))  # a new score may have an old one's id
    scores = scores_of_run(select(func.count(), func.max(SCORES.c.id), *sums), run_id)
    results = [_sorted(db.rows(query)) for query in (run, states, turns, scores)]
    last = select(SCORES.c.turn_id).where(SCORES.c.id == results[-1][0][1]).scalar_subquery()
    newest = select(SCORES.c.id, SCORES.c.reasons).where(SCORES.c.turn_id == last)
    return (*results, _sorted(db.rows(newest)))


def _sorted(rows: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(sorted((tuple(row) for row in rows), key=str))


def _conversations(db: Database, run_id: str, columns: Mapping[str, Any]) -> pd.DataFrame:
    """These columns of a run's conversations, by number."""
    of_run = select(*columns.values()).where(CONVERSATIONS.c.run_id == run_id)
    return frame_of(db.rows(of_run.order_by(CONVERSATIONS.c.number)), columns)


def next_conversations(
    columns: Iterable[Column[Any]], run_id: str, after: tuple[int, str], count: int
) -> Select[*tuple[Any, ...]]:
    """The first conversations of a run that come after the one of this number and id, by number."""
    c, (number, name) = CONVERSATIONS.c, after
    comes_after = and_(c.number >= number, or_(c.number > number, c.id > name))
    return select(*columns).where(c.run_id == run_id, comes_after).order_by(c.number, c.id).limit(count)


def frame_of(rows: Sequence[Any], columns: Sequence[str] | Mapping[str, Any]) -> pd.DataFrame:
    """Rows as a frame, with columns of objects."""
    return pd.DataFrame({name: [row[at] for row in rows] for at, name in enumerate(columns)})


def recent(known: dict[K, T], key: K, make: Callable[[], T], most: int) -> T:
    """What is known for the key, else what `make` gives; of all that is known, the `most` used last stay."""
    known[key] = value = known.pop(key) if key in known else make()
    while len(known) > most:
        known.pop(next(iter(known)))
    return value
