"""People's labels: reading their spellings, and the majority verdict of several reviewers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from core.base.errors import BadInput

Scale = Literal["yes_no", "grades", "names"]
YES, NO, CANNOT_SAY = "yes", "no", ""
GRADES = ("1", "2", "3", "4", "5")
MAX_NAMES = 20  # different words up to which labels can be verdicts
# Spellings of verdicts by people and other tools, in lower case
_YES = frozenset(
    (
        *("yes", "y", "true", "correct", "right", "good", "pass", "passed", "ok", "supported"),
        *("1", "1.0", "はい", "正しい", "正解", "○", "〇"),
    )
)
_NO = frozenset(
    (
        *("no", "n", "false", "incorrect", "wrong", "bad", "fail", "failed", "unsupported"),
        *("0", "0.0", "-1", "いいえ", "誤り", "不正解", "×", "✕"),
    )
)
_CANNOT_SAY = frozenset(
    (
        *("", "cannot say", "cannot_say", "can't say", "unsure", "skip"),
        *("n/a", "na", "none", "null", "判断できない", "わからない"),
    )
)


class Label(NamedTuple):
    """The label of one reviewer on one item."""

    item: str
    reviewer: str
    label: str  # a category ("yes", "no", "1" to "5", a word), or CANNOT_SAY


class Truth(NamedTuple):
    """One verdict per item, from the labels of all reviewers."""

    verdicts: Mapping[str, str]  # of each item that has one
    ties: tuple[str, ...]  # items without a majority
    undecided: tuple[str, ...]  # items for which no reviewer gave a verdict


def scale_of(texts: Iterable[str]) -> Scale:
    """The scale of labels: Yes and No in any spelling, grades from 1 to 5, or other words.

    Raises BadInput if all are "cannot say", for other numbers, and for more than twenty different words.
    """
    found = {_plain(text) for text in texts} - _CANNOT_SAY
    if not found:
        message = "No label says anything: each is empty or “cannot say”. Give labels such as yes and no, or 1 to 5."
        raise BadInput(message, "labels_empty")
    if found <= _YES | _NO:
        return "yes_no"
    if found & (_YES | _NO) - {"1", "1.0", "0", "0.0", "-1"}:
        odd = min(found - _YES - _NO)
        message = f"The label {odd[:40]!r} is neither yes nor no, as others are. Use one kind of labels in a file."
        raise BadInput(message, "labels_mixed", label=odd[:40])
    numbers = {text: _number(text) for text in found}
    if all(number is not None for number in numbers.values()):
        if {_grade(text) for text in found} <= set(GRADES):
            return "grades"
        odd = min(text for text in found if _grade(text) not in GRADES)
        message = f"The label {odd[:40]} is not a grade. Use whole numbers from 1 to 5, or yes and no."
        raise BadInput(message, "labels_grade", label=odd[:40])
    if len(found) > MAX_NAMES:
        message = f"There are {len(found)} different labels; the limit is {MAX_NAMES}. Use yes and no, or 1 to 5."
        raise BadInput(message, "labels_many", n=len(found), most=MAX_NAMES)
    return "names"


def category(text: str, scale: Scale) -> str | None:
    """A label as one of the scale's categories; CANNOT_SAY for no verdict, None if it does not fit the scale."""
    plain = _plain(text)
    if plain in _CANNOT_SAY:
        return CANNOT_SAY
    if scale == "yes_no":
        return YES if plain in _YES else NO if plain in _NO else None
    if scale == "grades":
        return grade if (grade := _grade(plain)) in GRADES else None
    return plain


def truth_of(labels: Iterable[Label], arbiter: str = "") -> Truth:
    """The majority verdict on each item; items without a majority are listed apart.

    arbiter: a reviewer whose label decides if there is one. CANNOT_SAY is no vote.
    """
    votes: dict[str, list[Label]] = defaultdict(list)
    for one in labels:
        votes[one.item].append(one)
    verdicts, ties, undecided = dict[str, str](), list[str](), list[str]()
    for item, answers in votes.items():
        decided = [one for one in answers if one.label != CANNOT_SAY]
        decisive = [one for one in decided if one.reviewer == arbiter] or decided
        if not decisive:
            undecided.append(item)
            continue
        (label, count), *others = Counter(one.label for one in decisive).most_common(2)
        if others and others[0][1] == count:
            ties.append(item)
        else:
            verdicts[item] = label
    return Truth(verdicts, tuple(ties), tuple(undecided))


def categories_of(scale: Scale, found: Iterable[str]) -> tuple[str, ...]:
    """The categories of a scale in order; of words those that occur."""
    if scale == "yes_no":
        return (NO, YES)
    return GRADES if scale == "grades" else tuple(sorted({*found} - {CANNOT_SAY}))


def latest(labels: Sequence[Label]) -> list[Label]:
    """Each reviewer's last label of each item."""
    return list({(one.item, one.reviewer): one for one in labels}.values())


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _grade(text: str) -> str:
    """A whole number without its decimal point; "" for anything else."""
    number = _number(text)
    return str(int(number)) if number is not None and abs(number) < 1e9 and number == int(number) else ""
