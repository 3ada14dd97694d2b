"""The agreement of a judge with people, and of people with each other, over the items that have both verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.agreement.intervals import UNKNOWN, Statistic, statistics
from core.agreement.labels import CANNOT_SAY, Label, Scale, Truth, categories_of, latest, truth_of
from core.agreement.tables import (
    Codes,
    Measure,
    Numbers,
    alpha,
    balanced_accuracy,
    codes_of,
    coincidence_tables,
    confusion_tables,
    kappa,
    observed_agreement,
    places_of,
    quadratic_kappa,
    row_error,
    yes_share,
)

ALL_PAIRS_REVIEWERS = 14  # up to here all pairs are compared
MAX_REVIEWERS = 1_000  # with more reviewers: those with the most labels whose pairs are considered
MAX_PAIRS = 100  # with more reviewers: the pairs that share most items


class JudgeVerdict(NamedTuple):
    """A judge's verdict on an item."""

    item: str
    categories: tuple[str, ...]  # of the labels' scale, one for each repeat


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge compared with people's verdicts; of misses and false alarms a wrong answer is the positive class."""

    n: int  # items with both verdicts
    confusion: dict[str, dict[str, float]]  # by people's category, then the judge's
    percent: Statistic
    kappa: Statistic
    balanced_accuracy: Statistic
    misses: Statistic = UNKNOWN  # Yes and No only: share of people's No that the judge calls Yes
    false_alarms: Statistic = UNKNOWN  # Yes and No only: share of people's Yes that the judge calls No
    agreement_by_repeat: tuple[float, ...] = ()  # observed agreement of each repeat, if there are several


@dataclass(frozen=True)
class PairAgreement:
    """Two reviewers compared over the items that both labelled."""

    reviewers: tuple[str, str]
    n: int  # items
    percent: Statistic
    kappa: Statistic  # Cohen's


@dataclass(frozen=True)
class ReviewerAgreement:
    """The agreement of people with each other."""

    labels: int  # without "cannot say"
    reviewers: tuple[str, ...]
    shared: int  # items labelled by two reviewers or more
    percent: Statistic
    alpha: Statistic  # Krippendorff's
    pairs: tuple[PairAgreement, ...]
    yes_share: Statistic
    truth: Truth


def judge_agreement(
    verdicts: Sequence[JudgeVerdict], truth: Mapping[str, str], scale: Scale, group_of: Mapping[str, str]
) -> JudgeAgreement:
    """A judge compared with one verdict per item; only items that have both count.

    group_of: the conversation of an item; one without is by itself. If a judge has k repeats, each verdict counts
    1/k, so that a conversation's table varies as the judge does: the interval contains its own variation (conversations
    alone are resampled, not the repeats within them: Davison and Hinkley 1997, Bootstrap Methods and their Application,
    3.8).
    """
    known = [one for one in verdicts if one.item in truth and one.categories]
    categories = categories_of(scale, [truth[one.item] for one in known] + [c for one in known for c in one.categories])
    times = max((len(one.categories) for one in known), default=0)
    people = places_of([truth[one.item] for one in known], categories)
    asked = [places_of([one.categories[n % len(one.categories)] for one in known], categories) for n in range(times)]
    groups = codes_of([group_of.get(one.item) or ("", one.item) for one in known])
    return coded_agreement(people, asked, groups, scale, categories)


def coded_agreement(
    people: Codes,
    asked: Sequence[Codes],
    groups: Codes,
    scale: Scale,
    categories: tuple[str, ...],
    weights: Numbers | None = None,
) -> JudgeAgreement:
    """The same for verdicts given as indexes of categories, which is fast for tens of thousands.

    people: one per item; asked: the judge's, one sequence per repeat; groups: conversations, from
    `core.agreement.tables.codes_of`; weights: how many items each represents, if they were not drawn with equal chances.
    """
    n = len(people)
    if not n:
        return JudgeAgreement(0, {}, UNKNOWN, UNKNOWN, UNKNOWN)
    weights = np.ones(n) if weights is None else weights
    weights = weights * n / weights.sum()
    each = np.stack([confusion_tables(people, judged, len(categories), groups, weights) for judged in asked])
    tables = each.mean(axis=0)
    total = tables.sum(axis=0)
    found = statistics(tables, _measures(scale))
    rows = zip(categories, total.tolist(), strict=True)
    confusion = {a: {b: round(n, 6) for b, n in zip(categories, row, strict=True)} for a, row in rows}
    agreement_by_repeat = tuple(float(observed_agreement(one.sum(axis=0))) for one in each) if len(each) > 1 else ()
    return JudgeAgreement(n, confusion, **found, agreement_by_repeat=agreement_by_repeat)


def reviewer_agreement(
    labels: Sequence[Label], scale: Scale, group_of: Mapping[str, str], arbiter: str = ""
) -> ReviewerAgreement:
    """The agreement of people with each other; each reviewer's last label of an item counts."""
    verdicts = latest(labels)
    decided = [one for one in verdicts if one.label != CANNOT_SAY]
    reviewers = tuple(sorted({one.reviewer for one in decided}))
    truth = truth_of(verdicts, arbiter)
    categories = categories_of(scale, [one.label for one in decided])

    def group(item: str) -> Any:
        return group_of.get(item) or ("", item)

    tables = coincidence_tables(decided, categories, group)
    shared = sum(n > 1 for n in Counter(one.item for one in decided).values())
    measures: dict[str, Measure] = {
        "percent": observed_agreement,
        "alpha": lambda drawn: alpha(drawn, scale == "grades"),
    }
    found = statistics(tables, measures, symmetric=True) if shared else dict.fromkeys(measures, UNKNOWN)
    pairs = _pairs(decided, reviewers, scale, categories, group)
    yes = UNKNOWN
    if scale == "yes_no" and truth.verdicts:
        items = list(truth.verdicts)
        both = places_of([truth.verdicts[item] for item in items], categories)
        own = confusion_tables(both, both, len(categories), codes_of([group(item) for item in items]))
        yes = statistics(own, {"yes": yes_share})["yes"]
    return ReviewerAgreement(len(decided), reviewers, shared, found["percent"], found["alpha"], pairs, yes, truth)


def _pairs(
    decided: Sequence[Label], reviewers: Sequence[str], scale: Scale, categories: Sequence[str], group: Any
) -> tuple[PairAgreement, ...]:
    """Each pair of reviewers; of many pairs, those that share the most items."""
    items = list(dict.fromkeys(one.item for one in decided))
    groups, row = codes_of([group(item) for item in items]), {item: n for n, item in enumerate(items)}
    who = places_of([one.reviewer for one in decided], reviewers)
    rows, places = np.array([row[one.item] for one in decided]), places_of([one.label for one in decided], categories)
    answers: dict[int, dict[int, int]] = defaultdict(dict)  # by reviewer: the category of each item that they labelled
    for reviewer, item, place in zip(who.tolist(), rows.tolist(), places.tolist(), strict=True):
        answers[reviewer][item] = place

    def compared(a: int, b: int) -> PairAgreement:
        """Two reviewers over the items that both labelled."""
        both = sorted(answers[a].keys() & answers[b].keys())
        found = {"percent": UNKNOWN, "kappa": UNKNOWN}
        if both:
            ours, theirs = (np.array([answers[one][item] for item in both]) for one in (a, b))
            tables = confusion_tables(ours, theirs, len(categories), codes_of(groups[both]))
            found = statistics(tables, {name: _measures(scale)[name] for name in found})
        return PairAgreement((reviewers[a], reviewers[b]), len(both), **found)

    every = combinations(range(len(reviewers)), 2)
    return tuple(compared(a, b) for a, b in (every if len(reviewers) <= ALL_PAIRS_REVIEWERS else _closest(who, rows)))


def _closest(who: Codes, rows: Codes) -> list[tuple[int, int]]:
    """The pairs of reviewers that share the most items, at most MAX_PAIRS, among those with the most labels."""
    from scipy import sparse as library

    sparse: Any = library
    busiest = np.sort(np.argsort(-np.bincount(who), kind="stable")[:MAX_REVIEWERS])
    there = sparse.coo_matrix((np.ones(len(who), dtype=np.int32), (who, rows))).tocsr()[busiest]
    shared: NDArray[np.int32] = np.triu((there @ there.T).toarray(), 1)
    best = np.argsort(-shared, axis=None, kind="stable")[:MAX_PAIRS]
    found = sorted(zip(*(one.tolist() for one in np.unravel_index(best, shared.shape)), strict=True))
    return [(int(busiest[a]), int(busiest[b])) for a, b in found if shared[a, b]]


def _measures(scale: Scale) -> dict[str, Measure]:
    found: dict[str, Measure] = {
        "percent": observed_agreement,
        "kappa": quadratic_kappa if scale == "grades" else kappa,
        "balanced_accuracy": balanced_accuracy,
    }
    return found | ({"misses": row_error(0), "false_alarms": row_error(1)} if scale == "yes_no" else {})
