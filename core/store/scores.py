"""The table of a run's scores: one version of each judge, and a row for every turn that it should have scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pandas as pd
from sqlalchemy import select

from core.store.database import Database
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS

ONE = ["conversation", "turn", "judge", "version", "criterion"]
REPEAT_COLUMNS = ("turn_id", "judge", "version", "criterion", "repeat", "value", "label")
RepeatsTable = Any  # pandas is typed too loosely to be checked


def over_repeats(scores: RepeatsTable) -> RepeatsTable:
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


LOST = '{"key": "not_judged", "details": {}, "text": "The run ended before this turn was scored."}'
_TURN = ["conversation", "turn"]
Table = Any
frames: Any = pd  # typed too loosely to be checked


def whole_frame(
    rows: Sequence[tuple[Any, ...]],
    columns: Sequence[str],
    judges: Iterable[str],
    versions: Mapping[str, str],
    running: bool,
) -> pd.DataFrame:
    """The scores of one version per judge (the one in `versions`, else the newest of the widest), by turn and judge.

    A version that was broken off does not take the place of one that saw more turns.

    rows: `columns` and the score's id, one per score, with one of nulls for a turn without any; judges: those that the
    run was planned with. A turn that a judge has not scored gets unscored rows, unless the run is still `running`.
    """
    table: Table = frames.DataFrame(rows, columns=[*columns, "score_id"])
    scored = table[table["judge"].notna()]
    last = _widest(scored)
    kept = over_repeats(scored[scored["version"] == scored["judge"].map({**last, **versions})])
    if not running:
        kept = frames.concat([kept, *_lost(table, kept, list(dict.fromkeys([*judges, *last])))])
    order = table.drop_duplicates(_TURN).reset_index(drop=True).reset_index().set_index(_TURN)["index"]
    if len(kept):
        places = frames.MultiIndex.from_frame(kept[_TURN])
        ranks = {judge: rank for rank, judge in enumerate(dict.fromkeys([*judges, *last]))}
        kept = kept.assign(place=order.reindex(places).to_numpy(), rank=kept["judge"].map(ranks))
        kept = kept.sort_values(["place", "rank"], kind="stable")  # side by side, judges come in any order
    whole = kept[list(columns)].reset_index(drop=True)
    return cast(pd.DataFrame, whole.astype({"value": "float64", "answered": "boolean"}))


def _widest(scored: Table) -> dict[str, str]:
    """For each judge the version that saw the most turns, the newest of equals."""
    seen = scored.drop_duplicates([*_TURN, "judge", "version"]).groupby(["judge", "version"]).size().rename("turns")
    last = scored.groupby(["judge", "version"])["score_id"].max().rename("last")
    table = frames.concat([seen, last], axis=1).reset_index().sort_values(["turns", "last"], kind="stable")
    return dict(zip(table["judge"], table["version"], strict=True))


def _lost(table: Table, kept: Table, judges: Sequence[str]) -> list[Table]:
    """For each judge the turns that it has not scored, one row per criterion."""
    turns = table.drop_duplicates(_TURN)
    everywhere = frames.MultiIndex.from_frame(turns[_TURN])
    found: list[Table] = []
    for judge in judges:
        mine = kept[kept["judge"] == judge]
        missing = turns[~everywhere.isin(frames.MultiIndex.from_frame(mine[_TURN]))]
        nothing = {"judge": judge, "value": float("nan"), "label": "", "reasons": "", "error": LOST, "version": ""}
        criteria = list(dict.fromkeys(mine["criterion"])) or ["overall"]
        found += [missing.assign(**nothing, criterion=name) for name in criteria if len(missing)]
    return found
