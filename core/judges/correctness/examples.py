"""Labelled answers as a prompt shows them."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.types import FrozenModel
from core.judges.base import Example
from core.judges.prompt_data import Shown, fenced, shown


class Shot(FrozenModel):
    """One labelled answer: its texts and its reasons fenced, and the label."""

    shown: Shown
    reasons: str
    label: str


def shots(examples: Iterable[Example], labels: tuple[str, ...]) -> tuple[Shot, ...]:
    """The examples whose label is one that the judge gives."""
    return tuple(
        Shot(shown=shown(one.sample), reasons=fenced(one.reasons) if one.reasons.strip() else "", label=one.label)
        for one in examples
        if one.label in labels
    )
