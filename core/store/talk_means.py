"""Means of the conversations of a run, from its numbers alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pandas as pd

from core.store.look import Look

Table = Any  # pandas is typed too loosely to be checked
frames: Any = pd
numbers: Any = np


def talk_means(look: Look, versions: Mapping[str, str]) -> tuple[Table, Table]:
    """Of each conversation of a run: the means of its scored turns, and how many turns anybody scored.

    versions: the judges that count, each in a version. The means have a row per conversation and a column per (judge,
    criterion), NaN where nothing is scored.
    """
    wanted = [(judge, versions[judge]) for judge in look.judges() if judge in versions]
    told = [(*one, criterion) for one in wanted for criterion in look.criteria(*one)]
    turns, talks = cast(Table, look.turns), cast(Table, look.talks)
    value, place = look.means(tuple(told)), turns["place"].to_numpy()
    names = frames.Index([(judge, criterion) for judge, _, criterion in told], tupleize_cols=False)
    index = frames.Index(talks["conversation"].astype("str"))
    means = frames.DataFrame(value, columns=names).groupby(place).mean().reindex(range(len(talks)))
    scored = numbers.bincount(place, (~numbers.isnan(value)).any(axis=1), len(talks))
    return means.set_axis(index), frames.Series(scored, index=index)
