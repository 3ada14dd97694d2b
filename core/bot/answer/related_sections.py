"""Sections beside those that an answer quotes, offered to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Hit, Passage, ProfileField, Topic
from core.bot.clarify.questions import section_choices
from core.bot.evidence import section_probabilities
from core.bot.profile_values import other_value
from core.retrieval.headings import last_heading

MOST = 3  # sections that are offered
POSSIBLE = 0.03  # probability from which a section of the same document is offered,
OF_SEVERAL = 0.1  # and if several questions were asked


def related_sections(
    found: Sequence[Sequence[Hit | Topic]],
    quoted: Sequence[Passage],
    text: str = "",
    fields: tuple[ProfileField, ...] = (),
    said: str = "",
) -> tuple[str, ...]:
    """The headings of sections to go on with: those that the answer names, and others, in the documents quoted, that may be meant.

    found: for each question the sections found, best first; the likeliest are offered first. text: the answer. said: what
    is known of the person; a section headed by another value of one of the fields than the person's is left out.
    """
    documents = {passage.document for passage in quoted}
    shown = {(passage.document, passage.heading) for passage in quoted}
    least = POSSIBLE if len(found) == 1 else OF_SEVERAL
    named: list[Hit | Topic] = []
    possible: list[tuple[float, Hit | Topic]] = []
    for sections in found:
        for chance, one in zip(section_probabilities(sections) if sections else (), sections, strict=False):
            if (one.document, one.heading) in shown:
                continue
            if last_heading(one.heading) in text:
                named.append(one)
            elif chance >= least and one.document in documents:
                possible.append((chance, one))
    likeliest = [one for _, one in sorted(possible, key=lambda pair: -pair[0])]
    own = [one for one in likeliest if not other_value(fields, said, last_heading(one.heading))]
    places = {(one.document, one.heading): one for one in (*named, *own)}
    return section_choices(tuple(places.values()))[: max(MOST, len(named))]
