"""Matches a file of scores and a file of labels by id: a judge's values or labels, several reviewers' labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.agreement.agreement import JudgeVerdict
from core.agreement.labels import CANNOT_SAY, NO, YES, Label, Scale, category, scale_of
from core.agreement.thresholds import says_yes
from core.base.errors import BadInput

Row = Mapping[str, Any]


class ScoreChoice(NamedTuple):
    """Which scores of a file count, and which values are a Yes."""

    judge: str  # "" if there is only one
    criterion: str  # "" if there is only one
    threshold: float | None  # None: 0.5
    lower_is_better: bool  # a value up to the threshold is a Yes, else one from the threshold on


@dataclass(frozen=True)
class MatchedRows:
    """Scores and labels, matched by the id of their item."""

    scale: Scale
    verdicts: tuple[JudgeVerdict, ...]
    labels: tuple[Label, ...]
    group_of: Mapping[str, str]  # the conversation of each item that names one
    unscored: tuple[str, ...]  # items that have labels and no score
    without_label: tuple[str, ...]  # items of the scores only
    without_score: tuple[str, ...]  # items of the labels only
    fields: Mapping[str, Mapping[str, str]]  # of each item's rows

    def parts(self, field: str) -> dict[str, list[JudgeVerdict]]:
        """The verdicts by the values of a field; raises BadInput if no row has it."""
        found: dict[str, list[JudgeVerdict]] = defaultdict(list)
        for one in self.verdicts:
            found[self.fields.get(one.item, {}).get(field, "")].append(one)
        if not set(found) - {""}:
            message = f"No row has a field {field!r}. Give --by a field of the scores or labels."
            raise BadInput(message, "no_field", field=field)
        return dict(sorted(found.items()))


def match_scores_to_labels(
    scores: Sequence[Row], labels: Sequence[Row], choice: ScoreChoice, arbiter: str
) -> MatchedRows:
    """Rows {id, value or label, judge?, criterion?} and {id, reviewer, label, conversation or group?}, as strings and
    numbers.

    Raises BadInput for scores of several judges or criteria of which none is chosen, for labels and scores that do not
    fit each other, and for an arbiter who labelled nothing.
    """
    if not labels:
        raise BadInput("The labels have no rows. Each needs an id, a reviewer and a label.", "labels_none")
    scale = scale_of(str(row["label"]) for row in labels)
    read_labels = [
        Label(str(row["id"]), str(row["reviewer"]), category(str(row["label"]), scale) or CANNOT_SAY) for row in labels
    ]
    reviewers = sorted({one.reviewer for one in read_labels})
    if arbiter and arbiter not in reviewers:
        message = f"The arbiter {arbiter!r} gave no label. Choose one of {', '.join(reviewers[:10])}."
        raise BadInput(message, "no_arbiter", arbiter=arbiter)
    chosen = _of_one(_of_one(scores, "judge", choice.judge), "criterion", choice.criterion)
    verdicts_of: dict[str, list[str]] = defaultdict(list)
    are_grades = scale == "grades" and any((row["value"] or 0) > 1 for row in chosen)
    for row in chosen:
        found = _verdict(row, scale, choice, are_grades)
        verdicts_of[str(row["id"])] += [found] if found else []
    verdicts = tuple(JudgeVerdict(item, tuple(found)) for item, found in verdicts_of.items() if found)
    labelled = {one.item for one in read_labels}
    named = ((str(row["id"]), str(row.get("conversation") or row.get("group") or "")) for row in (*scores, *labels))
    conversations = {item: name for item, name in named if name}
    return MatchedRows(
        scale,
        verdicts,
        tuple(read_labels),
        conversations,
        tuple(item for item, found in verdicts_of.items() if not found and item in labelled),
        tuple(item for item in verdicts_of if item not in labelled),
        tuple(sorted(labelled - set(verdicts_of))),
        _fields((*labels, *scores)),
    )


def _of_one(scores: Sequence[Row], field: str, wanted: str) -> list[Row]:
    """The rows of one judge or criterion: the wanted one, or the only one."""
    there = list(dict.fromkeys(str(row.get(field) or "") for row in scores))
    if wanted and wanted not in there:
        message = f"The scores have no {field} {wanted!r}. Choose one of {', '.join(there[:10])}."
        raise BadInput(message, "no_such_scores", field=field, name=wanted)
    if not wanted and len(there) > 1:
        message = f"The scores have several of {field}: {', '.join(there[:10])}. Choose one with --{field}."
        raise BadInput(message, "several_scores", field=field)
    return [row for row in scores if str(row.get(field) or "") == (wanted or there[0])] if there else []


def _verdict(row: Row, scale: Scale, choice: ScoreChoice, are_grades: bool) -> str:
    """A score as a category of the labels; "" if it is unscored."""
    value, text = row["value"], str(row["label"] or "")
    if scale == "names":
        if not text and value is not None:
            message = f"Row {row['id']} has the value {value:g} and no label, but people's labels are words."
            raise BadInput(f"{message} Give each score a label.", "score_without_label", id=row["id"])
        return category(text, scale) or ""
    found = category(text, scale)
    if scale == "grades":
        if found:
            return found
        if value is None and found is None:
            raise _misfit(row, text, "a grade from 1 to 5")
        return _grade(row, value, are_grades)
    if value is None:
        if found is None:
            raise _misfit(row, text, "yes or no")
        return found
    if choice.threshold is None and not 0 <= value <= 1:
        message = f"Row {row['id']} has the value {value:g}, which is not between 0 and 1. Give --threshold."
        raise BadInput(message, "score_range", id=row["id"], value=value)
    threshold = 0.5 if choice.threshold is None else choice.threshold
    return YES if says_yes(value, threshold, choice.lower_is_better) else NO


def _grade(row: Row, value: float | None, are_grades: bool) -> str:
    if value is None:
        return ""
    grade = value if are_grades else 1 + 4 * value
    if not 1 <= grade <= 5:
        message = f"Row {row['id']} has the value {value:g}. Give 0 to 1, or grades from 1 to 5."
        raise BadInput(message, "score_range", id=row["id"], value=value)
    return str(int(grade + 0.5))


def _misfit(row: Row, text: str, expected: str) -> BadInput:
    said = f"Row {row['id']} has the label {text[:40]!r}"
    message = f"{said}, which is not {expected} as people's labels are. Correct it."
    return BadInput(message, "score_label", id=row["id"], label=text[:40], expected=expected)


def _fields(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        found[str(row["id"])] |= {name: str(value) for name, value in row.items() if value not in (None, "")}
    return dict(found)
