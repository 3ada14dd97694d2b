"""Reading what tells why turns lost points: the numbers of a run, and texts and records of those turns that ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from sqlalchemy import String, and_, func, or_, select, type_coerce

from core.store.database import Database
from core.store.lean import rows_of
from core.store.look import Look
from core.store.looks import Looks
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.spans import texts_of
from core.store.text_columns import bare, dump_json
from core.store.turns import of_run

AT_ONCE = 400  # names in one question; SQLite takes 32,766 parameters, PostgreSQL 65,535
USER = "simulated_user.simulated_user"
TELLING: tuple[str, ...] = (
    *("turn.overall", "turn.correctness", "correctness.correctness", "qa.qa", "cot_qa.cot_qa"),
    *("sufficiency.sufficiency", "groundedness.support", "groundedness.grounded", "retrieval.recall"),
    USER,
)
LABELLED = USER.partition(".")[0]  # the judge whose label tells more than the value: of others it is not read
_TALK = ("number", "id", "scenario_id", "kind", "persona_id", "persona_name", "scenario")
numbers: Any = np
Values = tuple[float | None, ...]


class Taken(NamedTuple):
    """A turn of the conversation `talk` (its number). broken: the bot could not take it, nothing is judged; values: what
    judges gave in the order of TELLING, none where a judge gave nothing."""

    turn: int
    talk: int
    number: int
    decision: str
    answered: bool | None
    broken: bool
    values: Values


class Judged(NamedTuple):
    """The turns of a run by conversation, as they came; labels: of turns that the judge LABELLED did not find right."""

    turns: list[Taken]
    labels: Mapping[int, str]


class Talk(NamedTuple):
    """A conversation; scenario: JSON, maybe "null"."""

    number: int
    id: str
    scenario_id: str
    kind: str
    persona_id: str
    persona_name: str
    scenario: str


class LowTables:
    """The part of the store that tells where points were lost."""

    db: Database
    _looks: Looks

    def verdicts(self, run_id: str, scenarios: Sequence[str] = ()) -> Judged:
        """The turns with the verdicts of the criteria that tell a cause, of each judge the widest version.

        scenarios: only theirs.
        """
        look = self._looks.at(run_id)
        judges = {name.partition(".")[0] for name in TELLING}
        there = sorted({(one.judge, one.version) for one in look.verdicts if one.judge in judges})
        chosen = dict(there)
        if len(there) > len(chosen):
            chosen = self._widest_versions(run_id, scenarios)
        criteria = {(one.judge, one.criterion) for one in look.verdicts}
        names = [(name, *name.split(".")) for name in TELLING]
        told = {
            name: (judge, chosen[judge], one)
            for name, judge, one in names
            if judge in chosen and (judge, one) in criteria
        }
        means = look.means(tuple(told.values()))
        given = dict(zip(told, means.T, strict=True))
        bad: list[int] = cast(Any, look.turns)["id"][given[USER] < 1].tolist() if USER in given else []
        labels = self._labels(bad, chosen[LABELLED]) if bad else dict[int, str]()
        return Judged(_taken(look, scenarios, self._broken(look), given), labels)

    def _broken(self, look: Look) -> set[int]:
        """The turns that the bot could not take, maybe with some of other runs."""
        return {
            int(row.id)
            for row in rows_of(self.db, look.near(select(TURNS.c.id), TURNS.c.id).where(TURNS.c.error != ""))
        }

    def _labels(self, turns: Sequence[int], version: str) -> dict[int, str]:
        """What the judge LABELLED called these turns, by the turn: of several words the last that was not good."""
        of = (SCORES.c.judge == LABELLED) & (SCORES.c.version == version) & (SCORES.c.value < 1)
        wanted = select(SCORES.c.turn_id, _plain("label")).where(of).order_by(SCORES.c.id)
        cuts = (rows_of(self.db, wanted.where(SCORES.c.turn_id.in_(some))) for some in _cut(turns))
        return {int(turn): str(label) for rows in cuts for turn, label in rows}

    def _widest_versions(self, run_id: str, scenarios: Sequence[str]) -> dict[str, str]:
        """Of each judge the version that scored the most turns, the newest of equals."""
        size = func.count(SCORES.c.turn_id.distinct()), func.max(SCORES.c.id)
        wanted = of_run(select(SCORES.c.judge, SCORES.c.version, *size), run_id)
        wanted = wanted.where(SCORES.c.value.is_not(None), or_(*map(_is, TELLING)))
        if scenarios:
            wanted = wanted.where(CONVERSATIONS.c.scenario_id.in_(scenarios))
        rows = rows_of(self.db, wanted.group_by(SCORES.c.judge, SCORES.c.version))
        return {str(row[0]): str(row[1]) for row in sorted(rows, key=lambda row: (row[2], row[3]))}

    @lasting
    def scored_scenarios(self, run_id: str, scenarios: Sequence[str]) -> dict[str, bool]:
        """Those of the scenarios that were talked through in a run, and whether a turn of each was scored."""
        found: dict[str, bool] = {}
        known = SCORES.c.value.is_not(None) & or_(*map(_is, TELLING))
        wanted = (
            select(CONVERSATIONS.c.scenario_id, func.count(SCORES.c.id))
            .select_from(CONVERSATIONS.join(TURNS).outerjoin(SCORES, (SCORES.c.turn_id == TURNS.c.id) & known))
            .group_by(CONVERSATIONS.c.scenario_id)
        )
        with self.db.read() as connection:
            for some in _cut(scenarios):
                mine = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.scenario_id.in_(some)
                found |= {str(name): count > 0 for name, count in connection.execute(wanted.where(mine))}
        return found

    def talks_of(self, run_id: str, first: int, last: int) -> dict[int, Talk]:
        """The conversations of a run by their numbers, from one number to another."""
        dialect = self.db.engine.dialect.name
        mine = (CONVERSATIONS.c.run_id == run_id) & CONVERSATIONS.c.number.between(first, last)
        rows = rows_of(self.db, select(*(bare(CONVERSATIONS.c[name], dialect) for name in _TALK)).where(mine))
        return {row[0]: Talk(*map(_json, row)) for row in rows}

    def texts(self, turns: Iterable[int], *columns: str) -> dict[int, Any]:
        """Some columns of these turns by their ids: rows of (id, column, …); those that are still there."""
        return {int(row[0]): row for row in texts_of(self.db, turns, *columns)}

    @lasting
    def newest_score(self) -> int:
        """The number of the verdict stored last: what was computed from verdicts holds while it stays the same."""
        with self.db.read() as connection:
            return int(connection.execute(select(func.max(SCORES.c.id))).scalar() or 0)


def _taken(look: Look, scenarios: Sequence[str], broken: set[int], given: Mapping[str, Any]) -> list[Taken]:
    """The turns of a run by conversation; given: the values by their names, as many as there are turns."""
    turns, talks = cast(Any, look.turns), cast(Any, look.talks)
    rows = numbers.arange(len(turns))
    if scenarios:
        rows = rows[talks["scenario"].isin(scenarios).to_numpy()[turns["place"]]]
    turns = turns.iloc[rows]
    empty = [None] * len(rows)
    same: dict[Values, Values] = {}  # most turns are judged like others: one object for all of them
    told_of = zip(*(_or_none(given[name][rows]) if name in given else empty for name in TELLING), strict=True)
    values = (same.setdefault(one, one) for one in told_of)
    ids = turns["id"].tolist()
    of = talks["number"].to_numpy()[turns["place"]].tolist()
    answered = turns["answered"].to_numpy(dtype=object, na_value=None).tolist()
    told = (one in broken for one in ids)
    return list(map(Taken, ids, of, turns["turn"].tolist(), turns["decision"].tolist(), answered, told, values))


def _json(cell: Any) -> Any:
    """A cell as it is, but JSON that was read (PostgreSQL) as its text."""
    return dump_json(cast(object, cell)) if cell is None or isinstance(cell, dict) else cell


def _or_none(column: Any) -> list[float | None]:
    """Numbers, none in place of NaN."""
    return numbers.where(numbers.isnan(column), None, column).tolist()


def _plain(name: str) -> Any:
    """A column of verdicts as it is stored: what judges are called and say in a label holds no odd character."""
    return type_coerce(SCORES.c[name], String)


def _is(name: str) -> Any:
    judge, _, criterion = name.partition(".")
    return and_(SCORES.c.judge == judge, SCORES.c.criterion == criterion)


def _cut(ids: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (ids[place : place + AT_ONCE] for place in range(0, len(ids), AT_ONCE))
