"""A question that rules make from a heading or a table, and the ways to ask it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

from core.base.frozen_model import FrozenModel


class RuleQuestion(FrozenModel):
    """A question and the exact text of the section that answers it.

    asks: the kind of answer (how, deadline, amount, …; "value" for a cell of a table); condition: what the answer
    depends on, as (name, value, all values); open_question: the question without it, "" if it cannot be left out.
    """

    question: str
    reference: str
    asks: str
    condition: tuple[str, str, tuple[str, ...]] | None = None
    open_question: str = ""


class QuestionForms(NamedTuple):
    """What a heading promises: the kind of answer, the ways to ask for it, and what the answer has to name ("": nothing)."""

    kind: str
    ways: tuple[str, ...]
    about: str = ""


def choice(options: Sequence[str], key: str) -> str:
    """One of several ways to say something, always the same for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
