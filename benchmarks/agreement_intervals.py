"""Do the 95 % intervals of agreement hold the truth in 95 % of samples? On simulated labels, with a fixed seed.

    python -m benchmarks.agreement_intervals [--trials 1000]

Three parts: intervals of conversations drawn at random (kappa, agreement, alpha between two reviewers), the same
under the order of labelling (weighted by the inverse chance), and the mean corrected for a judge's errors, with its width
against that of the labels alone. A share of samples over 1,000 trials is itself known to within 1.4 points.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from core.agreement.corrected_mean import corrected_mean
from core.agreement.intervals import Statistic, statistics
from core.agreement.sampling import Drawn, chances, weights
from core.agreement.tables import Numbers, alpha, balanced_accuracy, codes_of, confusion_tables, kappa, percent

# share that people call right, how often the judge is right about right and about wrong replies, most turns of a
# conversation, share of turns that go as their conversation does
CASES = ((0.55, 0.9, 0.9, 1, 0.0), (0.8, 0.95, 0.7, 1, 0.0), (0.55, 0.85, 0.8, 5, 0.5), (0.85, 0.9, 0.6, 5, 0.5), (0.7, 0.97, 0.95, 4, 0.3))  # fmt: skip
SIZES = (30, 60, 150, 400, 600)  # conversations
WORDS = ("no", "yes")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--trials", type=int, default=1_000)
    arguments.add_argument("--only", choices=("random", "order", "corrected"))
    options = arguments.parse_args()
    for name, part in (("random", at_random), ("order", in_order), ("corrected", corrected)):
        if options.only in (None, name):
            part(options.trials)


def drawn(random: Any, case: tuple[float, ...], conversations: int) -> tuple[Any, Any, Any]:
    """What people say, what the judge says, and the conversation of each turn."""
    right, sure, alert, longest, together = case
    turns = random.integers(1, int(longest) + 1, conversations)
    of = np.repeat(np.arange(conversations), turns)

    def happens(chance: Any) -> Any:
        shared = random.random(conversations)[of]
        return np.where(random.random(len(of)) < together, shared, random.random(len(of))) < chance

    people = happens(right)
    found = np.where(people, happens(sure), happens(alert))
    return people, np.where(found, people, ~people), of


def tables_of(people: Any, judge: Any, of: Any, weight: Numbers | None = None) -> Numbers:
    return confusion_tables([WORDS[int(a)] for a in people], [WORDS[int(b)] for b in judge], WORDS, of, weight)


def coincidences(people: Any, judge: Any, of: Any) -> Numbers:
    """Those of two reviewers: a table and its mirror image."""
    tables = tables_of(people, judge, of)
    return tables + tables.transpose(0, 2, 1)


def at_random(trials: int) -> None:
    measures = {"agreement": percent, "kappa": kappa, "balanced accuracy": balanced_accuracy}
    print("share of samples whose interval holds the truth, by number of conversations")
    for case in CASES:
        truth_of = drawn(np.random.default_rng(0), case, 300_000)
        whole, both = tables_of(*truth_of).sum(axis=0), coincidences(*truth_of).sum(axis=0)
        truth = {name: float(measure(whole)) for name, measure in measures.items()} | {"alpha": float(alpha(both))}
        print(f"\n{case}: " + ", ".join(f"{name} {value:.3f}" for name, value in truth.items()))
        for size in SIZES:
            random, held = np.random.default_rng(size), dict.fromkeys(truth, 0)
            for _ in range(trials):
                sample = drawn(random, case, size)
                found = statistics(tables_of(*sample), measures) | statistics(coincidences(*sample), {"alpha": alpha})
                for name, one in found.items():
                    held[name] += holds(one, truth[name])
            print(f"{size:5} | " + " | ".join(f"{name} {n / trials:.3f}" for name, n in held.items()), flush=True)


def in_order(trials: int) -> None:
    """A run of 1,500 turns is labelled in the drawn order: does the interval hold what all labels would give?"""
    print("\nlabelled in the drawn order, of 1,500 turns in 500 conversations")
    for labelled in (60, 120, 300):
        held, plain, bias = {"agreement": 0, "kappa": 0}, {"agreement": 0, "kappa": 0}, []
        for trial in range(trials):
            random = np.random.default_rng(trial)
            of = np.repeat(np.arange(500), 3)
            scores = np.clip(random.beta(2, 1.2, 1500) * 0.8 + random.random(500)[of] * 0.2, 0, 1)
            people = random.random(1500) < 1 / (1 + np.exp(-8 * (scores - 0.55)))
            judge = scores >= 0.5
            kinds = [("rare" if n % 12 == 0 else "common") for n in range(1500)]
            weight = weights({"judge": list(scores)}, {"judge": 0.5}, kinds)
            order = sorted(map(Drawn, range(1500), weight, random.random(1500)), key=lambda one: one.place)
            chance = chances(order, {one.item for one in order[:labelled]})
            items = np.array(list(chance))
            counts = 1 / np.array(list(chance.values()))
            counts *= len(items) / counts.sum()
            whole = tables_of(people, judge, of).sum(axis=0)
            measures = {"agreement": percent, "kappa": kappa}
            own = codes_of(of[items].tolist())
            found = statistics(tables_of(people[items], judge[items], own, counts), measures)
            unweighted = statistics(tables_of(people[items], judge[items], own), measures)
            for name, measure in measures.items():
                held[name] += holds(found[name], float(measure(whole)))
                plain[name] += holds(unweighted[name], float(measure(whole)))
            bias.append((found["agreement"].value or 0) - float(percent(whole)))
        told = " | ".join(
            f"{name} {n / trials:.3f} (unweighted {plain[name] / trials:.3f})" for name, n in held.items()
        )
        print(f"{labelled:5} labels | {told} | bias of agreement {np.mean(bias):+.4f}", flush=True)


def corrected(trials: int) -> None:
    print("\nthe share that people call right, from 1,000 conversations judged and some labelled")
    print("labels | covers | covers, labels alone | width | width, labels alone")
    for case in CASES:
        truth = float(drawn(np.random.default_rng(0), case, 300_000)[0].mean())
        for labelled in (50, 100, 300):
            random, held, alone = np.random.default_rng(labelled), 0, 0
            widths: list[tuple[float, float]] = []
            for _ in range(trials):
                people, judge, of = drawn(random, case, 1_000)
                found = corrected_mean(judge, np.where(of < labelled, people, np.nan), of.tolist())
                if found is None or found.corrected.low is None or found.labels.low is None:
                    continue
                held += holds(found.corrected, truth)
                alone += holds(found.labels, truth)
                widths.append((width(found.corrected), width(found.labels)))
            ours, theirs = np.mean(widths, axis=0)
            print(
                f"{case} {labelled:4} | {held / trials:.3f} | {alone / trials:.3f} | {ours:.3f} | {theirs:.3f}",
                flush=True,
            )


def holds(one: Statistic, truth: float) -> bool:
    return one.low is not None and one.high is not None and one.low - 1e-9 <= truth <= one.high + 1e-9


def width(one: Statistic) -> float:
    return (one.high or 0.0) - (one.low or 0.0)


if __name__ == "__main__":
    main()
