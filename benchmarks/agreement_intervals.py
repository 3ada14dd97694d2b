"""Do the 95 % intervals of agreement cover the truth in 95 % of samples? On simulated labels, with a fixed seed.

    python -m benchmarks.agreement_intervals [--trials 2000] [--only random|order|corrected|repeats]

Four parts: labels of conversations drawn at random (agreement, kappa, balanced accuracy, misses, false alarms, alpha between
two reviewers), labels in the drawn order of labelling (weighted by the inverse chance), the mean corrected for a judge's
errors in both, with its width against that of the labels alone, and a judge that varies, asked three times. The truth is
that of all conversations of the kind, of which a run is a sample. A share of 2,000 samples is itself known to within a point.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from core.agreement.corrected_mean import corrected_mean
from core.agreement.intervals import Statistic, statistics
from core.agreement.sampling import Drawn, chances, weights
from core.agreement.tables import (
    Measure,
    Numbers,
    alpha,
    balanced_accuracy,
    codes_of,
    confusion_tables,
    kappa,
    observed_agreement,
    row_error,
)

SIZES = (30, 60, 120, 300)  # labels
CONVERSATIONS = 500  # of the run that is labelled in part
MEASURES: dict[str, Measure] = {
    "agreement": observed_agreement, "kappa": kappa, "balanced": balanced_accuracy, "misses": row_error(0), "false alarms": row_error(1),
}  # fmt: skip


class Kind(NamedTuple):
    """A kind of conversations.

    right: share that people call right; sure, alert: how often the judge is right about right and about wrong replies;
    longest: turns of a conversation at most; together: share of turns that go as their conversation does.
    """

    right: float
    sure: float
    alert: float
    longest: int = 1
    together: float = 0.0


KINDS = (Kind(0.55, 0.9, 0.9), Kind(0.8, 0.95, 0.7), Kind(0.55, 0.85, 0.8, 5, 0.5), Kind(0.85, 0.9, 0.6, 5, 0.5), Kind(0.7, 0.97, 0.95, 4, 0.3))  # fmt: skip
MANY = 300_000  # conversations that stand for all


class Sample(NamedTuple):
    """What people and the judge say of each turn, and its conversation."""

    people: Any
    judge: Any
    of: Any


class Coverage:
    """How many intervals cover the truth."""

    def __init__(self, truth: dict[str, float]) -> None:
        self.truth, self.covered, self.all, self.widths = truth, defaultdict[str, int](int), defaultdict[str, int](int), defaultdict[str, float](float)  # fmt: skip

    def add(self, found: dict[str, Statistic]) -> None:
        for name, one in found.items():
            if one.low is not None and one.high is not None:
                self.all[name] += 1
                self.covered[name] += one.low - 1e-9 <= self.truth[name] <= one.high + 1e-9
                self.widths[name] += one.high - one.low

    def shares(self, trials: int) -> str:
        return " | ".join(
            f"{name} {self.covered[name] / self.all[name]:.3f}" if 2 * self.all[name] > trials else f"{name} none"
            for name in self.truth
        )

    def width(self, name: str) -> float:
        return self.widths[name] / max(1, self.all[name])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--trials", type=int, default=2_000)
    parts = {"random": at_random, "order": in_order, "corrected": corrected, "repeats": repeats}
    arguments.add_argument("--only", choices=list(parts))
    options = arguments.parse_args()
    for name, part in parts.items():
        if options.only in (None, name):
            part(options.trials)


def drawn(random: Any, kind: Kind, conversations: int) -> Sample:
    of = np.repeat(np.arange(conversations), random.integers(1, kind.longest + 1, conversations))

    def happens(chance: Any) -> Any:
        shared = random.random(conversations)[of]
        return np.where(random.random(len(of)) < kind.together, shared, random.random(len(of))) < chance

    people = happens(kind.right)
    found = np.where(people, happens(kind.sure), happens(kind.alert))
    return Sample(people, np.where(found, people, ~people), of)


def first_labels(sample: Sample, labels: int) -> Sample:
    """Whole conversations, until there are so many labels."""
    return Sample(*(one[:labels] for one in sample))


def tables_of(sample: Sample, weight: Numbers | None = None) -> Numbers:
    people, judge = (verdicts.astype(np.intp) for verdicts in (sample.people, sample.judge))
    return confusion_tables(people, judge, 2, codes_of(sample.of.tolist()), weight)


def coincidences(sample: Sample) -> Numbers:
    """Those of two reviewers: a table and its mirror image."""
    tables = tables_of(sample)
    return tables + tables.transpose(0, 2, 1)


def at_random(trials: int) -> None:
    print("share of samples whose interval covers the truth, by number of labels, and of conversations that have them")
    for kind in KINDS:
        everything = drawn(np.random.default_rng(0), kind, MANY)
        whole, both = tables_of(everything).sum(axis=0), coincidences(everything).sum(axis=0)
        truth = {name: float(measure(whole)) for name, measure in MEASURES.items()} | {"alpha": float(alpha(both))}
        print(f"\n{kind}: " + ", ".join(f"{name} {value:.3f}" for name, value in truth.items()))
        for size in SIZES:
            random, found, groups = np.random.default_rng(size), Coverage(truth), 0
            for _ in range(trials):
                sample = first_labels(drawn(random, kind, size), size)
                groups += sample.of[-1] + 1
                found.add(statistics(tables_of(sample), MEASURES))
                found.add(statistics(coincidences(sample), {"alpha": alpha}, symmetric=True))
            print(f"{size:4} labels {groups / trials:5.0f} | {found.shares(trials)}", flush=True)


class Run(NamedTuple):
    """A run of which some turns are labelled, in the order of labelling."""

    sample: Sample
    items: Any
    chance: Any


def scored(random: Any, conversations: int) -> tuple[Sample, Any]:
    """Conversations of three turns with the judge's scores; the judge errs near its threshold, 0.5."""
    n, of = conversations * 3, np.repeat(np.arange(conversations), 3)
    scores = np.clip(random.beta(2, 1.2, n) * 0.8 + random.random(conversations)[of] * 0.2, 0, 1)
    shared = np.where(random.random(n) < 0.4, random.random(conversations)[of], random.random(n))
    return Sample(shared < 1 / (1 + np.exp(-8 * (scores - 0.55))), scores >= 0.5, of), scores


def runs_in_order(trials: int, labels: int) -> Iterator[Run]:
    for trial in range(trials):
        random = np.random.default_rng(trial)
        sample, scores = scored(random, CONVERSATIONS)
        n = len(scores)
        kinds = ["rare" if one % 12 == 0 else "common" for one in range(n)]
        weight = weights({"judge": list(scores)}, {"judge": 0.5}, kinds)
        order = sorted(map(Drawn, range(n), weight, random.random(n)), key=lambda one: one.place)
        chance = chances(order, {one.turn_id for one in order[:labels]})
        yield Run(sample, np.array(list(chance)), np.array(list(chance.values())))


def in_order(trials: int) -> None:
    """A run of 1,500 turns is labelled in the drawn order."""
    print(f"\nlabelled in the drawn order, of {CONVERSATIONS * 3:,} turns in {CONVERSATIONS} conversations")
    whole = tables_of(scored(np.random.default_rng(0), MANY)[0]).sum(axis=0)
    truth = {name: float(measure(whole)) for name, measure in MEASURES.items()}
    print(", ".join(f"{name} {value:.3f}" for name, value in truth.items()))
    for labels in SIZES:
        found, plain, bias = Coverage(truth), Coverage(truth), 0.0
        for run in runs_in_order(trials, labels):
            some = Sample(*(one[run.items] for one in run.sample))
            counts = 1 / run.chance
            one = statistics(tables_of(some, counts * len(counts) / counts.sum()), MEASURES)
            found.add(one)
            plain.add(statistics(tables_of(some), MEASURES))
            bias += (one["agreement"].value or 0.0) - truth["agreement"]
        print(f"{labels:4} labels | {found.shares(trials)} | bias of agreement {bias / trials:+.4f}")
        print(f"       unweighted | {plain.shares(trials)}", flush=True)


def corrected(trials: int) -> None:
    print(f"\nthe share that people call right, from {CONVERSATIONS} conversations judged and some labelled")
    print("kind, labels | corrected | labels alone | width | width, labels alone")
    for kind in KINDS:
        truth = float(drawn(np.random.default_rng(0), kind, MANY).people.mean())
        for labels in SIZES:
            random, found = np.random.default_rng(labels), Coverage({"corrected": truth, "alone": truth})
            for _ in range(trials):
                people, judge, of = drawn(random, kind, CONVERSATIONS)
                known = np.arange(len(of)) < labels
                add_corrected(found, judge, np.where(known, people, np.nan), of, None)
            report_corrected(f"{tuple(kind)} {labels:4}", found, trials)
    truth = float(scored(np.random.default_rng(0), MANY)[0].people.mean())
    for labels in SIZES:
        found = Coverage({"corrected": truth, "alone": truth})
        for run in runs_in_order(trials, labels):
            people, chance = np.full(len(run.sample.of), np.nan), np.ones(len(run.sample.of))
            people[run.items], chance[run.items] = run.sample.people[run.items], run.chance
            add_corrected(found, run.sample.judge, people, run.sample.of, chance.tolist())
        report_corrected(f"in the drawn order {labels:4}", found, trials)


def add_corrected(found: Coverage, judge: Any, people: Any, of: Any, chance: list[float] | None) -> None:
    if one := corrected_mean(judge, people, of.tolist(), chance):
        found.add({"corrected": one.corrected, "alone": one.labels})


def report_corrected(name: str, found: Coverage, trials: int) -> None:
    widths = f"{found.width('corrected'):.3f} | {found.width('alone'):.3f}"
    print(f"{name} | {found.shares(trials)} | {widths}", flush=True)


def repeats(trials: int) -> None:
    """A model judge that says otherwise in some verdicts is asked three times."""
    print(
        "\na judge that varies, asked three times: the truth, and what it agrees when it is asked once more about the same"
    )
    for kind in (KINDS[0], KINDS[2]):
        for varies in (0.1, 0.25):
            everything = drawn(np.random.default_rng(0), kind, MANY)
            truth = tables_of(flipped(np.random.default_rng(1), everything, varies)).sum(axis=0)
            for labels in (60, 120, 300):
                random, names = np.random.default_rng(labels), {"agreement": observed_agreement, "kappa": kappa}
                found = Coverage({name: float(measure(truth)) for name, measure in names.items()})
                within = dict.fromkeys(names, 0)
                for _ in range(trials):
                    sample = first_labels(drawn(random, kind, labels), labels)
                    asked = [tables_of(flipped(random, sample, varies)) for _ in range(4)]
                    one = statistics(np.mean(asked[:3], axis=0), names)
                    found.add(one)
                    for name, measure in names.items():
                        low, high = one[name].low, one[name].high
                        repeat = float(measure(asked[3].sum(axis=0)))
                        within[name] += low is not None and high is not None and low <= repeat <= high
                line = " | ".join(f"{name} {n / max(1, found.all[name]):.3f}" for name, n in within.items())
                print(
                    f"{tuple(kind)} varies in {varies}, {labels:4} | {found.shares(trials)} | once more: {line}",
                    flush=True,
                )


def flipped(random: Any, sample: Sample, varies: float) -> Sample:
    return sample._replace(judge=sample.judge ^ (random.random(len(sample.judge)) < varies))


if __name__ == "__main__":
    main()
