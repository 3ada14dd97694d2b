"""Labelled rows: answers that people judged, and a bot's scenarios; and the two halves that they are parted into."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.base.errors import BadInput
from core.base.tables import Cells
from core.base.types import FrozenModel, Language, Sample, Scenario
from core.runs.answer_files import answered, guess_mapping, unique_ids
from core.text.language import language_of

MIN_ROWS = 12  # labelled rows: six in each half, the fewest that have an interval
_LABELS = ("label", "human_label", "verdict", "ラベル", "判定")


class LabelledRow(FrozenModel):
    """One row: what the prompt is tried on, and what is right.

    label: a person's verdict on the answer, in the judge's own words; "ask" or "search" for a clarifier; "" where the
    scenario's reference is the measure. scenario: none for an answer of a file.
    """

    id: str
    label: str
    sample: Sample
    scenario: Scenario | None = None


class Halves(NamedTuple):
    """The rows that variants are made from and chosen on, and those that only the final comparison sees."""

    development: tuple[LabelledRow, ...]
    held_out: tuple[LabelledRow, ...]


def halve(rows: Sequence[LabelledRow], seed: int) -> Halves:
    """Two halves with as many of each label, drawn by the seed; the same rows give the same halves in any order.

    Raises BadInput for fewer than twelve rows.
    """
    if len(rows) < MIN_ROWS:
        message = f"There are {len(rows)} labelled rows; {MIN_ROWS} are needed. Add some and try again."
        raise BadInput(message, "too_few_labelled", n=len(rows), needed=MIN_ROWS)
    mixed = sorted(rows, key=lambda row: (row.label, _draw(seed, row)))
    sides = mixed[::2], mixed[1::2]
    development, held_out = (tuple(sorted(side, key=lambda row: _draw(seed, row))) for side in sides)
    return Halves(development, held_out)


def labelled_answers(cells: Sequence[Cells]) -> list[LabelledRow]:
    """The answers of a table with people's labels, those without a label left out.

    Raises BadInput if question, answer or label has no column.
    """
    columns = list(dict.fromkeys(name for row in cells for name in row))
    mapping = guess_mapping(columns)
    column = next((name for name in columns if name.strip().lower() in _LABELS), None)
    lacking = [name for name, there in (("answer", mapping.get("answer")), ("label", column)) if not there]
    if lacking or column is None:
        message = f"The file has no column {lacking[0]!r}. Add one; the columns are {', '.join(columns) or 'none'}."
        raise BadInput(message, "no_label_column", column=lacking[0], columns=", ".join(columns))
    found = [
        (answered(row, mapping, number), str(row[column] or "").strip())
        for number, row in enumerate(cells, 1)
        if column in row
    ]
    ids = unique_ids([one.id for one, _ in found])
    pairs = zip(ids, found, strict=True)
    return [LabelledRow(id=name, label=label, sample=one.sample) for name, (one, label) in pairs if label]


def clarify_rows(scenarios: Iterable[Scenario]) -> list[LabelledRow]:
    """The scenarios that say whether the bot should ask."""
    return [
        _row(scenario, "ask" if scenario.needs_asking else "search")
        for scenario in scenarios
        if scenario.needs_asking is not None
    ]


def answer_rows(scenarios: Iterable[Scenario], language: Language, with_intent: bool = False) -> list[LabelledRow]:
    """The scenarios in a language that have a reference answer; with_intent: only those with a hidden need."""
    return [
        _row(scenario, "")
        for scenario in scenarios
        if scenario.reference.strip()
        and language_of(scenario.question, language) == language
        and (scenario.intent.strip() or not with_intent)
    ]


def _row(scenario: Scenario, label: str) -> LabelledRow:
    reference = (scenario.reference,) if scenario.reference.strip() else ()
    sample = Sample(question=scenario.question, answer="", reference=reference, intent=scenario.intent)
    return LabelledRow(id=scenario.id, label=label, sample=sample, scenario=scenario)


def _draw(seed: int, row: LabelledRow) -> str:
    return hashlib.sha256(f"{seed}:{row.id}".encode()).hexdigest()
