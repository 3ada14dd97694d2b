"""Labels from a file, as Kiku or another tool wrote them, matched to the turns of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from core.agreement.labels import category, scale_of
from core.base.errors import BadInput
from core.base.tables import Cells
from core.store.headline import OVERALL
from core.store.reviews import OPEN, TurnLabel, Verdict, reviewer_name
from core.store.store import Store

Field = Literal["id", "reviewer", "label", "comment", "corrected"]
FIELDS: tuple[Field, ...] = get_args(Field)
# How other tools and people call these columns, lower case.
NAMES: Mapping[Field, tuple[str, ...]] = {
    "id": ("id", "example_id", "run_id", "trace_id", "item", "番号", "no"),
    "reviewer": ("reviewer", "annotator", "user", "created_by", "source_id", "レビュアー", "評価者"),
    "label": ("label", "verdict", "score", "choice", "value", "correct", "human_correct", "判定", "ラベル"),
    "comment": ("comment", "rationale", "note", "notes", "explanation", "コメント"),
    "corrected": ("corrected", "correction", "expected_output", "reference", "正しい回答"),
}


class ImportedLabels(NamedTuple):
    """The labels of a file; unknown: rows whose id no turn of the run has; empty: rows without a label."""

    labels: tuple[TurnLabel, ...]
    unknown: int
    empty: int


def guess_label_mapping(columns: Sequence[str]) -> dict[Field, str]:
    """The columns whose names say what they hold, each at most once."""
    left = {column.strip().lower(): column for column in reversed(columns)}
    found: dict[Field, str] = {}
    for field, names in NAMES.items():
        if known := next((name for name in names if name in left), None):
            found[field] = left.pop(known)
    return found


def import_labels(
    store: Store, frame: str, rows: Sequence[Cells], mapping: Mapping[Field, str], reviewer: str = ""
) -> ImportedLabels:
    """The labels of a table for the turns of a run or of a bot's chats, not yet stored.

    A row's id is that of an export, or of the answer in a judged file. Yes and No become verdicts, 1 to 5 a grade for
    Overall. reviewer: for rows that name none. Raises BadInput if id or label has no column, for other labels, and
    for a row without a reviewer.
    """
    for needed in ("id", "label"):
        if not mapping.get(needed):
            message = f"No column is chosen for the {needed}. Choose one."
            raise BadInput(message, "label_column", field=needed)
    scale = scale_of(_cell(row, mapping, "label") for row in rows)
    if scale == "names":
        message = "The labels are other words than yes and no. Use yes and no, or 1 to 5."
        raise BadInput(message, "labels_words")
    turn_of = store.reviews.turns_by_id(frame)
    labels: list[TurnLabel] = []
    unknown = empty = 0
    for row in rows:
        turn = turn_of.get(_cell(row, mapping, "id"))
        said = category(_cell(row, mapping, "label"), scale)
        if turn is None:
            unknown += 1
        elif not _cell(row, mapping, "label"):
            empty += 1
        else:
            verdict: Verdict = OPEN if scale == "grades" else "yes" if said == "yes" else "no" if said == "no" else ""
            labels.append(
                TurnLabel(
                    turn_id=turn,
                    reviewer=reviewer_name(_cell(row, mapping, "reviewer") or reviewer),
                    verdict=verdict,
                    grades={OVERALL: int(said)} if scale == "grades" and said else {},
                    comment=_cell(row, mapping, "comment"),
                    corrected=_cell(row, mapping, "corrected"),
                    source="import",
                )
            )
    return ImportedLabels(tuple(labels), unknown, empty)


def _cell(row: Cells, mapping: Mapping[Field, str], field: Field) -> str:
    value = row.get(mapping.get(field, ""))
    text = "" if value is None else str(value).strip()
    return text.removeprefix("'") if text.startswith(("'=", "'+", "'-", "'@")) else text
