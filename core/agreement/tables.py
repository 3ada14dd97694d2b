"""Agreement as tables of counts, one per conversation, so that thousands of resamples are one matrix multiplication.

The statistics of a table are those of scikit-learn (kappa, balanced accuracy) and of the library krippendorff (alpha),
written for stacks of tables; a test compares them with both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.agreement.labels import CANNOT_SAY, Label

Numbers = NDArray[np.float64]
Codes = NDArray[np.intp]  # groups numbered from 0, or indexes of categories
Measure = Callable[[Numbers], Numbers]  # tables (…, K, K) to numbers (…)


def codes_of(groups: Sequence[Hashable] | Codes) -> Codes:
    """Groups as numbers from 0, in order of appearance."""
    if isinstance(groups, np.ndarray):
        return pd.factorize(groups)[0]
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(one, len(known)) for one in groups], dtype=np.intp)


def places_of(names: Sequence[str], categories: Sequence[str]) -> Codes:
    """The indexes of names among the categories."""
    place = {name: n for n, name in enumerate(categories)}
    return np.array([place[name] for name in names], dtype=np.intp)


def confusion_tables(people: Codes, judge: Codes, k: int, groups: Codes, weights: Numbers | None = None) -> Numbers:
    """One table per group, (G, K, K), over K categories: rows are people's verdicts, columns the judge's.

    groups: from `codes_of`; an item counts by its weight, else as 1.
    """
    cells = people * k + judge
    n = int(groups.max()) + 1 if len(groups) else 0
    return np.bincount(groups * k * k + cells, weights=weights, minlength=n * k * k).astype(float).reshape(n, k, k)


def coincidence_tables(
    labels: Iterable[Label], categories: Sequence[str], group_of: Callable[[str], Hashable]
) -> Numbers:
    """One coincidence matrix per group, (G, K, K), over the items with two labels or more (Krippendorff 2004, chapter
    11)."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in labels:
        if one.label != CANNOT_SAY:
            counts[one.item][one.label] += 1
    items, k = [item for item, count in counts.items() if count.total() > 1], len(categories)
    rows = np.array([[counts[item][name] for name in categories] for item in items], dtype=float).reshape(len(items), k)
    pairs = rows[:, :, None] * rows[:, None, :] - rows[:, :, None] * np.eye(k)
    pairs = pairs / np.maximum(rows.sum(axis=1) - 1, 1)[:, None, None]
    groups = codes_of([group_of(item) for item in items])
    tables = np.zeros((int(groups.max()) + 1 if items else 0, k, k))
    np.add.at(tables, groups, pairs)
    return tables


def observed_agreement(tables: Numbers) -> Numbers:
    """The share (0 to 1) of the diagonal."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def kappa(tables: Numbers) -> Numbers:
    """Cohen's kappa (1960); NaN if chance alone explains everything."""
    return _chance_corrected(tables, 1 - np.eye(tables.shape[-1]))


def quadratic_kappa(tables: Numbers) -> Numbers:
    """Cohen's kappa with quadratic weights (1968), for grades."""
    return _chance_corrected(tables, _squares(tables.shape[-1]))


def balanced_accuracy(tables: Numbers) -> Numbers:
    """The mean over people's categories that occur of the share in which the judge agrees."""
    right, rows = np.diagonal(tables, axis1=-2, axis2=-1), tables.sum(axis=-1)
    shares = _ratio(right, rows)
    present = (rows > 0).sum(axis=-1)
    return _ratio(np.nansum(shares, axis=-1), present.astype(float))


def row_error(row: int) -> Measure:
    """A measure: the share of one of people's categories in which the judge disagrees."""

    def share(tables: Numbers) -> Numbers:
        of = tables[..., row, :]
        return _ratio(of.sum(axis=-1) - of[..., row], of.sum(axis=-1))

    return share


def yes_share(tables: Numbers) -> Numbers:
    """The share of all items that people call right, of tables of No and Yes."""
    return _ratio(tables[..., 1, :].sum(axis=-1), tables.sum(axis=(-2, -1)))


def alpha(tables: Numbers, graded: bool = False) -> Numbers:
    """Krippendorff's alpha of coincidence matrices; graded: squared distances (interval level), else nominal."""
    k = tables.shape[-1]
    apart = _squares(k) if graded else 1 - np.eye(k)
    values = tables.sum(axis=-1)
    n = values.sum(axis=-1)
    expected = (values[..., :, None] * values[..., None, :] - values[..., :, None] * np.eye(k)) * apart
    return 1 - _ratio((n - 1) * (tables * apart).sum(axis=(-2, -1)), expected.sum(axis=(-2, -1)))


def _chance_corrected(tables: Numbers, apart: Numbers) -> Numbers:
    total = tables.sum(axis=(-2, -1))
    expected = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    return 1 - _ratio((tables * apart).sum(axis=(-2, -1)) * total, (expected * apart).sum(axis=(-2, -1)))


def _squares(k: int) -> Numbers:
    places = np.arange(k, dtype=float)
    return (places[:, None] - places[None, :]) ** 2


def _ratio(a: Any, b: Any) -> Numbers:
    """a / b, NaN if b is 0."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=np.abs(b) > 1e-12)
