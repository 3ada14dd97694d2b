"""What is searched for a text of the user."""

from __future__ import annotations

from core.bot.message_kind.clauses import without_small_talk_clauses
from core.bot.other_language import searchable
from core.retrieval.index import Index


def search_query(index: Index, text: str) -> str:
    """A text without the clauses that name no matter, in words of the documents' language."""
    return searchable(without_small_talk_clauses(text), index)
