"""Judges against people who chose the better of two replies: does the judge's score put them in the same order?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.agreement.intervals import Statistic, statistics
from core.agreement.tables import codes_of, observed_agreement
from core.analysis.reviews import ReviewTurns, review_turns
from core.store.preferences import Sides
from core.store.reviews import TurnLabel, chats_of
from core.store.store import Store

ALIKE = 1e-9  # difference of two scores up to which the judge sees none
VERDICTS = {"both_good": "yes", "both_bad": "no"}  # what a choice says of each reply by itself


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
    values = _values(store, chosen)
    agreements: dict[str, PreferenceAgreement] = {}
    for judge, (scores, lower) in values.items():
        agreement = _agreement(_decided(chosen), scores, -1.0 if lower else 1.0)
        if agreement.n:
            agreements[judge] = agreement
    return agreements


def preference_counts(store: Store, chosen: Sequence[Sides]) -> PreferenceCounts:
    """How many choices there are, and which (bot, conversation, turn) the turn judge has not scored."""
    scores, _ = _values(store, chosen).get("turn", ({}, False))
    decided = _decided(chosen)
    turns = [(*pair.left, pair.preference.left) for pair in decided] + [
        (*pair.right, pair.preference.right) for pair in decided
    ]
    unscored = tuple(turn for turn in dict.fromkeys(turns) if turn[2] not in scores)
    return PreferenceCounts(len(chosen), len(chosen) - len(decided), unscored)


def preference_labels(store: Store, bot: str) -> list[TurnLabel]:
    """Choices that call both replies good or bad as labels of the bot's turns; what a reviewer labelled by hand stays."""
    labelled = {
        (label.turn_id, label.reviewer)
        for label in store.reviews.of_pool(chats_of(bot))
        if label.source != "better_of_two"
    }
    labels: dict[tuple[int, str], TurnLabel] = {}
    for row in store.preferences.of_bot(bot):
        left, right, reviewer, choice = row.preference
        for turn, (owner, _) in ((left, row.left), (right, row.right)):
            if choice in VERDICTS and owner == bot and (turn, reviewer) not in labelled:
                verdict = "yes" if VERDICTS[choice] == "yes" else "no"
                labels[turn, reviewer] = TurnLabel(
                    turn_id=turn, reviewer=reviewer, verdict=verdict, source="better_of_two"
                )
    return list(labels.values())


def thumb_labels(store: Store, bot: str, reviewer: str) -> list[TurnLabel]:
    """Thumbs of the chat page as labels."""
    return [
        TurnLabel(turn_id=turn, reviewer=reviewer, verdict="yes" if up else "no", source="thumbs")
        for turn, up in store.reviews.thumbs(chats_of(bot)).items()
    ]


def _decided(chosen: Sequence[Sides]) -> list[Sides]:
    return [pair for pair in chosen if pair.preference.choice not in VERDICTS]


def _agreement(decided: Sequence[Sides], scores: Mapping[int, float], sign: float) -> PreferenceAgreement:
    """Of the choices of which both turns have a score."""
    scored = [pair for pair in decided if pair.preference.left in scores and pair.preference.right in scores]
    tables = np.zeros((len(scored), 2, 2))
    counts = {"same": 0, "opposite": 0, "ties": 0}
    for table, pair in zip(tables, scored, strict=True):
        apart = sign * (scores[pair.preference.left] - scores[pair.preference.right])
        row = 0 if pair.preference.choice == "left" else 1
        if abs(apart) <= ALIKE:
            counts["ties"] += 1
            table[row] = 0.5
        else:
            column = 0 if apart > 0 else 1
            counts["same" if row == column else "opposite"] += 1
            table[row, column] = 1.0
    groups = codes_of([pair.left[1] for pair in scored])
    summed = np.zeros((int(groups.max()) + 1 if len(scored) else 0, 2, 2))
    np.add.at(summed, groups, tables)
    share = statistics(summed, {"share": observed_agreement})["share"] if len(scored) else Statistic(None)
    return PreferenceAgreement(len(scored), **counts, share=share)


def _values(store: Store, chosen: Sequence[Sides]) -> dict[str, tuple[dict[int, float], bool]]:
    """What each judge's headline criterion gave the turns, and whether lower is better."""
    bots = dict.fromkeys(bot for pair in chosen for bot in (pair.left[0], pair.right[0]))
    pools: list[ReviewTurns] = [review_turns(store, chats_of(bot)) for bot in bots]
    by_judge: dict[str, tuple[dict[int, float], bool]] = {}
    for turns in pools:
        for judge, values in turns.values.items():
            scores, _ = by_judge.setdefault(judge, ({}, judge in turns.lower))
            scores.update({turn: value for turn, value in zip(turns.ids, values, strict=True) if value == value})
    return by_judge
