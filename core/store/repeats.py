"""Several verdicts of one version of a judge on one turn: as one value in the table, and apart to see how they differ."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
from sqlalchemy import select

from core.store.database import Database
from core.store.lasting import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS

ONE = ["conversation", "turn", "judge", "version", "criterion"]
REPEAT_COLUMNS = ("turn_id", "judge", "version", "criterion", "repeat", "value", "label")
Table = Any  # pandas is typed too loosely to be checked


def over_repeats(scores: Table) -> Table:
    """The rows with one per turn, judge, version and criterion: the mean of those that have a value.

    Label, reasons and error are those of the verdict that is nearest to the mean, the first of equals. Rows keep their
    order; where nothing was judged twice they are given back as they are.
    """
    if not scores.duplicated(ONE).any():
        return scores
    values = scores["value"].astype(float)
    groups = scores.assign(value=values, place=range(len(scores))).groupby(ONE, sort=False)
    means = groups["value"].transform("mean")
    far = (values - means).abs().fillna(float("inf"))
    told = scores.assign(value=means, far=far, place=groups["place"].transform("min"))
    kept = told.sort_values("far", kind="stable").drop_duplicates(ONE).sort_values("place", kind="stable")
    return kept.drop(columns=["far", "place"]).reset_index(drop=True)


class RepeatTables:
    """The part of the store that reads repeated verdicts."""

    db: Database

    @lasting
    def repeated_scores(self, run_id: str) -> pd.DataFrame:
        """The verdicts on the turns of a run that a judge gave more than once, one row each (REPEAT_COLUMNS)."""
        mine = (CONVERSATIONS.c.run_id == run_id) & (TURNS.c.conversation_id == CONVERSATIONS.c.id)
        columns = [SCORES.c[name] for name in REPEAT_COLUMNS]
        again = (
            select(SCORES.c.turn_id, SCORES.c.judge, SCORES.c.version)
            .where(mine, SCORES.c.turn_id == TURNS.c.id, SCORES.c.repeat > 1)
            .distinct()
            .subquery()
        )
        same = (
            (SCORES.c.turn_id == again.c.turn_id)
            & (SCORES.c.judge == again.c.judge)
            & (SCORES.c.version == again.c.version)
        )
        wanted = select(*columns).select_from(SCORES.join(again, same)).order_by(SCORES.c.id)
        with self.db.read() as connection:
            rows = [tuple(row) for row in connection.execute(wanted)]
        table = cast(Any, pd.DataFrame)(rows, columns=list(REPEAT_COLUMNS))
        return cast(pd.DataFrame, table.astype({"value": "float64"}))
