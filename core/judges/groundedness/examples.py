"""Labelled answers as a prompt shows them."""

from __future__ import annotations

from core.base.types import FrozenModel
from core.judges.base import How
from core.judges.prompt_data import Shown, fenced, shown


class Shot(FrozenModel):
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
