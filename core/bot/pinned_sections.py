"""Sections that are surely meant and come before everything else that the search finds: those that the user picked, and
the first steps in an emergency."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Hit, Message, Passage, SectionHit
from core.bot.choices.section_names import names_section
from core.bot.message_kind.first_steps_sections import first_steps_heading
from core.documents.heading_names import short_title
from core.text.offered_choices import picked_choices

# Passages of a section that are added to those found.
MAX_ADDED = 2


def picked_sections(messages: Sequence[Message]) -> tuple[str, ...]:
    """The choices that the last message picks of those that the bot just offered."""
    if len(messages) < 2 or messages[-2].role != "assistant":
        return ()
    return picked_choices(messages[-2].choices, messages[-1].text)


def pinned_sections(messages: Sequence[Message], sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """The choices that the last message picks, else the heading of the first steps in an emergency.

    `sections`: the sections found.
    """
    heading = first_steps_heading(messages[-1].text, sections)
    return picked_sections(messages) or ((heading,) if heading else ())


def pin_sections(
    choices: Sequence[str], hits: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[tuple[Hit, ...], int]:
    """The hits, those of the pinned sections first, and how many these are.

    For a heading all its passages are pinned, for a document those that were found.
    """
    count = 0
    for choice in reversed(choices):
        first = _hits_of(choice, hits, passages)
        ids = {hit.passage.id for hit in first}
        hits = (*first, *(hit for hit in hits if hit.passage.id not in ids))
        count += len(first)
    return tuple(hits), count


def _hits_of(choice: str, hits: Sequence[Hit], passages: Sequence[Passage]) -> list[Hit]:
    known = {hit.passage.id: hit for hit in hits}
    section = [passage for passage in passages if names_section(choice, passage.title, passage.heading)]
    if not section:
        return [hit for hit in hits if short_title(hit.passage.title) == choice]
    best = max(section, key=lambda one: known[one.id].score if one.id in known else -1.0)
    section = [one for one in section if one.document == best.document and one.heading == best.heading]
    return [known.get(one.id, Hit(passage=one, score=0.0)) for one in section]
