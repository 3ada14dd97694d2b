"""The table of a run's scores: one version of each judge, and a row for every turn that it should have scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pandas as pd

LOST = "The run broke off before this turn was judged."
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
    """The scores of one version per judge (the newest, or the one in `versions`), by turn and judge.

    rows: `columns` and the score's id, one per score, with one of nulls for a turn without any; judges: those that the
    run was planned with. A turn that a judge has not scored gets unscored rows, unless the run is still `running`.
    """
    table: Table = frames.DataFrame(rows, columns=[*columns, "score_id"])
    scored = table[table["judge"].notna()]
    last = scored.loc[scored.groupby("judge")["score_id"].idxmax()].set_index("judge")["version"].to_dict()
    kept = scored[scored["version"] == scored["judge"].map({**last, **versions})]
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
