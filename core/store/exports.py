"""Reading a whole run piece by piece, so that it can be taken away whatever its size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, RowMapping, and_, func, literal_column, or_, select

from core.base.errors import BadInput
from core.store.records import Exchange, JudgeVersion, RunRecord, Talk, Verdict
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, KEPT, RUNS, SCORES, TURNS
from core.store.scores import LOST
from core.store.turns import TurnTables

CHUNK = 200  # conversations read at a time
_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
_TALK = [_C[name] for name in Talk.__dataclass_fields__ if name != "turns"]
_TURN = [_T[name] for name in Exchange.__dataclass_fields__ if name not in ("verdicts", "record", "sample")]
_VERDICT = [_S[name] for name in Verdict.__dataclass_fields__]


class Judged(NamedTuple):
    """A judge of a run in the version that counts; while the run is going on, what it has not scored is still to come."""

    version: str
    criteria: tuple[str, ...]
    going_on: bool

    @property
    def headline(self) -> str:
        """The criterion that stands for the judge: Overall, else its first."""
        return "overall" if "overall" in self.criteria else self.criteria[0]


class ExportTables(TurnTables):
    """The part of the store that reads whole runs."""

    @lasting
    def run_record(self, run_id: str) -> RunRecord:
        """The run with its plan and snapshot; raises BadInput where there is no such run."""
        wanted = [RUNS.c[name] for name in RunRecord.__dataclass_fields__ if name != "longest"]
        longest = select(func.max(_T.number)).select_from(CONVERSATIONS.join(TURNS)).where(_C.run_id == run_id)
        with self.db.read() as connection:
            row = connection.execute(select(*wanted).where(RUNS.c.id == run_id, KEPT)).mappings().first()
            if row is None:
                told = f"There is no run {run_id!r}. See `python -m core runs` for the ids."
                raise BadInput(told, "unknown_run", id=run_id)
            return RunRecord(**row, longest=connection.execute(longest).scalar() or 0)

    def talks(
        self, run_id: str, versions: Mapping[str, str] | None = None, records: bool = False, chunk: int = CHUNK
    ) -> Iterator[Talk]:
        """The conversations of a run by number with their turns and verdicts, `chunk` of them in memory at a time.

        Of each judge one version counts, as in `score_frame`; a turn that a judge of the run has not scored is
        unscored. records: with the whole record of each turn, as JSON.
        """
        judges = self.judged(run_id, versions or {})
        after = (-1, "")
        while True:
            some = self._talks(_next(run_id, after, chunk), judges, records)
            if not some:
                return
            yield from some
            after = (some[-1].number, some[-1].id)

    @lasting
    def _talks(self, wanted: Any, judges: Mapping[str, Judged], records: bool) -> list[Talk]:
        """The conversations that are asked for, with their turns."""
        with self.db.read() as connection:
            rows = connection.execute(wanted).mappings().all()
            turns = _turns(connection, [row["id"] for row in rows], judges, records)
        fields: list[dict[str, Any]] = [{**row, "scenario": row["scenario"] or {}} for row in rows]
        return [Talk(**one, turns=tuple(turns[one["id"]])) for one in fields]

    @lasting
    def judged(self, run_id: str, versions: Mapping[str, str] | None = None) -> dict[str, Judged]:
        """The judges of a run, those of its plan first: the version of each that counts, and its criteria in order."""
        widest: dict[str, JudgeVersion] = {}
        for one in self.judge_versions(run_id):  # the newest first
            if one.judge not in widest or one.turns > widest[one.judge].turns:
                widest[one.judge] = one
        counts: dict[str, str] = {name: (versions or {}).get(name, one.version) for name, one in widest.items()}
        criteria = self._criteria(run_id, counts)
        with self.db.read() as connection:
            run = connection.execute(select(RUNS.c.status, RUNS.c.plan).where(RUNS.c.id == run_id)).first()
        planned: Sequence[str] = run.plan.get("judges", ()) if run else ()
        going_on = bool(run and run.status == "running")
        names = dict.fromkeys([*planned, *counts])
        return {name: Judged(counts.get(name, ""), criteria.get(name, ("overall",)), going_on) for name in names}

    @lasting
    def _criteria(self, run_id: str, versions: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The criteria that each judge gave, in its order."""
        wanted = (
            select(_S.judge, _S.version, _S.criterion, func.min(_S.id).label("first"))
            .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
            .where(_C.run_id == run_id)
            .group_by(_S.judge, _S.version, _S.criterion)
            .order_by(literal_column("first"))
        )
        found: dict[str, tuple[str, ...]] = {}
        with self.db.read() as connection:
            for row in connection.execute(wanted):
                if versions.get(row.judge) == row.version:
                    found[row.judge] = (*found.get(row.judge, ()), row.criterion)
        return found


def _next(run_id: str, after: tuple[int, str], chunk: int) -> Any:
    """The conversations that come after one, by number."""
    number, mark = after
    later = or_(_C.number > number, and_(_C.number == number, _C.id > mark))
    return select(*_TALK).where(_C.run_id == run_id, later).order_by(_C.number, _C.id).limit(chunk)


def _turns(
    connection: Connection, talks: Sequence[str], judges: Mapping[str, Judged], records: bool
) -> dict[str, list[Exchange]]:
    """The turns of some conversations, in order, with the verdicts that count."""
    mine = _T.conversation_id.in_(talks)
    scored = select(*_VERDICT, _S.turn_id).join(TURNS).where(mine).order_by(_S.id)
    verdicts: dict[int, list[Verdict]] = defaultdict(list)
    for row in connection.execute(scored):
        if row.judge in judges and judges[row.judge].version == row.version:
            verdicts[row.turn_id].append(Verdict(*cast(Any, row)[:-1]))
    columns = [*_TURN, *([_T.record, _T["sample"]] if records else [])]
    wanted = select(*columns, _T.id, _T.conversation_id).where(mine).order_by(_T.conversation_id, _T.number)
    found: dict[str, list[Exchange]] = defaultdict(list)
    for row in connection.execute(wanted).mappings():
        found[row["conversation_id"]].append(_exchange(row, verdicts[row["id"]], judges))
    return found


def _exchange(row: RowMapping, verdicts: Sequence[Verdict], judges: Mapping[str, Judged]) -> Exchange:
    fields: dict[str, Any] = {name: value for name, value in row.items() if name not in ("id", "conversation_id")}
    fields |= {name: fields[name] or "" for name in ("record", "sample") if name in fields}
    rank = {name: place for place, name in enumerate(judges)}
    there = {one.judge for one in verdicts}
    lost = [
        Verdict(name, criterion, None, error=LOST)
        for name, one in judges.items()
        if name not in there and not one.going_on
        for criterion in one.criteria
    ]
    return Exchange(**fields, verdicts=tuple(sorted([*verdicts, *lost], key=lambda one: rank[one.judge])))
