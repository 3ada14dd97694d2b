"""Parts of queries that several readers of a run share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import ColumnElement, and_, or_

from core.store.schema import CONVERSATIONS

CONVERSATION_COLUMNS = {  # what tells one conversation of a run from another, by the names that tables have
    "conversation": CONVERSATIONS.c.id,
    "number": CONVERSATIONS.c.number,
    "scenario": CONVERSATIONS.c.scenario_id,
    "question": CONVERSATIONS.c.question,
    "kind": CONVERSATIONS.c.kind,
    "persona": CONVERSATIONS.c.persona_id,
    "persona_name": CONVERSATIONS.c.persona_name,
    "repeat": CONVERSATIONS.c.repeat,
}
DENSE = 2  # ids in a span of ids for each that is wanted, up to which the whole span is read


def dense_span(ids: Sequence[int] | np.ndarray) -> tuple[int, int] | None:
    """The first and last of these ids if they lie close together: reading all between is quicker than a list or a join."""
    if not len(ids):
        return None
    first, last = int(np.min(ids)), int(np.max(ids))
    return (first, last) if last - first < DENSE * len(ids) else None


def comes_after(number: int, conversation_id: str) -> ColumnElement[bool]:
    """Whether a conversation comes after the one of this number and id, in the order of a run."""
    c = CONVERSATIONS.c
    return and_(c.number >= number, or_(c.number > number, c.id > conversation_id))
