"""A slim list of the conversations of a run, to find one among thousands."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from sqlalchemy import func, select

from core.store.database import Database
from core.store.look import Look
from core.store.retry import lasting
from core.store.runs import SCORES, TURNS

numbers: Any = np  # typed too loosely to be checked
frames: Any = pd
_TALK = ("conversation", "number", "question", "persona", "persona_name", "kind", "status", "ending")


class Listed(NamedTuple):
    """A conversation in a list; score: the mean over its turns by one judge, none when unscored; asked: how often the bot
    asked back, none where that is unknown (a bot elsewhere, an answer of a file); labels: the judge's, of all turns."""

    id: str
    number: int
    question: str
    persona_id: str
    persona_name: str
    kind: str
    status: str
    ending: str
    turns: int
    asked: int | None
    score: float | None
    labels: frozenset[str]


class ReadingTables:
    """The part of the store that tells whether anything is new."""

    db: Database

    @lasting
    def newest_ids(self) -> tuple[int, int]:
        """The ids of the newest score and turn: as long as they stay, nothing more was said or judged."""
        with self.db.read() as connection:
            found = connection.execute(select(select(func.max(SCORES.c.id)).scalar_subquery(), func.max(TURNS.c.id)))
            score, turn = found.one()
        return int(score or 0), int(turn or 0)


def listed(look: Look, judge: str, criterion: str, version: str) -> list[Listed]:
    """The conversations of a run by number, scored by one criterion of a judge in one version; it must not be changed."""
    return look.listing((judge, criterion, version), lambda: _listed(look, judge, criterion, version))


def _listed(look: Look, judge: str, criterion: str, version: str) -> list[Listed]:
    talks, turns = cast(Any, look.talks), cast(Any, look.turns)
    size, place = len(talks), turns["place"].to_numpy()
    counts = numbers.bincount(place, minlength=size)
    asked = numbers.bincount(place, turns["decision"] == "ask", size)
    unknown = numbers.bincount(place, turns["decision"] == "", size) > 0
    columns = (
        *(talks[name].tolist() for name in _TALK),
        counts.tolist(),
        (None if odd else int(n) for n, odd in zip(asked.tolist(), unknown.tolist(), strict=True)),
        _scores(look, judge, criterion, version),
        _labels(look, judge, criterion, version),
    )
    return list(map(Listed, *columns))


def _places(look: Look, marks: Any) -> Any:
    """The place of each turn's conversation, by the turns' ids; -1 for another run's."""
    turns = cast(Any, look.turns)
    at = frames.Index(turns["id"]).get_indexer(marks)
    return numbers.where(at >= 0, turns["place"].to_numpy().take(at, mode="clip"), -1) if len(turns) else at


def _scores(look: Look, judge: str, criterion: str, version: str) -> list[float | None]:
    """The mean of each conversation over its scored turns."""
    place, size = cast(Any, look.turns)["place"].to_numpy(), len(look.talks)
    values = look.means(((judge, version, criterion),))[:, 0]
    known = ~numbers.isnan(values)
    counts = numbers.bincount(place[known], minlength=size).tolist()
    sums = numbers.bincount(place[known], values[known], size).tolist()
    return [total / n if n else None for total, n in zip(sums, counts, strict=True)]


def _labels(look: Look, judge: str, criterion: str, version: str) -> list[frozenset[str]]:
    """The labels that each conversation was given; equal ones are one object."""
    rows = look.labels(judge, version, criterion)
    given: dict[int, set[str]] = defaultdict(set)
    for place, row in zip(_places(look, [row[0] for row in rows]).tolist(), rows, strict=True):
        given[place].add(row[1])
    same: dict[frozenset[str], frozenset[str]] = {}
    each = (frozenset(given.get(place, ())) for place in range(len(look.talks)))
    return [same.setdefault(one, one) for one in each]
