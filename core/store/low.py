"""Reading what tells why turns lost points: the verdicts of a run, and the records of the low turns alone."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from sqlalchemy import String, and_, case, func, or_, select, type_coerce

from core.store.database import Database
from core.store.lasting import lasting
from core.store.look import Look
from core.store.looks import Looks
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.words import bare

AT_ONCE = 400  # ids in one question; SQLite takes 32,766 parameters, PostgreSQL 65,535
TELLING = (
    *("turn.overall", "turn.correctness", "correctness.correctness", "qa.qa", "cot_qa.cot_qa"),
    *("sufficiency.sufficiency", "groundedness.support", "groundedness.grounded", "retrieval.recall"),
    "simulated_user.simulated_user",
)
_NUMBERED = case(
    *(
        ((SCORES.c.judge == judge) & (SCORES.c.criterion == criterion), place)
        for place, (judge, criterion) in enumerate(name.split(".") for name in TELLING)
    ),
    else_=-1,
)
LABELLED = ("simulated_user",)  # judges whose label tells more than the value: of others it is not read
_ABOUT = ("scenario_id", "persona_id", "persona_name", "kind", "question", "scenario")
_SAID = ("number", "user_text", "reply_text", "decision", "answered", "query")


class Verdict(NamedTuple):
    """One turn's verdict by one judge in its widest version; value: the mean where it was given several times."""

    value: float
    label: str


class Judged(NamedTuple):
    """A turn's verdicts by "judge.criterion"; asked: whether it asked back."""

    asked: bool
    given: dict[str, Verdict]


class LowRow(NamedTuple):
    """A turn with its conversation as the database has it; record, sample: JSON, or none."""

    turn: int
    conversation: str
    conversation_number: int
    about: dict[str, Any]
    said: dict[str, Any]
    record: str | None
    sample: str | None


class Before(NamedTuple):
    """What was said in a turn, and whether the bot asked back ("ask")."""

    number: int
    turn: int
    user_text: str
    reply_text: str
    decision: str


class LowTables:
    """The part of the store that tells where points were lost."""

    db: Database
    _looks: Looks

    def verdicts(self, run_id: str, scenarios: Sequence[str] = ()) -> dict[int, Judged]:
        """The verdicts on each turn of the criteria that tell a cause, of each judge the widest version.

        A turn that was taken and that no judge could score is there without any. scenarios: only theirs.
        """
        look = self._looks.at(run_id)
        judges = {name.partition(".")[0] for name in TELLING}
        there = {(one.judge, one.version) for one in look.verdicts if one.judge in judges}
        if len(there) > len({judge for judge, _ in there}):
            return self._of_versions(run_id, scenarios)
        found = _turns(look, self._broken(run_id), scenarios)
        for judge, version in sorted(there):
            labels = self._labels(run_id, judge, version) if judge in LABELLED else {}
            for criterion, marks, values in look.scored(judge, version):
                if (name := f"{judge}.{criterion}") in TELLING:
                    _give(found, name, zip(marks, values, strict=True), labels)
        return found

    @lasting
    def _broken(self, run_id: str) -> set[int]:
        """The turns that the bot could not take."""
        joined = CONVERSATIONS.join(TURNS)
        wanted = select(TURNS.c.id).select_from(joined).where(CONVERSATIONS.c.run_id == run_id, TURNS.c.error != "")
        with self.db.read() as connection:
            return {int(mark) for mark in connection.execute(wanted).scalars()}

    @lasting
    def _labels(self, run_id: str, judge: str, version: str) -> dict[int, str]:
        """What a judge called the turns that it did not find right, by the turn."""
        joined = CONVERSATIONS.join(TURNS).join(SCORES)
        bad = (SCORES.c.judge == judge) & (SCORES.c.version == version) & (SCORES.c.value < 1)
        wanted = (
            select(SCORES.c.turn_id, _plain("label")).select_from(joined).where(CONVERSATIONS.c.run_id == run_id, bad)
        )
        with self.db.read() as connection:
            return {int(turn): str(label) for turn, label in connection.execute(wanted.order_by(SCORES.c.id))}

    @lasting
    def _of_versions(self, run_id: str, scenarios: Sequence[str]) -> dict[int, Judged]:
        """`verdicts` where a judge scored in several versions: each score is read, to see which is the widest."""
        joined = CONVERSATIONS.join(TURNS)
        mine = CONVERSATIONS.c.run_id == run_id
        if scenarios:
            mine &= CONVERSATIONS.c.scenario_id.in_(scenarios)
        there = select(TURNS.c.id, TURNS.c.decision == "ask").select_from(joined).where(mine, TURNS.c.error == "")
        columns = (SCORES.c.turn_id, _NUMBERED, _plain("version"), SCORES.c.value, _plain("label"), SCORES.c.id)
        wanted = (
            select(*columns)
            .select_from(joined.join(SCORES))
            .where(mine, SCORES.c.value.is_not(None), or_(*map(_is, TELLING)))
        )
        with self.db.read() as connection:
            found = {int(mark): Judged(bool(asked), {}) for mark, asked in connection.execute(there).all()}
            rows = connection.execute(wanted).all()
        for turn, name, verdict in _widest(rows):
            if turn in found:
                found[turn].given[name] = verdict
        return found

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

    @lasting
    def low_rows(self, turns: Sequence[int]) -> list[LowRow]:
        """These turns with all that was kept of them."""
        columns = (
            *(TURNS.c.id, CONVERSATIONS.c.id, CONVERSATIONS.c.number),
            *(bare(CONVERSATIONS.c[name], self.db.engine.dialect.name) for name in _ABOUT),
            *(TURNS.c[name] for name in (*_SAID, "record", "sample")),
        )
        wanted = select(*columns).select_from(CONVERSATIONS.join(TURNS)).order_by(TURNS.c.id)
        found: list[LowRow] = []
        read = cache(json.loads)  # a scenario is asked by several people
        with self.db.read() as connection:
            for some in _cut(turns):
                found += [_low(tuple(row), read) for row in connection.execute(wanted.where(TURNS.c.id.in_(some)))]
        return found

    @lasting
    def said_in(self, conversations: Iterable[str]) -> dict[str, list[Before]]:
        """What was said in these conversations, turn by turn."""
        columns = [TURNS.c[name] for name in ("conversation_id", "number", "id", "user_text", "reply_text", "decision")]
        found: dict[str, list[Before]] = defaultdict(list)
        with self.db.read() as connection:
            for some in _cut(sorted(set(conversations))):
                wanted = select(*columns).where(TURNS.c.conversation_id.in_(some)).order_by(TURNS.c.number)
                for mark, *rest in connection.execute(wanted):
                    found[str(mark)].append(Before(*rest))
        return found

    @lasting
    def newest_score(self) -> int:
        """The number of the verdict stored last: what was computed from verdicts holds while it stays the same."""
        with self.db.read() as connection:
            return int(connection.execute(select(func.max(SCORES.c.id))).scalar() or 0)


def _turns(look: Look, broken: set[int], scenarios: Sequence[str]) -> dict[int, Judged]:
    """The turns that the bot took, without verdicts."""
    turns, talks = cast(Any, look.turns), cast(Any, look.talks)
    if scenarios:
        turns = turns[talks["scenario"].isin(scenarios).to_numpy()[turns["place"]]]
    asked = zip(turns["id"].tolist(), (turns["decision"] == "ask").tolist(), strict=True)
    return {mark: Judged(ask, {}) for mark, ask in asked if mark not in broken}


def _give(found: dict[int, Judged], name: str, scored: Iterable[tuple[int, float]], labels: Mapping[int, str]) -> None:
    """Add the verdicts to the turns; equal ones are one object, since there are hundreds of thousands."""
    same: dict[tuple[float, str], Verdict] = {}
    for turn, value in scored:
        if turn in found:
            told = value, labels.get(turn, "")
            if told not in same:
                same[told] = Verdict(*told)
            found[turn].given[name] = same[told]


def _plain(name: str) -> Any:
    """A column of verdicts as it is stored: what judges are called and say in a label holds no odd character."""
    return type_coerce(SCORES.c[name], String)


def _is(name: str) -> Any:
    judge, _, criterion = name.partition(".")
    return and_(SCORES.c.judge == judge, SCORES.c.criterion == criterion)


def _widest(rows: Sequence[Any]) -> Iterable[tuple[int, str, Verdict]]:
    """(turn, name, verdict) of each judge's version that saw the most turns, the newest of equals.

    rows: turn, place of the name in TELLING, version, value, label, the score's id.
    """
    widest = _versions(rows)
    given: dict[tuple[int, int], Verdict] = {}
    again: dict[tuple[int, int], list[float]] = {}
    for turn, place, version, value, label, _ in rows:
        if version == widest[place]:
            key = turn, place
            if key in given:
                again.setdefault(key, [given[key].value]).append(value)
            given[key] = Verdict(value, label)
    for key, values in again.items():
        given[key] = Verdict(sum(values) / len(values), given[key].label)
    return ((turn, TELLING[place], verdict) for (turn, place), verdict in given.items())


def _versions(rows: Sequence[Any]) -> list[str]:
    """For each place in TELLING the version of its judge that counts; turns are counted only where there are several."""
    judges = [name.partition(".")[0] for name in TELLING]
    there: set[tuple[str, str]] = {(judges[row[1]], str(row[2])) for row in rows}
    names = [judge for judge, _ in there]
    several = {pair for pair in there if names.count(pair[0]) > 1}
    seen: dict[tuple[str, str], set[int]] = defaultdict(set)
    newest: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows if several else ():
        turn, pair, mark = int(row[0]), (judges[int(row[1])], str(row[2])), int(row[5])
        if pair in several:
            seen[pair].add(turn)
            newest[pair] = max(newest[pair], mark)

    def width(pair: tuple[str, str]) -> tuple[int, int]:
        return len(seen[pair]), newest[pair]

    widest = dict(sorted(there, key=width))
    return [widest.get(judge, "") for judge in judges]


def _low(row: tuple[Any, ...], read: Callable[[str], Any]) -> LowRow:
    turn, conversation, number = row[:3]
    about, rest = row[3 : 3 + len(_ABOUT)], row[3 + len(_ABOUT) :]
    known: dict[str, Any] = dict(zip(_ABOUT, about, strict=True))
    if isinstance(known["scenario"], str):
        known["scenario"] = read(known["scenario"])
    said: dict[str, Any] = dict(zip(_SAID, rest, strict=False))
    return LowRow(turn, conversation, number, known, said, rest[-2], rest[-1])


def _cut(ids: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (ids[place : place + AT_ONCE] for place in range(0, len(ids), AT_ONCE))
