"""What a run has, without its texts: conversations, turns, and who judged them; read in lean queries."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, TypeVarTuple, cast

import pandas as pd
from sqlalchemy import Integer, Select, select, type_coerce

from core.store.database import Database
from core.store.lean import rows_of
from core.store.records import JudgeVersion
from core.store.runs import CASE, CONVERSATIONS, RUNS, SCORES, TURNS
from core.store.text_columns import bare
from core.store.turns import judge_versions, of_run

T = TypeVar("T")
Columns = TypeVarTuple("Columns")
Table = Any
frames: Any = pd  # typed too loosely to be checked
FIRST = 30  # turns in which the order of a judge's criteria is looked up
FOUND = 96  # findings held for a run: charts and sums of a page, some kilobytes each
LISTS = 2  # lists of all conversations held for a run: some megabytes each
THIN = 2  # ids in the span of a run's turns for each of them, up to which the span is read in place of a join
_TALK = {**CASE, "status": CONVERSATIONS.c.status, "ending": CONVERSATIONS.c.ending}
_WORDS = ("conversation", "scenario", "question", "kind", "persona", "persona_name", "status", "ending")
_TURN = ("id", "place", "turn", "decision", "answered")


class Verdict(NamedTuple):
    """What a judge in one version gives."""

    judge: str
    version: str
    criterion: str


class Looked:
    """A run as it was when it was looked at; safe to share between threads. Frames that it gives must not be changed.

    talks: one row per conversation (conversation, number, scenario, question, kind, persona, persona_name, repeat,
    status, ending), by number; words are categories.
    """

    def __init__(self, db: Database, run_id: str) -> None:
        self._db, self._run_id, self._lock = db, run_id, threading.RLock()
        self._found: dict[Hashable, Any] = {}
        self._lists: dict[Hashable, Any] = {}

    def found(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was found in the run, worked out once: what `make` gives for this key; it must not be changed."""
        with self._lock:
            return kept(self._found, key, make, FOUND)

    def listing(self, key: Hashable, make: Callable[[], T]) -> T:
        """The same for what is large (LISTS); it must not be changed."""
        with self._lock:
            return kept(self._lists, key, make, LISTS)

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

    def _chosen(self, versions: Mapping[str, str]) -> dict[str, str]:
        """The version of each judge that counts: the one asked for, else the newest of the widest."""
        only = {one.judge: one.version for one in self.verdicts}
        return {**only, **{one.judge: one.version for one in _by_width(self.versions)}, **versions}

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

    def near(self, wanted: Select[*Columns], turn: Any) -> Select[*Columns]:
        """Of turns or scores by the turn's id: the run's, and maybe others among them (one span of an index is quicker)."""
        ids = cast(Table, self.turns)["id"]
        if len(ids) and ids.max() - ids.min() < THIN * len(ids):
            return wanted.where(turn.between(int(ids.min()), int(ids.max())))
        joined = CONVERSATIONS.join(TURNS)
        joined = joined if turn.table is TURNS else joined.join(SCORES)
        return wanted.select_from(joined).where(CONVERSATIONS.c.run_id == self._run_id)

    def _table(self, wanted: Select[*tuple[Any, ...]], columns: Sequence[str]) -> Table:
        rows = rows_of(self._db, wanted)
        return frames.DataFrame({name: list(map(itemgetter(at), rows)) for at, name in enumerate(columns)})


def kept(known: dict[Hashable, T], key: Hashable, make: Callable[[], T], most: int) -> T:
    """What is known for the key, else what `make` gives; of all that is known, the `most` used last stay."""
    known[key] = found = known.pop(key) if key in known else make()
    while len(known) > most:
        known.pop(next(iter(known)))
    return found


def _by_width(versions: Sequence[JudgeVersion]) -> list[JudgeVersion]:
    """Those that saw the most turns last, the newest of equals last (`versions` has the newest first)."""
    oldest_first = versions[::-1]
    return sorted(oldest_first, key=lambda one: one.turns)
