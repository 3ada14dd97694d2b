"""The section that a clicked choice stands for, put before whatever else the search found."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Hit, Message, Passage
from core.bot.clarify.questions import names_section
from core.retrieval.headings import short_title
from core.text.conversation import picked_choices


def picked_choice(messages: Sequence[Message]) -> str:
    """The one choice that the last message picks of those just offered; empty if it picks none or several."""
    if len(messages) < 2 or messages[-2].role != "assistant":
        return ""
    picked = picked_choices(messages[-2].choices, messages[-1].text)
    return picked[0] if len(picked) == 1 else ""


def picked_first(choice: str, hits: Sequence[Hit], passages: Sequence[Passage]) -> tuple[tuple[Hit, ...], int]:
    """(the hits, those of the picked section first, how many these are): of a heading all passages, of a document those found."""
    if not choice:
        return tuple(hits), 0
    known = {hit.passage.id: hit for hit in hits}
    section = [passage for passage in passages if names_section(choice, passage.title, passage.heading)]
    if section:
        best = max(section, key=lambda one: known[one.id].score if one.id in known else -1.0)
        section = [one for one in section if one.document == best.document and one.heading == best.heading]
        first = [known.get(one.id, Hit(passage=one, score=1.0)) for one in section]
    else:
        first = [hit for hit in hits if short_title(hit.passage.title) == choice]
    ids = {hit.passage.id for hit in first}
    rest = [hit for hit in hits if hit.passage.id not in ids]
    return (*first, *rest), len(first)
