"""Coverage of the interval of a mean, and how often a pass mark just missed is called reached.

    python -m benchmarks.intervals               # three made-up populations of conversation scores, some minutes
    python -m benchmarks.intervals --bot hinata  # the population is a bot's own run on the embedded engine

Each trial draws scenarios from the population and asks for the interval of their mean; "missed by two points" is a line
two points above the population's mean. "plain" is the percentile bootstrap of the values as they are, which knows no
minimum and finds no spread if none was seen.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from core.analysis.confidence_intervals import mean_interval
from core.analysis.run_means import conversation_scores
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.score_tables import score_values
from core.store.store import Store

SIZES = (2, 3, 6, 8, 10, 15, 30, 60, 500)
JUST_MISSED = 0.02
Draw = Callable[[np.random.Generator, int], Any]
Ends = tuple[float, float] | None


def main() -> None:
    """Print a table for each population."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--bot")
    chosen = parser.parse_args()
    made = {"perfect or poor": poor, "perfect or zero": zero, "even": even}
    populations = {f"{chosen.bot}'s own": of_bot(chosen.bot)} if chosen.bot else made
    for name, draw in populations.items():
        measure(name, draw, chosen.trials)


def poor(drawn: np.random.Generator, n: int) -> Any:
    """Four of five conversations are perfect, the others have 0.2 to 0.8."""
    return np.where(drawn.random(n) < 0.8, 1.0, drawn.integers(1, 5, n) / 5)


def zero(drawn: np.random.Generator, n: int) -> Any:
    """88 % of the conversations are perfect, the others score nothing."""
    return np.where(drawn.random(n) < 0.88, 1.0, 0.0)


def even(drawn: np.random.Generator, n: int) -> Any:
    """Scores around 0.75 (sd 0.15) in steps of a twentieth."""
    return np.clip(np.round(drawn.normal(0.75, 0.15, n) * 20) / 20, 0, 1)


def of_bot(bot: str) -> Draw:
    """Draws from the means of a bot's scenarios in a run with all personas."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'kiku.db'}")
        runner = Runner(store, Indexes(), EmbeddedEngine())
        run = runner.start(Plan(bot=bot, seed=1, cross=True))
        runner.wait(run)
        runner.close()
        table: Any = conversation_scores(score_values(store.tables.of_run(run)), "overall", "turn")
        means = table.groupby("scenario")["score"].mean().dropna().to_numpy(dtype=float)
        store.close()
    return lambda drawn, n: drawn.choice(means, n)


def measure(name: str, draw: Draw, trials: int) -> None:
    """Coverage, false claims and width for each number of scenarios, plain and as the pages tell it."""
    truth = float(draw(np.random.default_rng(0), 2_000_000).mean())
    print(
        f"\n{name}, mean {truth:.3f}\nscenarios | coverage plain | now | 'reached' though missed, plain | now | width now"
    )
    for n in SIZES:
        drawn = np.random.default_rng(n)
        covered, claimed, widths = {"plain": 0, "now": 0}, {"plain": 0, "now": 0}, list[float]()
        for _ in range(trials):
            values = draw(drawn, n)
            for way, ends in (("plain", plain(values)), ("now", now(values))):
                if ends is not None:
                    covered[way] += ends[0] - 1e-9 <= truth <= ends[1] + 1e-9
                    claimed[way] += ends[0] >= truth + JUST_MISSED
                    widths += [ends[1] - ends[0]] if way == "now" else []
        shares = [f"{counts[way] / trials:.3f}" for counts in (covered, claimed) for way in ("plain", "now")]
        if not widths:
            shares[1] = shares[3] = "none"
        print(f"{n:>4} | {' | '.join(shares)} | {np.mean(widths) if widths else float('nan'):.3f}", flush=True)


def plain(values: Any) -> Ends:
    """Percentile bootstrap over the values."""
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    found: Any = stats.bootstrap((values,), np.mean, n_resamples=2_000, method="percentile", rng=0)
    return max(0.0, float(found.confidence_interval.low)), min(1.0, float(found.confidence_interval.high))


def now(values: Any) -> Ends:
    """As the pages, exports and the command line tell it."""
    found = mean_interval(list(values))
    return None if found is None else (found.low, found.high)


if __name__ == "__main__":
    main()
