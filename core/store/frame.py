"""The table of a run's scores: one version of each judge, and a row for every turn that it should have scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pandas as pd

from core.store.repeats import over_repeats

LOST = '{"key": "not_judged", "details": {}, "text": "The run broke off before this turn was judged."}'
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
