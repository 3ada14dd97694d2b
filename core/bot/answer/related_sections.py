"""Sections beside those that an answer quotes, offered to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Passage, ProfileField, Topic
from core.bot.clarify.questions import section_choices
from core.bot.evidence import section_probabilities
from core.bot.profile_values import other_value
from core.retrieval.headings import last_heading

MOST = 3  # sections that are offered
POSSIBLE = 0.03  # probability from which a section of the same document is offered


def related_sections(
    topics: Sequence[Topic], quoted: Sequence[Passage], fields: tuple[ProfileField, ...] = (), said: str = ""
) -> tuple[str, ...]:
    """The headings of other sections, in the documents that are quoted, that may be meant; the likeliest first.

    topics: the sections found, best first; said: what is known of the person; a section headed by another value of one of
    the fields than the person's is left out.
    """
    documents = {passage.document for passage in quoted}
    shown = {(passage.document, passage.heading) for passage in quoted}
    chances = sorted(zip(section_probabilities(topics), topics, strict=False), key=lambda pair: -pair[0])
    others = [
        topic
        for chance, topic in chances
        if chance >= POSSIBLE
        and topic.document in documents
        and (topic.document, topic.heading) not in shown
        and not other_value(fields, said, last_heading(topic.heading))
    ]
    return section_choices(others)[:MOST]
