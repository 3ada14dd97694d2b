"""The public data for measuring judges, as rows of one kind."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    """An answer that people have judged: `right` is their verdict, `other` the figures that the data bring along."""

    dataset: str
    question: str
    answer: str
    reference: tuple[str, ...]
    right: bool
    other: dict[str, Any]


def lines(file: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file; ends the program with a plain word if it is not there."""
    if not file.is_file():
        raise SystemExit(f"{file} is not there: give --data the folder that holds {file.parent.name}/{file.name}.")
    return [json.loads(line) for line in file.open(encoding="utf-8")]


def correctness_rows(data: Path, name: str) -> list[Row]:
    """The rows of a data set of answers judged by a reference."""
    return [_row(name, row) for row in lines(data / name / "dev.jsonl")]


def group(rows: list[Row]) -> list[int]:
    """A number for each question, the same for all answers to it."""
    known: dict[str, int] = {}
    return [known.setdefault(" ".join(row.question.lower().strip(" ?").split()), len(known)) for row in rows]


def resampled(groups: Iterable[Hashable], draws: int, seed: int) -> Iterator[Any]:
    """The places of the rows of as many groups, drawn with replacement, so many times."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, name in enumerate(groups):
        places[name].append(place)
    random, members = np.random.default_rng(seed), [np.array(some) for some in places.values()]
    for _ in range(draws):
        yield np.concatenate([members[n] for n in random.integers(0, len(members), len(members))])


def _row(name: str, row: dict[str, Any]) -> Row:
    reference = row["reference"] if isinstance(row["reference"], list) else [row["reference"]]
    verdict = row["human_equivalent"] if name == "answer_equivalence" else row["human_correct"]
    return Row(name, row["question"], row["answer"], tuple(reference), bool(verdict), row)
