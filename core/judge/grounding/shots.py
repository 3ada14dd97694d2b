"""Labelled answers as a prompt shows them."""

from __future__ import annotations

from core.base.types import Noun
from core.judge.judge import How
from core.judge.text.fence import fenced
from core.judge.text.shown import Shown, shown


class Shot(Noun):
    """One example: the sample with its texts fenced, the reasons fenced, and the label as this judge gives it."""

    shown: Shown
    reasons: str
    label: str


def shots(judge: str, how: How, labels: frozenset[str]) -> tuple[Shot, ...]:
    """The judge's examples; one whose label is no verdict of this judge shows nothing and is left out."""
    return tuple(
        Shot(shown=shown(one.sample), reasons=fenced(one.reasons) if one.reasons.strip() else "", label=one.label)
        for one in how.shots(judge)
        if one.label in labels
    )
