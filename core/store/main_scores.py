"""Which judge, which of its criteria and which of its versions stand for a run.

Of each judge one version counts in a run: the one that saw the most turns, the newest of equals. Readers of scores get it
from `RunTables.chosen_versions` or, without tables, from `choose_versions(read_versions(…))`. There are two exceptions: a version in the
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


def read_versions(db: Database, run_id: str) -> list[JudgeVersion]:
    """Every judge and version that scored a run, by how many turns it saw, of equals the newest last.

    So the last version of each judge is the one that counts.
    """
    turns = func.count(distinct(SCORES.c.turn_id))
    statement = scores_of_run(select(SCORES.c.judge, SCORES.c.version, turns, func.max(SCORES.c.id)), run_id)
    rows = sorted(db.rows(statement.group_by(SCORES.c.judge, SCORES.c.version)), key=lambda row: row[2:])
    return [JudgeVersion(judge=judge, version=version, turns=seen) for judge, version, seen, _ in rows]


def choose_versions(versions: Iterable[JudgeVersion]) -> dict[str, str]:
    """The version that counts of each judge (`read_versions`)."""
    return {one.judge: one.version for one in versions}
