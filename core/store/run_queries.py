"""Parts of queries that several readers of a run share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, Select, and_, or_, select

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


def next_conversations(
    columns: Iterable[Column[Any]], run_id: str, after: tuple[int, str], count: int
) -> Select[*tuple[Any, ...]]:
    """The first conversations of a run that come after the one of this number and id, by number."""
    c, (number, name) = CONVERSATIONS.c, after
    comes_after = and_(c.number >= number, or_(c.number > number, c.id > name))
    return select(*columns).where(c.run_id == run_id, comes_after).order_by(c.number, c.id).limit(count)
