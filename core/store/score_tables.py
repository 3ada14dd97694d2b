"""The scores of a run as numbers: a frame with a row per score, and arrays with a row per turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, and_, func, select

from core.base.chunks import chunks
from core.store.run_tables import CONVERSATION_COLUMNS, RunTables, ScoredCriterion
from core.store.schema import SCORES

CRITERIA_AT_ONCE = 12  # criteria that are read in one scan
VALUE_COLUMNS = (*CONVERSATION_COLUMNS, "turn", "decision", "answered", "judge", "criterion", "value", "version")


class _Part(NamedTuple):
    """The scores of one criterion; turn_rows: of `tables.turns`; criterion_place: among its judge's, from 0."""

    criterion: ScoredCriterion
    turn_rows: np.ndarray
    values: np.ndarray
    criterion_place: int


def score_values(
    tables: RunTables, versions: Mapping[str, str] | None = None, judges: Iterable[str] | None = None
) -> pd.DataFrame:
    """One row per score without texts (VALUE_COLUMNS), words as categories, by conversation, turn, judge, criterion.

    `value` is NaN if unscored, and `version` is "" if the judge never saw the turn. Several scores of one version on
    one turn and criterion are one row, their mean. versions: of judges, instead of the one that counts; judges: only
    these (default: all of the run); the fewer, the quicker.
    """
    version_of, names = tables.chosen_versions(versions), set(tables.judges if judges is None else judges)
    shown = tuple((name, version_of.get(name, "")) for name in tables.judges if name in names)

    def make() -> pd.DataFrame:
        parts = [part for name, version in shown for part in _judge_parts(tables, name, version)]
        return _frame(tables, parts, [name for name, _ in shown])

    return tables.cached(("values", shown), make, large=True)


def criterion_means(tables: RunTables, criteria: Sequence[ScoredCriterion]) -> np.ndarray:
    """The mean of each criterion on each turn (maybe of several scores): turns x criteria, NaN if none."""

    def make() -> np.ndarray:
        return np.hstack(
            [_means(tables, part) for part in chunks(criteria, CRITERIA_AT_ONCE)] or [_means(tables, criteria)]
        )

    return tables.cached(("means", tuple(criteria)), make)


def turn_labels(tables: RunTables, criterion: ScoredCriterion) -> list[tuple[int, str]]:
    """(row in `tables.turns`, label) of each score that has a value, in order."""
    query = select(SCORES.c.turn_id, SCORES.c.label).where(_is(criterion), SCORES.c.value.is_not(None))
    return [(place, str(label)) for place, label in tables.scores(query.order_by(SCORES.c.id))]


def _judge_parts(tables: RunTables, judge: str, version: str) -> list[_Part]:
    """The scores of the turns that a judge saw, and unscored ones of those it should have seen."""
    criteria = [ScoredCriterion(judge, version, name) for name in tables.criteria_of(judge, version)]
    value = criterion_means(tables, criteria)
    has_row = ~np.isnan(value) | _unscored(tables, criteria)
    parts = [
        _Part(criterion, rows := np.flatnonzero(has_row[:, place]), value[rows, place], place)
        for place, criterion in enumerate(criteria)
    ]
    missing = np.flatnonzero(~has_row.any(axis=1))
    if len(missing) and not tables.going_on:
        nothing = np.full(len(missing), np.nan)
        names = [criterion.criterion for criterion in criteria] or ["overall"]
        parts += [_Part(ScoredCriterion(judge, "", name), missing, nothing, place) for place, name in enumerate(names)]
    return parts


def _unscored(tables: RunTables, criteria: Sequence[ScoredCriterion]) -> np.ndarray:
    """The scores without a value that are there: turns x criteria."""
    unscored = np.zeros((len(tables.turns), len(criteria)), bool)
    if criteria:
        judge, version, _ = criteria[0]
        statement = select(SCORES.c.turn_id, SCORES.c.criterion).where(SCORES.c.value.is_(None))
        column = {criterion.criterion: place for place, criterion in enumerate(criteria)}
        for turn, criterion in tables.scores(statement.where(SCORES.c.judge == judge, SCORES.c.version == version)):
            unscored[turn, column[criterion]] = True
    return unscored


def _means(tables: RunTables, criteria: Sequence[ScoredCriterion]) -> np.ndarray:
    means = np.full((len(tables.turns), len(criteria)), np.nan)
    if criteria:
        columns = [func.avg(SCORES.c.value).filter(_is(criterion)) for criterion in criteria]
        by_judges = SCORES.c.judge.in_({criterion.judge for criterion in criteria})
        statement = select(SCORES.c.turn_id, *columns).where(by_judges).group_by(SCORES.c.turn_id)
        if rows := tables.scores(statement):
            means[[row[0] for row in rows]] = np.array([row[1:] for row in rows], "float64")
    return means


def _frame(tables: RunTables, parts: Sequence[_Part], judges: Sequence[str]) -> pd.DataFrame:
    """The parts as one frame, by turn, judge and criterion."""
    conversations, turns = tables.conversations, tables.turns
    sizes = [len(part.turn_rows) for part in parts]
    row = _joined([part.turn_rows for part in parts], "int64")
    judge = np.repeat(np.array([judges.index(part.criterion.judge) for part in parts], "int64"), sizes)
    criterion = np.repeat(np.array([part.criterion_place for part in parts], "int64"), sizes)
    order = np.lexsort((criterion, judge, row))
    row = row[order]
    place = turns["place"].to_numpy()[row]
    columns: dict[str, Any] = {name: conversations[name].array.take(place) for name in CONVERSATION_COLUMNS}
    columns |= {name: turns[name].array.take(row) for name in ("turn", "decision", "answered")}
    for name in ("judge", "criterion", "version"):
        columns[name] = _words([getattr(part.criterion, name) for part in parts], sizes).take(order)
    columns["value"] = _joined([part.values for part in parts], "float64")[order]
    return pd.DataFrame(columns)[list(VALUE_COLUMNS)]


def _is(criterion: ScoredCriterion) -> ColumnElement[bool]:
    return and_(*(SCORES.c[name] == value for name, value in criterion._asdict().items()))


def _joined(arrays: Sequence[np.ndarray], kind: str) -> np.ndarray:
    return np.concatenate([np.zeros(0, kind), *arrays]).astype(kind)


def _words(words: Sequence[str], sizes: Sequence[int]) -> pd.Categorical[Any]:
    """A category per part, as often as the part has rows."""
    distinct = list(dict.fromkeys(words))
    codes = np.repeat(np.array([distinct.index(word) for word in words], "int64"), sizes)
    categories: pd.Index[Any] = pd.Index(distinct, dtype="object")
    return pd.Categorical.from_codes(codes, categories=categories)
