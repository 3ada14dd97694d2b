"""What each function of the embedded judges is worth: every figure with the function switched off.

    python -m benchmarks.ablation_judges --data DIR [--every N] [--most N] [--only REGEX] [--cache FILE.jsonl] [--out FILE.csv]

Every function of core/judges whose result can be left out (no, nothing, an empty text, its first argument as it came) is
switched off in turn, without a new fit. One pass with every function watched notes the rows that it says something about;
only these are judged again. The figures are those of `benchmarks.ablation`, and how the turn judge agrees with the readers
of turn_ratings.jsonl. --every takes one row of EVOUNA in N; of each set at most --most rows are judged again, and the change is
extrapolated; --cache keeps what the bots' search finds for rated messages. "Others need it": the
judges break without the function.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import pkgutil
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.ablation import forget
from benchmarks.ablation_bot import SAME, Ablated, neutral_of, replaced, standing_in, watching
from benchmarks.ablation_families import caches
from benchmarks.ablation_figures import Figures, Part, parts
from benchmarks.command_line import argument_parser
from benchmarks.fit_turn import GRADE, RATINGS
from benchmarks.fit_turn_sections import overall, rated_sample
from benchmarks.judges_data import lines
from benchmarks.judges_grounding import rank_correlation
from core.base.types import Sample


class Judged(NamedTuple):
    """A part with all functions: what was found, and the rows that each function says something about."""

    part: Part
    found: list[Any]
    touched: dict[Ablated, list[int]]
    figures: Figures


def ratings(cache: Path | None) -> Part:
    """The turn judge against the readers of the bundled bots' replies."""
    rows = lines(RATINGS)
    if cache and cache.is_file():
        samples = [Sample.model_validate_json(line) for line in cache.open(encoding="utf-8")]
    else:
        samples = [rated_sample(row) for row in rows]
        if cache:
            cache.write_text("".join(one.model_dump_json() + "\n" for one in samples), "utf-8")
    grades = np.array([GRADE[row["rating"]] for row in rows])

    def figures(found: list[Any]) -> Figures:
        marks = np.array(found)
        known = ~np.isnan(marks)
        return {"turn ratings": rank_correlation(grades[known], marks[known])}

    return Part(samples, overall, figures)


def functions() -> list[Ablated]:
    """The functions of the judges that can do nothing."""
    root = importlib.import_module("core.judges")
    found = list[Ablated]()
    for name in (one.name for one in pkgutil.walk_packages(root.__path__, "core.judges.")):
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            plain = inspect.unwrap(value) if callable(value) else None
            if plain is not None and inspect.isfunction(plain) and plain.__module__ == name:
                neutral = () if inspect.isgeneratorfunction(plain) else neutral_of(plain)
                if (
                    neutral is SAME
                    and len(inspect.signature(plain).parameters) > 1
                    and plain.__annotations__["return"] == "str"
                ):
                    neutral = ""  # it finds something in several texts, rather than change one
                if neutral is not NotImplemented:
                    found.append(Ablated(name, key, neutral))
    return found


def judged(part: Part, every: Sequence[Ablated], known: Sequence[Any]) -> Judged:
    """First pass over a part, every function watched."""
    fired: set[Ablated] = set()
    found, touched = list[Any](), dict[Ablated, list[int]]()
    with replaced([(one, watching(one, fired)) for one in every]):
        for place, row in enumerate(part.rows):
            forget(known)
            fired.clear()
            found.append(part.judge(row))
            for one in fired:
                touched.setdefault(one, []).append(place)
    forget(known)
    return Judged(part, found, touched, part.figures(found))


def without(one: Ablated, every: Sequence[Judged], known: Sequence[Any], most: int) -> tuple[int, int, Figures]:
    """Rows that the function says something about, those judged otherwise without it, and the change of the figures."""
    touched, differing, change = 0, 0, Figures()
    with replaced([(one, lambda original: standing_in(one))]):
        forget(known)
        for part, before, rows, figures in every:
            found, places = list(before), rows.get(one, [])
            judged_again = random.Random(one.name).sample(places, min(len(places), most))
            for place in judged_again:
                found[place] = part.judge(part.rows[place])
            other = sum(map(unlike, found, before))
            touched, differing = touched + len(places), differing + other
            if other:
                scale = len(places) / len(judged_again)
                change |= {name: scale * (value - figures[name]) for name, value in part.figures(found).items()}
    forget(known)
    return touched, differing, change


def unlike(one: Any, other: Any) -> bool:
    return bool(one != other and not (one != one and other != other))


def main() -> None:
    arguments = argument_parser(__doc__, "--data")
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--most", type=int, default=200)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--cache", type=Path)
    arguments.add_argument("--out", type=Path)
    options = arguments.parse_args()
    some = [one for one in functions() if re.search(options.only, f"{one.module}:{one.name}")]
    known = [one for one in caches() if one.__module__.startswith("core.judges")]  # words and figures stay as they are
    every = list[Judged]()
    for name, part in {**parts(options.data, options.every), "turn ratings": ratings(options.cache)}.items():
        start = time.perf_counter()
        every.append(judged(part, some, known))
        figures = ", ".join(f"{key} {figure:.3f}" for key, figure in every[-1].figures.items())
        print(f"{name:18} n={len(part.rows):5} {figures}  ({time.perf_counter() - start:.0f} s)", flush=True)
    own = {key for one in every if one.part.own for key in one.figures}
    results = list[tuple[str, str, int, int, int, str, str]]()
    for one in some:
        try:
            touched, differing, change = without(one, every, known, options.most)
        except Exception:  # the others cannot do without it
            print(f"{one.module:44} {one.name:32} {one.lines:4} others need it", flush=True)
            continue
        public = ", ".join(f"{k} {v:+.4f}" for k, v in change.items() if k not in own and abs(v) >= 0.00005)
        cases = ", ".join(f"{k} {v:+.0f}" for k, v in change.items() if k in own and v)
        results.append((one.module, one.name, one.lines, touched, differing, public or "-", cases or "-"))
        print("{:44} {:32} {:4} {:6} {:6} {} | {}".format(*results[-1]), flush=True)
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(
                [("module", "function", "lines", "touched", "changed", "public", "own"), *results]
            )


if __name__ == "__main__":
    main()
