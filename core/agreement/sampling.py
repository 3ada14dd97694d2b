"""Chooses which turns to label next: the most informative come first, and still every turn has a known chance.

The order is that of sequential Poisson sampling (Ohlsson 1998, Journal of Official Statistics 14:149): each turn has a
weight and a random number, once and for all, and turns are labelled by number / weight. Wherever labelling stops, the
chance of each turn in the sample is known (Duffield, Lund and Thorup 2007, Journal of the ACM 54(6):32), so that
weighting by its inverse gives unbiased estimates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from core.agreement.intervals import Statistic  # brings SciPy
    from core.agreement.tables import Numbers

RANDOM_SHARE = 0.3  # part of the weight that is the same for all turns, so that each has a chance
CLOSENESS_SCALE = 0.15  # distance to the threshold at which the weight of closeness has fallen to 1/e
TARGET_HALF_WIDTH = 0.15  # half the width of kappa's interval from which a judge can be assessed
MIN_LABELS = 30  # labels of turns that a judge scored, below which nothing is said of it


class Drawn(NamedTuple):
    """A turn in the random order of labelling."""

    turn_id: int
    weight: float  # above 0, at most 1
    draw: float  # its random number, above 0, at most 1

    @property
    def place(self) -> float:
        """The key by which turns are ordered."""
        return self.draw / self.weight


def weights(
    values: Mapping[str, Sequence[float | None]],
    thresholds: Mapping[str, float],
    strata: Sequence[Hashable],
    spread: Sequence[float | None] | None = None,
) -> Numbers:
    """A weight for each turn, 0.3 to 1: higher if people's verdict is more informative about a judge.

    values: of each judge, 0 to 1, None if unscored; thresholds: where a judge's Yes begins; strata: persona and kind,
    of which the rare ones count more; spread: how far a judge's repeated scores of a turn lie apart. Closeness to the
    threshold is that of the first judge.
    """
    n = len(strata)
    known = {
        name: np.array([np.nan if v is None else v for v in column], dtype=float) for name, column in values.items()
    }
    reasons: list[Numbers] = []
    if known:
        name, scores = next(iter(known.items()))
        near = np.exp(-np.abs(scores - thresholds.get(name, 0.5)) / CLOSENESS_SCALE)
        reasons.append(np.nan_to_num(near))
    if len(known) > 1:
        verdicts = np.stack([np.where(np.isnan(v), np.nan, v >= thresholds.get(k, 0.5)) for k, v in known.items()])
        there = (~np.isnan(verdicts)).sum(axis=0)
        share = np.divide(np.nansum(verdicts, axis=0), there, out=np.zeros(n), where=there > 0)
        reasons.append(4 * share * (1 - share))
    sizes = Counter(strata)
    rare = min(sizes.values(), default=1)
    if len(sizes) > 1:
        reasons.append(np.array([(rare / sizes[one]) ** 0.5 for one in strata]))
    if spread is not None and any(spread):
        apart = np.array([one or 0.0 for one in spread])
        reasons.append(apart / apart.max())
    reason = np.mean(reasons, axis=0) if reasons else np.ones(n)
    top = float(reason.max()) if n else 0.0
    return RANDOM_SHARE + (1 - RANDOM_SHARE) * (reason / top if top > 0 else np.ones(n))


def draw(turns: Sequence[int], weight: Numbers, seed: str) -> list[Drawn]:
    """The items, each with a random number that depends only on item and seed."""
    return [Drawn(turn, float(one), _number(f"{seed}/{turn}")) for turn, one in zip(turns, weight, strict=True)]


def chances(order: Sequence[Drawn], labelled: set[int]) -> dict[int, float]:
    """The chance that each labelled item had to be labelled by now; items that were labelled out of turn are left out.

    order: by place. Everything up to the last turn labelled in turn counts as asked for; what is missing before it was
    skipped. An item is out of turn if most of those before it have no label.
    """
    last, count = -1, 0
    for place, one in enumerate(order):
        if one.turn_id in labelled:
            count += 1
            last = place if 2 * count > place else last
    if last < 0:
        return {}
    if last + 1 >= len(order):
        return {one.turn_id: 1.0 for one in order if one.turn_id in labelled}
    limit = order[last + 1].place
    return {one.turn_id: min(1.0, limit * one.weight) for one in order[: last + 1] if one.turn_id in labelled}


def labels_needed(kappa: Statistic, labelled: int) -> int:
    """The number of further labels that narrow kappa's interval to ± TARGET_HALF_WIDTH; 0 if it is that narrow."""
    if kappa.low is None or kappa.high is None or labelled < MIN_LABELS:
        return max(MIN_LABELS - labelled, 0) or 1
    half = (kappa.high - kappa.low) / 2
    return max(0, int(np.ceil(labelled * (half / TARGET_HALF_WIDTH) ** 2)) - labelled)


def _number(text: str) -> float:
    """A pseudo-random number above 0, at most 1, by the hash of a text."""
    return (int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big") + 1) / 2**56
