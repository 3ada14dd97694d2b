"""What each family of rules of the embedded judges is worth: every figure with the family switched off.

    python -m benchmarks.ablation --data DIR [--only TEXT ...] [--off TEXT ...] [--every N] [--refit]

Prints a line for each family: the lines of code it costs, the change of each figure without it, and how many more of the
project's own cases fail (those were written for the rules, so they prove nothing; they are listed apart). --only takes the
families whose name matches a text; --off switches all such families off together; --every takes one row of EVOUNA in N.

One pass with every rule watched notes if a family changes an answer at all; only these rows are judged again without it.
"EVOUNA" and the other three are the whole judge with a fit on other questions (the fit of the benchmark, kept); families
the fitted measures depend on are refitted as well with --refit ("fit": the model without the rules around it; it moves by some .004 by chance). "made" pairs are public questions with answers whose
label comes from how they were made: the right one, one with its figures changed, one with a sign turned, another's.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.ablation_families import FAMILIES, Family, caches, switched_off, watched
from benchmarks.ablation_figures import Figures, Part, alone, parts
from benchmarks.command_line import argument_parser
from core.judges.correctness.reference_features import best_of


class Round(NamedTuple):
    """A part with all rules: what was found for each row, and the rows that each family changes something in."""

    part: Part
    found: list[Any]
    touched: dict[str, list[int]]
    figures: Figures


def first_round(part: Part, known: Sequence[Any]) -> Round:
    found, touched = list[Any](), dict[str, list[int]]()
    fired: set[str] = set()
    with watched(fired):
        for place, row in enumerate(part.rows):
            forget(known)
            fired.clear()
            found.append(part.judge(row))
            for name in fired:
                touched.setdefault(name, []).append(place)
    forget(known)
    return Round(part, found, touched, part.figures(found))


def without(families: Sequence[Family], rounds: Sequence[Round], known: Sequence[Any], refit: bool) -> Figures:
    """The change of every figure with these families switched off together."""
    change: Figures = {}
    with all_off(families):
        forget(known)
        for one in rounds:
            places = sorted({place for family in families for place in one.touched.get(family.name, ())})
            found = list(one.found)
            for place in places:
                found[place] = one.part.judge(one.part.rows[place])
            figures = one.part.figures(found) if any(map(differs, found, one.found)) else one.figures
            change |= {name: figures[name] - one.figures[name] for name in figures}
        if refit and any(family.fit for family in families):
            change |= refitted(families, rounds[0])
    forget(known)
    return change


def differs(one: Any, other: Any) -> bool:
    return bool(one != other)


def refitted(families: Sequence[Family], first: Round) -> Figures:
    """Agreement of the fitted model alone, fitted again on measures without these families."""
    rows, (names, values) = first.part.figures.__dict__["rows"], first.part.figures.__dict__["measured"]
    new = values.copy()
    for place in sorted({place for family in families for place in first.touched.get(family.name, ())}):
        measured = best_of(rows[place].question, rows[place].answer, rows[place].reference)[1]
        new[place] = [measured[name] for name in names]
    before, after = first.part.figures.__dict__["alone"], alone(rows, (names, new))
    return {f"fit {name}": after[name] - before[name] for name in after if "kappa" not in name}


class all_off:
    """Several families switched off together."""

    def __init__(self, families: Sequence[Family]) -> None:
        self._switches = [switched_off(one) for one in families]

    def __enter__(self) -> None:
        for one in self._switches:
            one.__enter__()

    def __exit__(self, *error: Any) -> None:
        for one in reversed(self._switches):
            one.__exit__(*error)


def forget(known: Sequence[Any]) -> None:
    for one in known:
        one.cache_clear()


def shown(name: str, families: Sequence[Family], rounds: Sequence[Round], known: Sequence[Any], refit: bool) -> str:
    """One line of the table: the lines of code, the public rows that are touched at all, and what changes."""
    change = without(families, rounds, known, refit)
    own = {figure for one in rounds if one.part.own for figure in one.figures}
    rows = {
        (n, place)
        for n, one in enumerate(rounds)
        if not one.part.own
        for f in families
        for place in one.touched.get(f.name, ())
    }
    public = [f"{key} {delta:+.4f}" for key, delta in change.items() if key not in own and abs(delta) >= 0.00005]
    cases = [f"{key} {delta:+.0f}" for key, delta in change.items() if key in own and delta]
    lines = sum(one.lines for one in families)
    return f"{name:48} {lines:4} {len(rows):6}  {', '.join(public) or '-'}  |  {', '.join(cases) or '-'}"


def main() -> None:
    arguments = argument_parser(__doc__, "--data")
    arguments.add_argument("--only", nargs="*", default=[".*"])
    arguments.add_argument("--off", nargs="*", default=[])
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--refit", action="store_true")
    options = arguments.parse_args()
    known, rounds = caches(), list[Round]()
    for name, part in parts(options.data, options.every).items():
        start = time.perf_counter()
        rounds.append(first_round(part, known))
        figures = ", ".join(f"{key} {figure:.3f}" for key, figure in rounds[-1].figures.items())
        print(f"{name:18} n={len(part.rows):5} {figures}  ({time.perf_counter() - start:.0f} s)", flush=True)
    print(
        "\nfamily, lines of code, public rows touched, change of public figures | more of the project's own cases that fail"
    )
    if options.off:
        families = [one for one in FAMILIES if any(re.fullmatch(text, one.name) for text in options.off)]
        print(*(f"off: {one.name}" for one in families), sep="\n")
        print(shown("all of these together", families, rounds, known, options.refit))
        return
    for family in FAMILIES:
        if any(re.fullmatch(text, family.name) for text in options.only):
            print(shown(family.name, (family,), rounds, known, options.refit), flush=True)


if __name__ == "__main__":
    main()
