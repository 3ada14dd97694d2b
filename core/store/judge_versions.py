"""Which version of a judge counts: in a run the one that saw the most turns, the newest of equals.

Whoever reads scores asks for it with `RunTables.chosen_versions` or, without tables, `read_versions`. There are two
exceptions: a version in the address of the page Scores goes first, and a comparison takes the one that saw the most
turns of both runs (`core.analysis.compare.shared_versions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVarTuple

from sqlalchemy import Select, distinct, func, select

from core.store.database import Database
from core.store.rows import JudgeVersion
from core.store.schema import CONVERSATIONS, SCORES, TURNS

Columns = TypeVarTuple("Columns")


def of_run(statement: Select[*Columns], run_id: str) -> Select[*Columns]:
    """Of scores: those of a run."""
    return statement.select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(CONVERSATIONS.c.run_id == run_id)


def read_judges(db: Database, run_id: str) -> list[JudgeVersion]:
    """Every judge and version that scored a run, their turns not counted."""
    statement = of_run(select(SCORES.c.judge, SCORES.c.version).distinct(), run_id)
    return [JudgeVersion(judge=judge, version=version) for judge, version in db.rows(statement)]


def count_versions(db: Database, run_id: str, judges: Iterable[JudgeVersion]) -> list[JudgeVersion]:
    """These judges with the number of turns of a run that each saw, the newest version first."""
    counted: list[tuple[int, JudgeVersion]] = []
    for one in judges:
        statement = of_run(select(func.count(distinct(SCORES.c.turn_id)), func.max(SCORES.c.id)), run_id)
        row = db.rows(statement.where(SCORES.c.judge == one.judge, SCORES.c.version == one.version))[0]
        counted.append((row[1] or 0, one.model_copy(update={"turns": row[0]})))
    return [version for _, version in sorted(counted, key=lambda pair: -pair[0])]


def by_turns_seen(versions: Sequence[JudgeVersion]) -> list[JudgeVersion]:
    """Those that saw the most turns last, the newest of equals last; `versions`: the newest first."""
    oldest_first = versions[::-1]
    return sorted(oldest_first, key=lambda version: version.turns)


def with_several(judges: Iterable[JudgeVersion]) -> list[JudgeVersion]:
    """Those that scored in more than one version: turns need to be counted only of these."""
    known = list(dict.fromkeys(judges))
    names = [one.judge for one in known]
    return [one for one in known if names.count(one.judge) > 1]


def choose_versions(judges: Iterable[JudgeVersion], counted: Sequence[JudgeVersion]) -> dict[str, str]:
    """The version that counts of each judge; counted: the turns of those with several versions, the newest first."""
    return {one.judge: one.version for one in (*judges, *by_turns_seen(counted))}


def read_versions(db: Database, run_id: str, judges: Iterable[JudgeVersion] | None = None) -> dict[str, str]:
    """The version that counts of each judge of a run (`choose_versions`); judges: those that scored it, if known."""
    scored_by = read_judges(db, run_id) if judges is None else list(judges)
    return choose_versions(scored_by, count_versions(db, run_id, with_several(scored_by)))


def order_judges(db: Database, run_id: str, planned: Iterable[str], judges: Iterable[JudgeVersion]) -> list[str]:
    """The judges of a run: those it was planned with, then those that came later, by how many turns they saw."""
    first = list(dict.fromkeys(planned))
    later = [one for one in judges if one.judge not in first]
    if len({one.judge for one in later}) > 1:
        later = by_turns_seen(count_versions(db, run_id, later))
    return [*first, *dict.fromkeys(one.judge for one in later)]
