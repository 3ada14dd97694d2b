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
    found: dict[str, PreferenceAgreement] = {}
    for judge, (scores, lower) in values.items():
        one = _agreement(_decided(chosen), scores, -1.0 if lower else 1.0)
        if one.n:
            found[judge] = one
    return found


def preference_counts(store: Store, chosen: Sequence[Sides]) -> PreferenceCounts:
    """How many choices there are, and which (bot, conversation, turn) the turn judge has not scored."""
    scores, _ = _values(store, chosen).get("turn", ({}, False))
    decided = _decided(chosen)
    turns = [(*one.left, one.preference.left) for one in decided] + [
        (*one.right, one.preference.right) for one in decided
    ]
    unscored = tuple(one for one in dict.fromkeys(turns) if one[2] not in scores)
    return PreferenceCounts(len(chosen), len(chosen) - len(decided), unscored)


def preference_labels(store: Store, bot: str) -> list[TurnLabel]:
    """Choices that call both replies good or bad as labels of the bot's turns; what a reviewer labelled by hand stays."""
    known = {
        (one.turn_id, one.reviewer) for one in store.reviews.of_pool(chats_of(bot)) if one.source != "better_of_two"
    }
    found: dict[tuple[int, str], TurnLabel] = {}
    for one in store.preferences.of_bot(bot):
        left, right, reviewer, choice = one.preference
        for turn, (owner, _) in ((left, one.left), (right, one.right)):
            if choice in VERDICTS and owner == bot and (turn, reviewer) not in known:
                verdict = "yes" if VERDICTS[choice] == "yes" else "no"
                found[turn, reviewer] = TurnLabel(
                    turn_id=turn, reviewer=reviewer, verdict=verdict, source="better_of_two"
                )
    return list(found.values())


def thumb_labels(store: Store, bot: str, reviewer: str) -> list[TurnLabel]:
    """Thumbs of the chat page as labels."""
    return [
        TurnLabel(turn_id=turn, reviewer=reviewer, verdict="yes" if up else "no", source="thumbs")
        for turn, up in store.reviews.thumbs(chats_of(bot)).items()
    ]


def _decided(chosen: Sequence[Sides]) -> list[Sides]:
    return [one for one in chosen if one.preference.choice not in VERDICTS]


def _agreement(decided: Sequence[Sides], scores: Mapping[int, float], sign: float) -> PreferenceAgreement:
    """Of the choices of which both turns have a score."""
    known = [one for one in decided if one.preference.left in scores and one.preference.right in scores]
    tables = np.zeros((len(known), 2, 2))
    counts = {"same": 0, "opposite": 0, "ties": 0}
    for table, one in zip(tables, known, strict=True):
        apart = sign * (scores[one.preference.left] - scores[one.preference.right])
        row = 0 if one.preference.choice == "left" else 1
        if abs(apart) <= ALIKE:
            counts["ties"] += 1
            table[row] = 0.5
        else:
            column = 0 if apart > 0 else 1
            counts["same" if row == column else "opposite"] += 1
            table[row, column] = 1.0
    groups = codes_of([one.left[1] for one in known])
    summed = np.zeros((int(groups.max()) + 1 if len(known) else 0, 2, 2))
    np.add.at(summed, groups, tables)
    share = statistics(summed, {"share": observed_agreement})["share"] if len(known) else Statistic(None)
    return PreferenceAgreement(len(known), **counts, share=share)


def _values(store: Store, chosen: Sequence[Sides]) -> dict[str, tuple[dict[int, float], bool]]:
    """What each judge's headline criterion gave the turns, and whether lower is better."""
    bots = dict.fromkeys(bot for one in chosen for bot in (one.left[0], one.right[0]))
    pools: list[ReviewTurns] = [review_turns(store, chats_of(bot)) for bot in bots]
    found: dict[str, tuple[dict[int, float], bool]] = {}
    for turns in pools:
        for judge, values in turns.values.items():
            scores, _ = found.setdefault(judge, ({}, judge in turns.lower))
            scores.update({turn: value for turn, value in zip(turns.ids, values, strict=True) if value == value})
    return found
