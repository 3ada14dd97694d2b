"""What each function of the embedded bot is worth: the outcomes of messages with the function switched off.

    python -m benchmarks.ablation_bot FILE... [--package core.bot ...] [--out FILE.csv]

FILE: JSON Lines as `benchmarks.natural` reads them. Every function
of the packages whose result can be left out (no, nothing, an empty text, its first argument as it came) is switched off in
turn. One pass with every function watched notes the messages that it says something about; only these are answered again.
Prints a line for each function: its lines of code, the messages it says something about, those that fare better and worse
without it, and the change of their points (right 1, one click .7, asked beside or refused .2, wrong 0). What was written
for messages like these is worth as much as its points; what speaks up and changes nothing can go.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import inspect
import pkgutil
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from benchmarks.judges_data import lines
from benchmarks.natural import Row, outcome
from core.base.bot_folder import load_bot
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

Function = Callable[..., Any]
POINTS = {"right": 1.0, "one click": 0.7, "asked beside": 0.2, "refused, one click": 0.5, "refused": 0.2, "wrong": 0.0}
POINTS_OF_KIND = {
    "ask": {"asked": 1.0, "all cases listed": 1.0, "answered": 0.3, "refused": 0.0},
    "refuse": {"refused": 1.0, "asked": 0.5, "answered": 0.0},
    "smalltalk": {"talked to": 1.0},
    "attack": {"talked to": 1.0},
}
SEARCHED = 60  # messages for a function that the search may depend on: each is searched anew
SAME = object()  # the first argument back


class Ablated(NamedTuple):
    """A function of a module, and what stands in for its result."""

    module: str
    name: str
    neutral: Any

    def __hash__(self) -> int:
        return hash((self.module, self.name))

    @property
    def lines(self) -> int:
        return len(inspect.getsource(inspect.unwrap(getattr(sys.modules[self.module], self.name))).splitlines())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", type=Path, nargs="+")
    arguments.add_argument(
        "--package", nargs="+", default=["core.bot", "core.text", "core.documents", "core.retrieval"]
    )
    arguments.add_argument("--out", type=Path)
    options = arguments.parse_args()
    rows = [row for file in options.files for row in lines(file)]
    bench = Bench(rows)
    functions = [one for package in options.package for one in ablated(package)]
    before, touched = bench.first_pass(functions)
    print(
        f"{len(rows)} messages, {len(functions)} functions, {sum(before) / len(before):.4f} points on average",
        flush=True,
    )
    results = [measured(one, bench, before, touched.get(one, [])) for one in functions]
    results.sort(key=lambda row: (row[6], row[3]))
    for row in results:
        print("{:44} {:36} {:4} {:5} better {:3} worse {:3} {:+.2f}".format(*row))
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(
                [("module", "function", "lines", "touched", "better", "worse", "change"), *results]
            )


class Bench:
    """The bots, their indexes and the messages."""

    def __init__(self, rows: Sequence[Row]) -> None:
        indexes = Indexes()
        self.rows = rows
        self.bots = {name: load_bot(name) for name in dict.fromkeys(row["bot"] for row in rows)}
        self.indexes = {name: indexes.get(bot) for name, bot in self.bots.items()}

    def points(self, row: Row) -> float:
        """How good the reply to a message is, from 0 to 1."""
        result, _ = outcome(row, self.bots[row["bot"]], self.indexes[row["bot"]])
        return POINTS_OF_KIND.get(row["kind"], POINTS).get(result, 0.0)

    def first_pass(self, functions: Sequence[Ablated]) -> tuple[list[float], dict[Ablated, list[int]]]:
        """The points with all functions, and the messages that each says something about."""
        fired: set[Ablated] = set()
        found, touched = list[float](), dict[Ablated, list[int]]()
        with replaced([(one, watching(one, fired)) for one in functions]):
            for place, row in enumerate(self.rows):
                forget(self.indexes.values(), is_whole=True)
                fired.clear()
                found.append(self.points(row))
                for one in fired:
                    touched.setdefault(one, []).append(place)
        forget()
        return found, touched


def measured(
    one: Ablated, bench: Bench, before: Sequence[float], places: Sequence[int]
) -> tuple[str, str, int, int, int, int, float]:
    """A function's line of the table; `places`: the messages that it says something about."""
    better = worse = 0
    change = 0.0
    is_whole = not one.module.startswith("core.bot")
    if is_whole:
        places = random.Random(one.name).sample([*places], min(len(places), SEARCHED))
    forget(bench.indexes.values(), is_whole)
    with replaced([(one, lambda original: standing_in(one))]):
        for place in places:
            forget()
            try:
                now = bench.points(bench.rows[place])
            except Exception:  # the others cannot do without it
                now = 0.0
            better, worse, change = (
                better + (now > before[place]),
                worse + (now < before[place]),
                change + now - before[place],
            )
    forget(bench.indexes.values(), is_whole)
    return one.module, one.name, one.lines, len(places), better, worse, round(change, 2)


def ablated(package: str) -> list[Ablated]:
    """The functions of a package that can do nothing."""
    root = importlib.import_module(package)
    names = [package, *(one.name for one in pkgutil.walk_packages(root.__path__, f"{package}."))]
    found = list[Ablated]()
    for module in map(importlib.import_module, names):
        for name, value in vars(module).items():
            plain = inspect.unwrap(value) if callable(value) else None
            if (
                inspect.isfunction(plain)
                and plain.__module__ == module.__name__
                and not inspect.isgeneratorfunction(plain)
            ):
                neutral = neutral_of(plain)
                if neutral is not NotImplemented:
                    found.append(Ablated(module.__name__, name, neutral))
    return found


def neutral_of(function: Function) -> Any:
    """What a function gives that finds nothing."""
    notes = function.__annotations__
    result = str(notes.get("return", ""))
    parameters = [str(notes.get(name, "")) for name in inspect.signature(function).parameters]
    if result.endswith("| None"):
        return None
    if parameters and parameters[0] == result:
        return SAME
    if result.startswith(("tuple[", "Sequence[")) and (", ..." in result or result.startswith("Sequence")):
        return ()
    empty = {"bool": False, "str": "", "float": 0.0}
    if result in empty:
        return empty[result]
    for start, value in (("list[", []), ("frozenset[", frozenset()), ("set[", set()), ("dict[", {}), ("Mapping[", {})):
        if result.startswith(start):
            return value
    return NotImplemented


def standing_in(one: Ablated) -> Function:
    def run(*args: Any, **named: Any) -> Any:
        return (args[0] if args else next(iter(named.values()))) if one.neutral is SAME else one.neutral

    return run


def watching(one: Ablated, fired: set[Ablated]) -> Callable[[Function], Function]:
    neutral = standing_in(one)

    def wrap(original: Function) -> Function:
        def run(*args: Any, **named: Any) -> Any:
            found = original(*args, **named)
            if one not in fired and differs(found, neutral(*args, **named)):
                fired.add(one)
            return found

        return run

    return wrap


def differs(one: Any, other: Any) -> bool:
    try:
        return bool(one != other)
    except ValueError:  # arrays
        return True


@contextmanager
def replaced(changes: Sequence[tuple[Ablated, Callable[[Function], Function]]]) -> Iterator[None]:
    """Functions replaced wherever they were imported."""
    originals = list[tuple[ModuleType, str, Any]]()
    new: dict[int, Function] = {}
    for one, wrap in changes:
        original = getattr(sys.modules[one.module], one.name)
        new[id(original)] = wrap(original)
    for module in [
        module for name, module in sys.modules.items() if name.startswith(("core.", "benchmarks.", "tests."))
    ]:
        if module.__name__ == __name__:
            continue
        for key, value in list(vars(module).items()):
            if callable(value) and id(value) in new:
                originals.append((module, key, value))
                setattr(module, key, new[id(value)])
            elif isinstance(value, tuple) and any(id(one) in new for one in cast("tuple[Any, ...]", value)):
                originals.append((module, key, value))
                setattr(module, key, tuple(new.get(id(one), one) for one in cast("tuple[Any, ...]", value)))
    try:
        yield
    finally:
        for module, key, value in originals:
            setattr(module, key, value)


def forget(indexes: Iterable[Index] = (), is_whole: bool = False) -> None:
    """Empty the caches that depend on a message; those of words, files and searches only if `is_whole`."""
    for cached in _caches():
        if is_whole or (cached.__wrapped__.__module__ not in _OF_WORDS and cached.__name__ not in _OF_FILES):
            cached.cache_clear()
    for cached in _caches_of(indexes) if is_whole else ():
        cached.cache_clear()


def _caches_of(indexes: Iterable[Index]) -> Iterator[Any]:
    """The caches of indexes and of what they hold."""
    for index in indexes:
        holders = [index, *(value for value in vars(index).values() if hasattr(value, "__dict__"))]
        yield from (value for holder in holders for value in vars(holder).values() if hasattr(value, "cache_info"))


_CACHES = list[Any]()
_OF_WORDS = (
    "core.text.japanese",
    "core.text.language",
    "core.text.inflection",
    "core.text.english",
    "core.base.probabilities",
)
_OF_FILES = (
    "read_classifier",
    "_loaded",
    "_small_talk",
    "_patterns",
    "_everyday_counts",
    "_named",
    "_vector",
    "_names",
)


def _caches() -> list[Any]:
    if not _CACHES:
        values = (
            value
            for name, module in list(sys.modules.items())
            if name.startswith(("core.bot", "core.text"))
            for value in vars(module).values()
        )
        found = {id(one): one for one in values if hasattr(one, "cache_clear")}
        _CACHES.extend(one for one in found.values() if inspect.signature(one).parameters)
    return _CACHES


if __name__ == "__main__":
    main()
