"""Whether the interval of a comparison keeps its word: coverage, false alarms and power, simulated and on real A/A runs.

    python -m benchmarks.compare                         # simulated scores, a minute
    python -m benchmarks.compare --bot minato --runs 20  # real runs of the embedded engine that differ in their seed alone

Simulated: differences of pairs in steps of a tenth; scenarios differ in how the change from A to B suits them, and several
personas meet each scenario, so that pairs of one scenario go together.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np

from core.analysis.compare import difference_by
from core.analysis.compare_runs import compare_runs
from core.analysis.confidence_intervals import estimate, verdict_of
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store

SHAPES = ((6, 1), (10, 1), (10, 6), (30, 1), (30, 3), (60, 6), (500, 1))
EFFECT = 0.05


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--bot")
    parser.add_argument("--runs", type=int, default=20)
    chosen = parser.parse_args()
    if chosen.bot:
        real(chosen.bot, chosen.runs)
    else:
        simulated(chosen.trials)


def simulated(trials: int) -> None:
    """A table: coverage of the true difference, false alarms without any, power at the difference called detectable."""
    print("scenarios x personas | coverage | false alarms (A/A) | the same, unclustered | power at 'detectable'")
    for scenarios, personas in SHAPES:
        drawn = np.random.default_rng(scenarios * 100 + personas)
        marks = np.repeat(np.arange(scenarios), personas)
        covered = alarms = alone = seen = 0
        for _ in range(trials):
            found = estimate(scores(drawn, scenarios, personas, EFFECT), marks)
            nothing = scores(drawn, scenarios, personas, 0.0)
            none, loose = estimate(nothing, marks), estimate(nothing, range(len(nothing)))
            assert found and found.low is not None and found.high is not None
            covered += found.low <= EFFECT <= found.high
            alarms += verdict_of(none) != "cannot_tell"
            alone += verdict_of(loose) != "cannot_tell"
            shown = estimate(scores(drawn, scenarios, personas, found.detectable or 0.0), marks)
            seen += verdict_of(shown) == "better"
        share = [f"{each / trials:.3f}" for each in (covered, alarms, alone, seen)]
        print(f"{scenarios:>4} x {personas} | {' | '.join(share)}")


def scores(drawn: np.random.Generator, scenarios: int, personas: int, effect: float) -> np.ndarray:
    """Differences of pairs with the true mean `effect`: of a scenario (sd .1), of a pair (sd .2), in steps of a tenth."""
    suits = drawn.normal(0, 0.1, (scenarios, 1))
    noise = drawn.normal(0, 0.2, (scenarios, personas))
    exact = (effect + suits + noise) * 10
    floor = np.floor(exact)
    return ((floor + (drawn.random(exact.shape) < exact - floor)) / 10).ravel()  # rounded without bias


def real(bot: str, runs: int) -> None:
    """Every pair of runs that differ in nothing but the seed of the simulated users."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'kiku.db'}")
        runner = Runner(store, Indexes(), EmbeddedEngine())
        ids = [runner.start(Plan(bot=bot, seed=seed, cases_seed=1, cross=True, limit=120)) for seed in range(runs)]
        for run_id in ids:
            runner.wait(run_id)
        runner.close()
        rows = [store.runs.get(run_id) for run_id in ids]
        found = [compare_runs(store, a, b) for a, b in combinations([row for row in rows if row], 2)]
        overall = [difference_by(each.scores, "turn", "overall") for each in found]
        alarms = sum(one.verdict != "cannot_tell" for one in overall)
        moved = [abs(one.difference or 0.0) for one in overall]
        changed = sum(each.noise for each in found)
        print(f"{bot}: {len(found)} A/A comparisons ({changed} recognised), {overall[0].pairs} pairs each")
        print(f"false alarms {alarms} ({alarms / len(found):.3f}), largest difference {max(moved):.4f}")
        store.close()


if __name__ == "__main__":
    main()
