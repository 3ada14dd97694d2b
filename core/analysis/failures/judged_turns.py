"""The turns of a run with the scores that show why a turn lost points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.base.means import none_for_nan
from core.store.run_tables import RunTables, ScoredCriterion
from core.store.score_tables import criterion_means
from core.store.store import Store

USER = "simulated_user.simulated_user"
CAUSE_CRITERIA: tuple[str, ...] = (
    *("turn.overall", "turn.correctness", "correctness.correctness", "qa.qa", "cot_qa.cot_qa"),
    *("sufficiency.sufficiency", "groundedness.support", "groundedness.grounded", "retrieval.recall"),
    USER,
)
Values = tuple[float | None, ...]


class JudgedTurn(NamedTuple):
    """A turn with its scores."""

    turn: int
    conversation: int  # number of the conversation
    number: int
    decision: str
    answered: bool | None
    failed: bool  # the bot could not take the turn, so nothing is judged
    values: Values  # of CAUSE_CRITERIA in order, None if a judge gave no value


def judged_turns(store: Store, run_id: str, scenarios: Sequence[str] = ()) -> list[JudgedTurn]:
    """The turns by conversation, with the values of CAUSE_CRITERIA in the versions that count; scenarios: only these."""
    tables = store.tables.of_run(run_id)
    criteria = _criteria(tables)
    means = criterion_means(tables, tuple(criteria.values()))
    return _turns(tables, scenarios, dict(zip(criteria, means.T, strict=True)))


def scored_scenarios(store: Store, run_id: str, scenarios: Sequence[str]) -> dict[str, bool]:
    """Those of the scenarios that have a turn in a run, and whether one of their turns was scored."""
    tables = store.tables.of_run(run_id)
    means = criterion_means(tables, tuple(_criteria(tables).values()))
    scored = np.any(~np.isnan(means), axis=1)
    of = tables.conversations["scenario"].astype("str").to_numpy()[tables.turns["place"].to_numpy()]
    return {name: bool(scored[of == name].any()) for name in scenarios if (of == name).any()}


def _criteria(tables: RunTables) -> dict[str, ScoredCriterion]:
    """Those of CAUSE_CRITERIA that were scored, by name."""
    chosen, known = tables.chosen_versions(), set(tables.criteria)
    parts = ((name, *name.split(".")) for name in CAUSE_CRITERIA)
    named = {name: ScoredCriterion(judge, chosen.get(judge, ""), criterion) for name, judge, criterion in parts}
    return {name: criterion for name, criterion in named.items() if criterion in known}


def _turns(tables: RunTables, scenarios: Sequence[str], columns: Mapping[str, np.ndarray]) -> list[JudgedTurn]:
    """The turns of a run by conversation; columns: the values of all turns by criterion."""
    turns, conversations = tables.turns, tables.conversations
    rows = np.arange(len(turns))
    if scenarios:
        rows = rows[conversations["scenario"].isin(scenarios).to_numpy()[turns["place"].to_numpy()]]
    turns = turns.iloc[rows]
    empty = [None] * len(rows)
    distinct: dict[Values, Values] = {}  # most turns are judged like others: one object for all of them
    values = zip(
        *(none_for_nan(columns[name][rows].tolist()) if name in columns else empty for name in CAUSE_CRITERIA),
        strict=True,
    )
    ids, of = turns["id"].tolist(), conversations["number"].to_numpy()[turns["place"].to_numpy()].tolist()
    answered = (None if value is pd.NA else bool(value) for value in turns["answered"])
    failed = (turn_id in tables.failed_turns for turn_id in ids)
    shared = (distinct.setdefault(value, value) for value in values)
    return list(map(JudgedTurn, ids, of, turns["turn"].tolist(), turns["decision"].tolist(), answered, failed, shared))
