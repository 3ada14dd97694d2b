"""Which judge, which of its criteria and which of its versions stand for a run.

Of each judge one version counts in a run: the one that saw the most turns, the newest of equals. Readers of scores get it
from `RunTables.chosen_versions` or, without tables, from `read_versions`. There are two exceptions: a version in the
address of the page Scores goes first, and a comparison takes the one that saw the most turns of both runs
(`core.analysis.compare.shared_versions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVarTuple

from sqlalchemy import Select, distinct, func, select

from core.base.types import OVERALL, TURN_JUDGE
from core.store.database import Database
from core.store.rows import JudgeVersion
from core.store.schema import CONVERSATIONS, SCORES, TURNS

Columns = TypeVarTuple("Columns")


def judges_in_order(names: Iterable[str]) -> list[str]:
    """The turn judge first, the others in the order in which they come."""
    return sorted(names, key=lambda name: name != TURN_JUDGE)


def main_judge(names: Iterable[str]) -> str:
    """The judge that stands for a run: the turn judge, else the first; the turn judge if there is none."""
    return next(iter(judges_in_order(names)), TURN_JUDGE)


def main_criterion(criteria: Sequence[str]) -> str:
    """The criterion that stands for a judge: Overall, else its first; Overall if there is none."""
    return OVERALL if OVERALL in criteria or not criteria else criteria[0]


def scores_of_run(statement: Select[*Columns], run_id: str) -> Select[*Columns]:
    """The statement with the joins and the condition that select the scores of a run."""
    return statement.select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(CONVERSATIONS.c.run_id == run_id)


def read_judges(db: Database, run_id: str) -> list[JudgeVersion]:
    """Every judge and version that scored a run, without the number of turns."""
    statement = scores_of_run(select(SCORES.c.judge, SCORES.c.version).distinct(), run_id)
    return [JudgeVersion(judge=judge, version=version) for judge, version in db.rows(statement)]


def count_versions(db: Database, run_id: str, judges: Iterable[JudgeVersion]) -> list[JudgeVersion]:
    """These judges with the number of turns of the run that each saw, the newest version first."""
    counted: list[tuple[int, JudgeVersion]] = []
    for judge in judges:
        statement = scores_of_run(select(func.count(distinct(SCORES.c.turn_id)), func.max(SCORES.c.id)), run_id)
        row = db.rows(statement.where(SCORES.c.judge == judge.judge, SCORES.c.version == judge.version))[0]
        counted.append((row[1] or 0, judge.model_copy(update={"turns": row[0]})))
    return [version for _, version in sorted(counted, key=lambda pair: -pair[0])]


def sorted_by_turns(versions: Sequence[JudgeVersion]) -> list[JudgeVersion]:
    """The versions with the most turns last, the newest of equals last; versions: the newest first."""
    oldest_first = versions[::-1]
    return sorted(oldest_first, key=lambda version: version.turns)


def with_several_versions(judges: Iterable[JudgeVersion]) -> list[JudgeVersion]:
    """The judges that scored in more than one version: only their turns need to be counted."""
    known = list(dict.fromkeys(judges))
    names = [one.judge for one in known]
    return [one for one in known if names.count(one.judge) > 1]


def choose_versions(judges: Iterable[JudgeVersion], counted: Sequence[JudgeVersion]) -> dict[str, str]:
    """The version that counts of each judge; counted: those with several versions, with turns, the newest first."""
    return {one.judge: one.version for one in (*judges, *sorted_by_turns(counted))}


def read_versions(db: Database, run_id: str, judges: Iterable[JudgeVersion] | None = None) -> dict[str, str]:
    """The version that counts of each judge of a run (`choose_versions`); judges: those that scored it, if known."""
    scored_by = read_judges(db, run_id) if judges is None else list(judges)
    return choose_versions(scored_by, count_versions(db, run_id, with_several_versions(scored_by)))


def order_judges(db: Database, run_id: str, planned: Iterable[str], judges: Iterable[JudgeVersion]) -> list[str]:
    """The judges of a run: the planned ones, then those that came later, by how many turns they saw."""
    first = list(dict.fromkeys(planned))
    later = [one for one in judges if one.judge not in first]
    if len({one.judge for one in later}) > 1:
        later = sorted_by_turns(count_versions(db, run_id, later))
    return [*first, *dict.fromkeys(one.judge for one in later)]
