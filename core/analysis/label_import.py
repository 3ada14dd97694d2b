"""Labels from a file, as Kiku or another tool wrote them, matched to the turns of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from core.agreement.labels import Scale, category, scale_of
from core.analysis.label_pools import is_chats
from core.base.errors import BadInput
from core.base.tables import Cells, unescape_formula
from core.base.types import OVERALL
from core.store.labels import LabelSource, TurnLabel, Verdict, bot_of_chats, reviewer_name
from core.store.preferences import CHOICES, Choice, Preference
from core.store.store import Store

LabelField = Literal["id", "reviewer", "label", "comment", "corrected"]
# How other tools and people call these columns, lower case.
NAMES: Mapping[LabelField, tuple[str, ...]] = {
    "id": ("id", "example_id", "run_id", "trace_id", "item", "番号", "no"),
    "reviewer": ("reviewer", "annotator", "user", "created_by", "source_id", "レビュアー", "評価者"),
    "label": ("label", "verdict", "score", "choice", "value", "correct", "human_correct", "判定", "ラベル"),
    "comment": ("comment", "rationale", "note", "notes", "explanation", "コメント"),
    "corrected": ("corrected", "correction", "expected_output", "reference", "正しい回答"),
}


GRADE = "grade_"  # before a criterion: a column of our own export
# A choice between two replies in our own export: the row's reply, the one of `other_id`, or neither alone
BETTER: Mapping[Choice, str] = {"left": "this", "right": "other", "both_good": "both good", "both_bad": "both bad"}
_CHOICES: Mapping[str, Choice] = {BETTER[choice]: choice for choice in CHOICES}
_PRESSED: Mapping[str, LabelSource] = {"thumbs": "thumbs", "better_of_two": "better_of_two"}


class ImportedLabels(NamedTuple):
    """The labels of a file; unknown: rows whose id no turn of the run has; empty: rows that say nothing.

    repeated: rows that another row of the file follows for the same turn and reviewer, so that they do not count;
    unchanged: rows that say what is stored already. choices: the better of two replies.
    """

    labels: tuple[TurnLabel, ...]
    unknown: int
    empty: int
    repeated: int
    unchanged: int
    choices: tuple[Preference, ...] = ()


def import_labels(
    store: Store,
    pool: str,
    rows: Sequence[Cells],
    mapping: Mapping[LabelField, str],
    reviewer: str = "",
    escaped: bool = False,
) -> ImportedLabels:
    """The labels of a table for the turns of a run or of a bot's chats, not yet stored.

    A row's id is that of an export, or of the answer in a judged file. Yes and No become verdicts, 1 to 5 a grade for
    Overall. Grades of our own export are read, too, and in a bot's chats its choices of the better of two replies. What
    a row does not say stays as the reviewer has it.

    reviewer: for rows that name none; escaped: the table is a CSV file (`core.base.tables`). Raises BadInput if id or
    label has no column, for other labels, and for a row without a reviewer.
    """
    for needed in ("id", "label"):
        if not mapping.get(needed):
            message = f"No column is chosen for the {needed}. Choose one."
            raise BadInput(message, "label_column", field=needed)
    parsed = [_Row.of(row, mapping, escaped) for row in rows]
    read = [row for row in parsed if not row.better]
    scale = _scale(read)
    turn_of = store.labels.turns_by_id(pool)
    stored = {(label.turn_id, label.reviewer): label for label in store.labels.of_pool(pool)}
    labels: dict[tuple[int, str], TurnLabel] = {}
    unknown = empty = repeated = 0
    for row in read:
        turn = turn_of.get(row.id)
        if turn is None:
            unknown += 1
        elif not row.label and not row.grades:
            empty += 1
        else:
            key = (turn, reviewer_name(row.reviewer or reviewer))
            repeated += key in labels
            labels[key] = _label(row, scale, stored.get(key) or TurnLabel(turn_id=key[0], reviewer=key[1]))
    changed = [label for key, label in labels.items() if not _same(label, stored.get(key))]
    imported = ImportedLabels(tuple(changed), unknown, empty, repeated, len(labels) - len(changed))
    chosen = [row for row in parsed if row.better]
    return _with_choices(store, pool, imported, chosen, reviewer) if chosen else imported


def _with_choices(
    store: Store, pool: str, labels: ImportedLabels, rows: Sequence[_Row], reviewer: str
) -> ImportedLabels:
    """The labels with choices between two replies to the same message, one of them of this bot."""
    turn_of = store.labels.chat_turns(name for row in rows for name in (row.id, row.other))
    places, here = store.labels.places_of(list(turn_of.values())), store.labels.conversations(pool)
    stored = store.preferences.of_bot(bot_of_chats(pool)) if is_chats(pool) else []
    preferences_stored = {row.preference for row in stored}
    preferences: dict[tuple[int, int, str], Preference] = {}
    unknown = empty = repeated = 0
    for row in rows:
        left, right, choice = turn_of.get(row.id), turn_of.get(row.other), _CHOICES.get(row.better)
        if (
            left is None
            or right is None
            or left == right
            or places[left].question != places[right].question
            or (left not in here and right not in here)
        ):
            unknown += 1
        elif choice is None:
            empty += 1
        else:
            key = (left, right, reviewer_name(row.reviewer or reviewer))
            repeated += key in preferences
            preferences[key] = Preference(*key, choice)
    changed = tuple(preference for preference in preferences.values() if preference not in preferences_stored)
    return labels._replace(
        unknown=labels.unknown + unknown,
        empty=labels.empty + empty,
        repeated=labels.repeated + repeated,
        unchanged=labels.unchanged + len(preferences) - len(changed),
        choices=changed,
    )


class _Row(NamedTuple):
    """What a row says, as text; grades, source, other and better: of our own export's columns."""

    id: str
    reviewer: str
    label: str
    comment: str
    corrected: str
    grades: dict[str, int]
    seen: bool
    source: str
    other: str
    better: str

    @classmethod
    def of(cls, row: Cells, mapping: Mapping[LabelField, str], escaped: bool) -> _Row:
        """The cells of a row."""

        def cell(name: str) -> str:
            value = row.get(name)
            text = "" if value is None else str(value)
            return (unescape_formula(text) if escaped else text).strip()

        grades = {name.removeprefix(GRADE): cell(name) for name in row if name.startswith(GRADE)}
        return cls(
            id=cell(mapping.get("id", "")),
            reviewer=cell(mapping.get("reviewer", "")),
            label=cell(mapping.get("label", "")),
            comment=cell(mapping.get("comment", "")),
            corrected=cell(mapping.get("corrected", "")),
            grades={name: int(float(grade)) for name, grade in grades.items() if category(grade, "grades")},
            seen=cell("blind").lower() in ("no", "false"),
            source=cell("source"),
            other=cell("other_id"),
            better=cell("better").lower() if cell("other_id") else "",
        )


def _scale(rows: Sequence[_Row]) -> Scale:
    """What kind of labels a file has; raises BadInput for other words than yes and no."""
    if not any(row.label for row in rows) and (not rows or any(row.grades for row in rows)):
        return "yes_no"  # grades alone, in columns of their own, or only choices between two replies
    scale = scale_of(row.label for row in rows)
    if scale == "names":
        message = "The labels are words other than yes and no. Use yes and no, or 1 to 5."
        raise BadInput(message, "labels_words")
    return scale


def _label(row: _Row, scale: Scale, stored: TurnLabel) -> TurnLabel:
    """The label that a row makes of what the reviewer has given so far."""
    chosen = category(row.label, scale) if row.label else None
    verdict: Verdict = stored.verdict
    if scale == "yes_no" and chosen is not None:
        verdict = "yes" if chosen == "yes" else "no" if chosen == "no" else ""
    graded = {OVERALL: int(chosen)} if scale == "grades" and chosen else {}
    return stored.model_copy(
        update={
            "verdict": verdict,
            "grades": {**stored.grades, **row.grades, **graded},
            "comment": row.comment or stored.comment,
            "corrected": row.corrected or stored.corrected,
            "blind": stored.blind and not row.seen,
            "source": _PRESSED.get(row.source, "import"),
            "created_at": None,
        }
    )


def _same(label: TurnLabel, stored: TurnLabel | None) -> bool:
    """Whether a label says what is stored."""
    return (
        stored is not None
        and label.model_copy(update={"source": stored.source, "created_at": stored.created_at}) == stored
    )
