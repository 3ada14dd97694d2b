"""The conversations of a run: as a list, to find one among thousands, and as a table, the worst first."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from core.analysis.failures.entries import is_failing_score
from core.analysis.run_means import conversation_scores
from core.base.means import none_for_nan
from core.store.run_tables import RunTables, ScoredCriterion
from core.store.score_tables import criterion_means, turn_labels

_COLUMNS = ("conversation", "number", "question", "persona", "persona_name", "kind", "status", "ending")


class ListedConversation(NamedTuple):
    """A conversation in a list."""

    id: str
    number: int
    question: str
    persona_id: str
    persona_name: str
    kind: str
    status: str
    ending: str
    asked: int | None  # number of clarifying questions, None if unknown (external bot, answer from a file)
    score: float | None  # mean over its turns by one judge, None if unscored
    labels: frozenset[str]  # that the judge gave its turns


def list_conversations(tables: RunTables, judge: str, criterion: str, version: str) -> list[ListedConversation]:
    """The conversations of a run by number, scored by one criterion of a judge in one version; do not change the list."""
    key = ("list", judge, criterion, version)
    return tables.cached(key, lambda: _list(tables, judge, criterion, version), large=True)


def _list(tables: RunTables, judge: str, criterion: str, version: str) -> list[ListedConversation]:
    conversations, turns = tables.conversations, tables.turns
    size, place = len(conversations), turns["place"].to_numpy()
    asked = np.bincount(place, (turns["decision"] == "ask").to_numpy(), size)
    unknown = np.bincount(place, (turns["decision"] == "").to_numpy(), size) > 0
    scores = _scores(tables, ScoredCriterion(judge, version, criterion))
    columns = (
        *(conversations[name].tolist() for name in _COLUMNS),
        (None if odd else int(n) for n, odd in zip(asked.tolist(), unknown.tolist(), strict=True)),
        scores,
        _labels(tables, judge, criterion, version),
    )
    return list(map(ListedConversation, *columns))


def _scores(tables: RunTables, criterion: ScoredCriterion) -> list[float | None]:
    """`run_means.conversation_scores` of every conversation, fast for a large run."""
    values: Any = pd.Series(criterion_means(tables, [criterion])[:, 0])
    means = values.groupby(tables.turns["place"].to_numpy()).mean().reindex(range(len(tables.conversations)))
    return none_for_nan(means.tolist())


def _labels(tables: RunTables, judge: str, criterion: str, version: str) -> list[frozenset[str]]:
    """The labels that each conversation was given; equal ones are one object."""
    place = tables.turns["place"].to_numpy()
    verdicts: dict[int, set[str]] = defaultdict(set)
    for row, label in turn_labels(tables, ScoredCriterion(judge, version, criterion)):
        verdicts[int(place[row])].add(label)
    shared: dict[frozenset[str], frozenset[str]] = {}
    label_sets = (frozenset(verdicts.get(number, ())) for number in range(len(tables.conversations)))
    return [shared.setdefault(verdicts, verdicts) for verdicts in label_sets]


def conversation_table(
    frame: pd.DataFrame, conversations: pd.DataFrame, criterion: str, judge: str, lower_is_better: bool
) -> pd.DataFrame:
    """One row per conversation, the worst first: score in percent (NaN: unscored), its failures, question, persona.

    frame: `score_values` of the store; conversations: `RunTables.conversations`; criterion: one of the judge's.
    A turn fails at 3 of 5 or less; if lower is better, at 2 of 5 or more.
    """
    scores = conversation_scores(frame, criterion, judge)
    values = criterion_rows(frame, criterion, judge)
    goodness = 1 - values["value"] if lower_is_better else values["value"]
    turns = values[goodness.map(is_failing_score).astype(bool)][["number", "turn"]].drop_duplicates()
    failed = turns.assign(turn=turns["turn"].astype(str)).groupby("number")["turn"].agg(", ".join)
    columns = ["conversation", "number", "question", "persona_name", "kind", "status", "ending"]
    table = conversations[columns].rename(columns={"conversation": "id", "persona_name": "persona"})
    table["score"] = table["number"].map(scores.set_index("number")["score"] * 100)
    table["failed_turns"] = table["number"].map(failed).fillna("").astype(object)
    ascending = [not lower_is_better, True]
    return table.sort_values(["score", "number"], ascending=ascending, na_position="first").reset_index(drop=True)


def criterion_rows(frame: pd.DataFrame, criterion: str, judge: str) -> pd.DataFrame:
    """The rows of one criterion of a judge."""
    return frame[(frame["criterion"] == criterion) & (frame["judge"] == judge)]
