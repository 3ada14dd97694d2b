"""Judges against people who chose the better of two replies: does the judge's score put them in the same order?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.agreement.intervals import UNKNOWN, Statistic, statistics
from core.agreement.tables import codes_of, confusion_tables, observed_agreement
from core.analysis.label_pools import turns_of_pool
from core.base.types import TURN_JUDGE
from core.store.labels import TurnLabel, Verdict, chats_of
from core.store.preferences import Sides
from core.store.store import Store

TIE_UP_TO = 1e-9  # difference of two scores up to which the judge sees none
VERDICTS: dict[str, Verdict] = {"both_good": "yes", "both_bad": "no"}  # what a choice says of each reply by itself


class PreferenceAgreement(NamedTuple):
    """A judge's order of two replies against people's choice between them.

    n: choices for one of two replies that the judge has both scored; same, opposite: with the judge's order, ties: the
    judge scores both alike; share: in the same order, a tie counted as one half (as in the area under a ROC curve).
    """

    n: int
    same: int
    opposite: int
    ties: int
    share: Statistic


class PreferenceCounts(NamedTuple):
    """All choices, those that call both replies good or bad, and the turns of the others that have no score yet."""

    all: int
    alike: int
    unscored: tuple[tuple[str, str, int], ...]


def preference_agreement(store: Store, chosen: Sequence[Sides]) -> dict[str, PreferenceAgreement]:
    """Each judge that scored both replies of a choice, by name; intervals over conversations."""
    agreements = {
        judge: _agreement(_decided(chosen), scores, -1.0 if lower else 1.0)
        for judge, (scores, lower) in _values(store, chosen).items()
    }
    return {judge: agreement for judge, agreement in agreements.items() if agreement.n}


def preference_counts(store: Store, chosen: Sequence[Sides]) -> PreferenceCounts:
    """How many choices there are, and which (bot, conversation, turn) the turn judge has not scored."""
    scores, _ = _values(store, chosen).get(TURN_JUDGE, ({}, False))
    decided = _decided(chosen)
    turns = [(*pair.left, pair.preference.left) for pair in decided]
    turns += [(*pair.right, pair.preference.right) for pair in decided]
    unscored = tuple(turn for turn in dict.fromkeys(turns) if turn[2] not in scores)
    return PreferenceCounts(len(chosen), len(chosen) - len(decided), unscored)


def preference_labels(store: Store, bot: str) -> list[TurnLabel]:
    """Choices that call both replies good or bad as labels of the bot's turns; what a reviewer labelled by hand stays."""
    labelled = {
        (label.turn_id, label.reviewer)
        for label in store.labels.of_pool(chats_of(bot))
        if label.source != "better_of_two"
    }
    labels: dict[tuple[int, str], TurnLabel] = {}
    for row in store.preferences.of_bot(bot):
        left, right, reviewer, choice = row.preference
        for turn, (owner, _) in ((left, row.left), (right, row.right)):
            if choice in VERDICTS and owner == bot and (turn, reviewer) not in labelled:
                label = TurnLabel(turn_id=turn, reviewer=reviewer, verdict=VERDICTS[choice], source="better_of_two")
                labels[turn, reviewer] = label
    return list(labels.values())


def thumb_labels(store: Store, bot: str, reviewer: str) -> list[TurnLabel]:
    """Thumbs of the chat page as labels."""
    return [
        TurnLabel(turn_id=turn, reviewer=reviewer, verdict="yes" if up else "no", source="thumbs")
        for turn, up in store.labels.thumbs(chats_of(bot)).items()
    ]


def _decided(chosen: Sequence[Sides]) -> list[Sides]:
    return [pair for pair in chosen if pair.preference.choice not in VERDICTS]


def _agreement(decided: Sequence[Sides], scores: Mapping[int, float], sign: float) -> PreferenceAgreement:
    """Of the choices of which both turns have a score."""
    scored = [pair for pair in decided if pair.preference.left in scores and pair.preference.right in scores]
    if not scored:
        return PreferenceAgreement(0, 0, 0, 0, UNKNOWN)
    apart = sign * np.array([scores[pair.preference.left] - scores[pair.preference.right] for pair in scored])
    people = np.array([pair.preference.choice == "right" for pair in scored], dtype=np.intp)
    judge, is_tie = (apart < 0).astype(np.intp), np.abs(apart) <= TIE_UP_TO
    groups = codes_of([pair.left[1] for pair in scored])
    tables = confusion_tables(people, judge, 2, groups, np.where(is_tie, 0.5, 1.0))
    tables += confusion_tables(people, 1 - judge, 2, groups, np.where(is_tie, 0.5, 0.0))
    share = statistics(tables, {"share": observed_agreement})["share"]
    ties, same = int(is_tie.sum()), int(((people == judge) & ~is_tie).sum())
    return PreferenceAgreement(len(scored), same, len(scored) - same - ties, ties, share)


def _values(store: Store, chosen: Sequence[Sides]) -> dict[str, tuple[dict[int, float], bool]]:
    """What each judge's main criterion gave the turns, and whether lower is better."""
    bots = dict.fromkeys(bot for pair in chosen for bot in (pair.left[0], pair.right[0]))
    by_judge: dict[str, tuple[dict[int, float], bool]] = {}
    for turns in (turns_of_pool(store, chats_of(bot)) for bot in bots):
        for judge, values in turns.values.items():
            scores, _ = by_judge.setdefault(judge, ({}, judge in turns.lower_judges))
            scores.update({turn: value for turn, value in zip(turns.ids, values, strict=True) if value == value})
    return by_judge
