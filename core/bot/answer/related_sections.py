"""Sections beside those that an answer quotes, offered to go on with."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Hit, Passage, Topic
from core.bot.answer.refusal import MAX_OFFERED
from core.bot.profile_filter import PersonFacts
from core.bot.section_choices import section_choices
from core.bot.section_probability import section_probabilities
from core.documents.headings import last_heading
from core.text.quotation_marks import is_quoted

# Probability from which a section of a document that is quoted is offered.
OFFER_BELOW_ANSWER_FROM = 0.03
# Probability from which any other section is offered, or any at all if several questions were asked.
OFFER_OTHERS_FROM = 0.1


def related_sections(
    found: Sequence[Sequence[Hit | Topic]], quoted: Sequence[Passage], answer: str, facts: PersonFacts
) -> tuple[str, ...]:
    """The headings of sections to go on with: those that the answer names, and others that may be meant, mostly in the
    documents quoted.

    found: for each question the sections found, best first; the likeliest are offered first. A section for people of
    another kind than what is known of the person (`facts`) is left out.
    """
    documents = {passage.document for passage in quoted}
    shown = {(passage.document, passage.heading) for passage in quoted}
    named: list[Hit | Topic] = []
    possible: list[tuple[float, Hit | Topic]] = []
    for sections in found:
        for probability, one in zip(section_probabilities(sections), sections, strict=False):
            if (one.document, one.heading) in shown:
                continue
            if is_quoted(last_heading(one.heading), answer):
                named.append(one)
            elif probability >= (
                OFFER_BELOW_ANSWER_FROM if len(found) == 1 and one.document in documents else OFFER_OTHERS_FROM
            ):
                possible.append((probability, one))
    others = facts.others_among(one for sections in found for one in (*sections, *quoted))
    own = [
        one
        for _, one in sorted(possible, key=lambda pair: -pair[0])
        if (one.document, one.heading) not in others and not facts.is_for_others(last_heading(one.heading))
    ]
    sections = {(one.document, one.heading): one for one in (*named, *own)}
    every = [one for sections in found for one in sections]
    return section_choices(tuple(sections.values()), every)[: max(MAX_OFFERED, len(named))]
