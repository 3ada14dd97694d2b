"""A list of the conversations of a run, to find one among thousands."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from core.store.run_tables import Criterion, RunTables
from core.store.score_tables import criterion_means, turn_labels

_COLUMNS = ("conversation", "number", "question", "persona", "persona_name", "kind", "status", "ending")


class ListedConversation(NamedTuple):
    """A conversation in a list; score: the mean over its turns by one judge, none if unscored; asked: how many clarifying
    questions the bot asked, none if that is unknown (an external bot, an answer from a file); labels: the judge's, of all
    turns."""

    id: str
    number: int
    question: str
    persona_id: str
    persona_name: str
    kind: str
    status: str
    ending: str
    asked: int | None
    score: float | None
    labels: frozenset[str]


def list_conversations(tables: RunTables, judge: str, criterion: str, version: str) -> list[ListedConversation]:
    """The conversations of a run by number, scored by one criterion of a judge in one version; it must not be changed."""
    key = ("list", judge, criterion, version)
    return tables.cached_large(key, lambda: _list(tables, judge, criterion, version))


def _list(tables: RunTables, judge: str, criterion: str, version: str) -> list[ListedConversation]:
    conversations, turns = tables.conversations, tables.turns
    size, place = len(conversations), turns["place"].to_numpy()
    asked = np.bincount(place, (turns["decision"] == "ask").to_numpy(), size)
    unknown = np.bincount(place, (turns["decision"] == "").to_numpy(), size) > 0
    scores = _scores(tables, Criterion(judge, version, criterion))
    columns = (
        *(conversations[name].tolist() for name in _COLUMNS),
        (None if odd else int(n) for n, odd in zip(asked.tolist(), unknown.tolist(), strict=True)),
        scores,
        _labels(tables, judge, criterion, version),
    )
    return list(map(ListedConversation, *columns))


def _scores(tables: RunTables, criterion: Criterion) -> list[float | None]:
    """`aggregate.conversation_scores` of every conversation, quick for a large run (a test compares the two)."""
    place, size = tables.turns["place"].to_numpy(), len(tables.conversations)
    values = criterion_means(tables, [criterion])[:, 0]
    scored = ~np.isnan(values)
    counts = np.bincount(place[scored], minlength=size).tolist()
    sums = np.bincount(place[scored], values[scored], size).tolist()
    return [total / n if n else None for total, n in zip(sums, counts, strict=True)]


def _labels(tables: RunTables, judge: str, criterion: str, version: str) -> list[frozenset[str]]:
    """The labels that each conversation was given; equal ones are one object."""
    place = tables.turns["place"].to_numpy()
    verdicts: dict[int, set[str]] = defaultdict(set)
    for row, label in turn_labels(tables, Criterion(judge, version, criterion)):
        verdicts[int(place[row])].add(label)
    shared: dict[frozenset[str], frozenset[str]] = {}
    label_sets = (frozenset(verdicts.get(number, ())) for number in range(len(tables.conversations)))
    return [shared.setdefault(verdicts, verdicts) for verdicts in label_sets]
