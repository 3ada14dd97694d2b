"""Which version of a judge counts: in a run the one that saw the most turns, the newest of equals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVarTuple

from sqlalchemy import Select, distinct, func, select

from core.store.database import Database
from core.store.rows import JudgeVersion
from core.store.schema import CONVERSATIONS, SCORES, TURNS

Columns = TypeVarTuple("Columns")


class JudgeAtVersion(NamedTuple):
    """A judge in one version."""

    name: str
    version: str


def of_run(statement: Select[*Columns], run_id: str) -> Select[*Columns]:
    """Of scores: those of a run."""
    return statement.select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(CONVERSATIONS.c.run_id == run_id)


def read_judges(db: Database, run_id: str) -> list[JudgeAtVersion]:
    """Every judge and version that scored a run."""
    return [
        JudgeAtVersion(*row) for row in db.rows(of_run(select(SCORES.c.judge, SCORES.c.version).distinct(), run_id))
    ]


def count_versions(db: Database, run_id: str, judges: Iterable[JudgeAtVersion]) -> list[JudgeVersion]:
    """How many turns of a run each of these judges saw, the newest version first."""
    versions: list[tuple[int, JudgeVersion]] = []
    for judge, version in judges:
        statement = of_run(select(func.count(distinct(SCORES.c.turn_id)), func.max(SCORES.c.id)), run_id)
        row = db.rows(statement.where(SCORES.c.judge == judge, SCORES.c.version == version))[0]
        versions.append((int(row[1] or 0), JudgeVersion(judge=judge, version=version, turns=int(row[0]))))
    return [version for _, version in sorted(versions, key=lambda pair: -pair[0])]


def by_turns_seen(versions: Sequence[JudgeVersion]) -> list[JudgeVersion]:
    """Those that saw the most turns last, the newest of equals last; `versions`: the newest first."""
    oldest_first = versions[::-1]
    return sorted(oldest_first, key=lambda version: version.turns)


def with_several(judges: Iterable[JudgeAtVersion]) -> list[JudgeAtVersion]:
    """Those that scored in more than one version: turns need to be counted only of these."""
    known = list(dict.fromkeys(judges))
    names = [judge.name for judge in known]
    return [judge for judge in known if names.count(judge.name) > 1]


def choose_versions(judges: Iterable[JudgeAtVersion], counted: Sequence[JudgeVersion]) -> dict[str, str]:
    """The version that counts of each judge; counted: the turns of those with several versions, the newest first."""
    seen_most = {version.judge: version.version for version in by_turns_seen(counted)}
    return {**{judge.name: judge.version for judge in judges}, **seen_most}


def read_versions(db: Database, run_id: str, judges: Iterable[JudgeAtVersion] | None = None) -> dict[str, str]:
    """The version that counts of each judge of a run (`choose_versions`); judges: those that scored it, if known."""
    scored_by = read_judges(db, run_id) if judges is None else list(judges)
    return choose_versions(scored_by, count_versions(db, run_id, with_several(scored_by)))


def order_judges(db: Database, run_id: str, planned: Iterable[str], judges: Iterable[JudgeAtVersion]) -> list[str]:
    """The judges of a run: those it was planned with, then those that came later, by how many turns they saw."""
    first, judges_seen = list(dict.fromkeys(planned)), list(judges)
    later = [judge for judge in judges_seen if judge.name not in first]
    if len({judge.name for judge in later}) > 1:
        later = [
            JudgeAtVersion(version.judge, version.version)
            for version in by_turns_seen(count_versions(db, run_id, later))
        ]
    return [*first, *dict.fromkeys(judge.name for judge in later)]
