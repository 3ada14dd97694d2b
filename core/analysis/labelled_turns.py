"""Judges against the people who labelled a bot's turns: what a page about agreement shows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.agreement.agreement import (
    JudgeAgreement,
    JudgeVerdict,
    ReviewerAgreement,
    coded_agreement,
    judge_agreement,
    reviewer_agreement,
)
from core.agreement.corrected_mean import CorrectedMean, corrected_mean
from core.agreement.labels import NO, YES, Label
from core.agreement.sampling import MIN_LABELS, chances, labels_needed
from core.agreement.tables import Codes, Numbers, codes_of, places_of
from core.agreement.thresholds import FittedThreshold, fit_threshold, says_yes, yes_of
from core.analysis.label_pools import PoolTurns, label_queue, threshold_of, turns_of_pool
from core.base.cached_method import cached_method
from core.store.labels import OPEN, TurnLabel
from core.store.store import Store

MAX_CACHED = 256  # results of a method: of each judge and part; they must not be changed
REASON_START = 70  # characters of a reason that tell its kind
_QUOTED = re.compile(r"「[^「」]*」|“[^“”]*”|『[^『』]*』|\"[^\"]*\"")
_NUMBERS = re.compile(r"[0-9０-９]{1,12}(?:[.,][0-9]{1,12})?")


class LabelledRows(NamedTuple):
    """The turns with a verdict of people, in one order: right is 1 or 0, groups are conversations as numbers.

    weights: how many turns each stands for, NaN if it was not labelled in the drawn order.
    """

    turns: tuple[str, ...]
    right: Codes
    groups: Codes
    weights: Numbers


@dataclass(frozen=True)
class LabelledTurns:
    """The labels of one or several pools, with what is known of their turns, by the turn's id as text.

    weight_of: how many turns each labelled one stands for, of those that were labelled in the drawn order.
    """

    turns: tuple[PoolTurns, ...]
    labels: tuple[TurnLabel, ...]
    people: ReviewerAgreement
    group_of: Mapping[str, str]
    weight_of: Mapping[str, float]
    parts: Mapping[str, Mapping[str, str]]

    @cached_property
    def rows(self) -> LabelledRows:
        """The turns that people have a verdict on."""
        verdicts = self.people.truth.verdicts
        return LabelledRows(
            tuple(verdicts),
            np.array([verdict == YES for verdict in verdicts.values()], dtype=np.intp),
            codes_of([self.group_of.get(turn) or ("", turn) for turn in verdicts]),
            np.array([self.weight_of.get(turn, np.nan) for turn in verdicts]),
        )

    @cached_method(MAX_CACHED)
    def labelled_values(self, judge: str) -> Numbers:
        """What a judge gave the labelled turns, NaN if it gave nothing."""
        values = self.values(judge)
        return np.array([values.get(turn, np.nan) for turn in self.rows.turns])

    @property
    def judges(self) -> tuple[str, ...]:
        """The judges that scored any of the turns."""
        return tuple(dict.fromkeys(name for pool_turns in self.turns for name in pool_turns.values))

    @cached_method(MAX_CACHED)
    def values(self, judge: str) -> dict[str, float]:
        """What a judge gave each turn, labelled or not."""
        return _by_turn((pool_turns, pool_turns.values.get(judge, ())) for pool_turns in self.turns)

    def criterion(self, judge: str) -> str:
        """The criterion that stands for a judge."""
        return next(
            (pool_turns.main_criteria[judge] for pool_turns in self.turns if judge in pool_turns.main_criteria), ""
        )

    def lower_is_better(self, judge: str) -> bool:
        """Whether lower values of that criterion are better."""
        return any(judge in pool_turns.lower_judges for pool_turns in self.turns)

    def says_yes(self, judge: str, value: float) -> bool:
        """Whether a judge's value is a Yes at its own threshold."""
        return says_yes(value, threshold_of(judge), self.lower_is_better(judge))

    @cached_method(MAX_CACHED)
    def agreement(self, judge: str, only: frozenset[str] | None = None) -> JudgeAgreement:
        """A judge against people's verdicts.

        Turns that were labelled in the drawn order count as many times as they stand for, so that the figures hold for all
        turns; others count only if there is none of these. only: of these turns.
        """
        all_rows = self.rows
        rows = np.ones(len(all_rows.turns), dtype=bool)
        if self.weight_of:
            rows &= ~np.isnan(all_rows.weights)
        if only is not None:
            rows &= np.array([turn in only for turn in all_rows.turns], dtype=bool)
        return self._compared(judge, rows, all_rows.weights if self.weight_of else None)

    @cached_property
    def judged_by_all(self) -> frozenset[str]:
        """The labelled turns that every judge has scored, judges without any score left aside."""
        scored = filter(None, map(self.values, self.judges))
        return frozenset(self.people.truth.verdicts).intersection(*scored)

    @cached_method(MAX_CACHED)
    def agreement_by(self, judge: str, part: str) -> dict[str, JudgeAgreement]:
        """The same for each persona, kind or language, all labels alike; the largest first."""
        names = [self.parts.get(turn, {}).get(part, "") for turn in self.rows.turns]
        known = [name for name in dict.fromkeys(names) if name]
        of = places_of(names, ["", *known])
        agreements = [(name, self._compared(judge, of == n)) for n, name in enumerate(known, 1)]
        return dict(sorted((pair for pair in agreements if pair[1].n), key=lambda pair: -pair[1].n))

    @cached_method(MAX_CACHED)
    def best_threshold(self, judge: str) -> FittedThreshold | None:
        """The threshold on a judge's score that best reproduces people's verdicts, fitted on one half of the conversations."""
        all_rows, values = self.rows, self.labelled_values(judge)
        places = np.flatnonzero(~np.isnan(values))
        if not len(places):
            return None
        groups = [self.group_of.get(all_rows.turns[n], all_rows.turns[n]) for n in places]
        return fit_threshold(
            values[places], all_rows.right[places] == 1, groups, threshold_of(judge), self.lower_is_better(judge)
        )

    def _compared(self, judge: str, rows: NDArray[np.bool_], weights: Numbers | None = None) -> JudgeAgreement:
        """A judge against people over some of the labelled turns, those without a value left out."""
        all_rows, (asked, times) = self.rows, self._asked(judge)
        rows = rows & ~np.isnan(self.labelled_values(judge))
        asked_rows = [verdicts[rows] for verdicts in asked[: int(times[rows].max(initial=0))]]
        groups, chosen = codes_of(all_rows.groups[rows]), None if weights is None else weights[rows]
        return coded_agreement(all_rows.right[rows], asked_rows, groups, "yes_no", (NO, YES), chosen)

    @cached_method(MAX_CACHED)
    def _asked(self, judge: str) -> tuple[list[Codes], Codes]:
        """The judge's verdict on each labelled turn (0: no, 1: yes), for each time that it was asked, and how often it was."""
        repeats = {
            str(turn): verdicts
            for pool_turns in self.turns
            for turn, verdicts in pool_turns.repeats.get(judge, {}).items()
        }
        once = self.labelled_values(judge).tolist()
        verdicts = [repeats.get(turn) or (value,) for turn, value in zip(self.rows.turns, once, strict=True)]
        times = np.array([len(values) for values in verdicts], dtype=np.intp)
        rounds = (
            np.array([values[time % len(values)] for values in verdicts], dtype=float)
            for time in range(int(times.max(initial=1)))
        )
        threshold, lower = threshold_of(judge), self.lower_is_better(judge)
        return [yes_of(values, threshold, lower).astype(np.intp) for values in rounds], times


def _by_turn(values: Iterable[tuple[PoolTurns, Sequence[float]]]) -> dict[str, float]:
    """The values of turns that have one, by the turn."""
    return {
        str(turn): value
        for pool_turns, numbers in values
        for turn, value in zip(pool_turns.ids, numbers, strict=False)
        if value == value
    }


class Disagreement(NamedTuple):
    """A turn on which people and a judge differ."""

    turn: int
    pool: str
    people: str
    judge: str
    reasons: str


def labelled_turns(
    store: Store, pools: Sequence[str], languages: Mapping[str, str], arbiter: str = ""
) -> LabelledTurns:
    """The labels of pools (`core.store.labels`); languages: of each pool."""
    turns = tuple(turns_of_pool(store, pool) for pool in pools)
    labels = tuple(label for pool in pools for label in store.labels.of_pool(pool))
    verdicts = [Label(str(label.turn_id), label.reviewer, label.verdict) for label in labels if label.verdict != OPEN]
    group_of = {
        str(turn): name
        for pool_turns in turns
        for turn, name in zip(pool_turns.ids, pool_turns.conversations, strict=True)
    }
    weight_of: dict[str, float] = {}
    for pool_turns in turns:
        labelled = {int(label.item) for label in verdicts} & set(pool_turns.ids)
        drawn = chances(label_queue(store, pool_turns), labelled) if labelled else {}
        weight_of |= {str(turn): 1 / chance for turn, chance in drawn.items()}
    parts = {
        str(turn): {"persona": persona, "kind": kind, "language": languages.get(pool_turns.pool, "")}
        for pool_turns in turns
        for turn, persona, kind in zip(pool_turns.ids, pool_turns.personas, pool_turns.kinds, strict=True)
    }
    people = reviewer_agreement(verdicts, "yes_no", group_of, arbiter)
    return LabelledTurns(turns, labels, people, group_of, weight_of, parts)


def grade_agreement(labelled: LabelledTurns) -> dict[str, JudgeAgreement]:
    """The turn judge's criteria against people's grades from 1 to 5, with quadratic weights."""
    grades: dict[str, list[Label]] = defaultdict(list)
    for label in labelled.labels:
        for criterion, grade in label.grades.items():
            grades[criterion].append(Label(str(label.turn_id), label.reviewer, str(grade)))
    result: dict[str, JudgeAgreement] = {}
    for criterion, labels in grades.items():
        means = _by_turn((pool_turns, pool_turns.criteria.get(criterion, ())) for pool_turns in labelled.turns)
        truth = reviewer_agreement(labels, "grades", labelled.group_of).truth.verdicts
        verdicts = [JudgeVerdict(turn, (str(min(5, max(1, round(value * 5)))),)) for turn, value in means.items()]
        if (compared := judge_agreement(verdicts, truth, "grades", labelled.group_of)).n:
            result[criterion] = compared
    return result


class NeededLabels(NamedTuple):
    """The labels that a verdict on a judge still needs."""

    n: int
    first: bool  # there are too few to say anything of the judge

    @property
    def text_key(self) -> str:
        """The text key of the sentence that asks for them."""
        return "agreement.needed_first" if self.first else "agreement.needed"


def labels_still_needed(labelled: LabelledTurns, judge: str) -> NeededLabels:
    """How many more labels a verdict on the judge needs: kappa within ± 0.15."""
    compared = labelled.agreement(judge)
    return NeededLabels(labels_needed(compared.kappa, compared.n), compared.n < MIN_LABELS)


def corrected_share(labelled: LabelledTurns, judge: str) -> CorrectedMean | None:
    """The share of all turns that people would call right, from the judge's verdicts and the labels drawn in order."""
    values, truth = labelled.values(judge), labelled.people.truth.verdicts
    items = list(values)
    if not items:
        return None
    verdicts = [float(labelled.says_yes(judge, values[turn])) for turn in items]
    weights = labelled.weight_of or dict.fromkeys(truth, 1.0)
    people = [float(truth[turn] == YES) if turn in truth and turn in weights else np.nan for turn in items]
    chance = [1 / weights.get(turn, 1.0) for turn in items]
    return corrected_mean(verdicts, people, [labelled.group_of.get(turn, turn) for turn in items], chance)


def disagreements(store: Store, labelled: LabelledTurns, judge: str) -> list[list[Disagreement]]:
    """The turns on which people and a judge differ, together if the judge's reasons say the same, the commonest first.

    Reasons that differ in quotations and numbers alone say the same.
    """
    values, truth, criterion = labelled.values(judge), labelled.people.truth.verdicts, labelled.criterion(judge)
    pool_of = {str(turn): pool_turns.pool for pool_turns in labelled.turns for turn in pool_turns.ids}
    judged = {turn: YES if labelled.says_yes(judge, values[turn]) else NO for turn in truth if turn in values}
    differing = [turn for turn, verdict in judged.items() if verdict != truth[turn]]
    reasons = store.labels.verdicts([int(turn) for turn in differing], judge, criterion)
    groups: dict[str, list[Disagreement]] = defaultdict(list)
    for turn in differing:
        _, text = reasons.get(int(turn), ("", ""))
        kind = " ".join(_NUMBERS.sub("#", _QUOTED.sub("…", text)).split())  # without quotations and numbers
        groups[kind[:REASON_START]].append(Disagreement(int(turn), pool_of[turn], truth[turn], judged[turn], text))
    return sorted(groups.values(), key=lambda group: -len(group))


def max_repeats(labelled: LabelledTurns, judge: str) -> int:
    """How often a judge was asked about a turn, at most."""
    return max(
        (len(verdicts) for pool_turns in labelled.turns for verdicts in pool_turns.repeats.get(judge, {}).values()),
        default=1,
    )
