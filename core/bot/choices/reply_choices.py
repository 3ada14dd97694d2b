"""The headings that a reply offers: to go on with, nearest ones in a refusal, and help for a user in trouble."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import AnyHit, Message, Passage, SectionHit
from core.bot.choices.section_names import section_choices, selectable_sections
from core.bot.embedded_settings import settings_for
from core.bot.messages.shown_sections import is_shown, plain_text
from core.bot.profile_filter import UserFacts
from core.bot.section_probability import ranked_sections, scored_in_conversation, section_probabilities, sections_above
from core.documents.heading_names import last_heading
from core.text.quotation_marks import is_quoted

# Headings offered at most.
MAX_OFFERED = 3
# Score of a section, relative to the best (1), from which it may help a user in trouble.
HELPFUL_SCORE_FROM = 0.75
# Share of the query's words in title and heading, from which such a section helps.
HELPFUL_HEADING_FROM = 0.3
# Probability from which a refusal offers a section; nine of ten right ones reach it. The same in the conversation.
OFFER_IN_REFUSAL_FROM = 0.1
OFFER_IN_LATER_REFUSAL_FROM = 0.04
# Probability that the documents cover what is asked, from which a section is probably meant: six of ten such offers for
# messages without an answer are right.
MEANT_DOCUMENTED_FROM = 0.4
# Probability of a section from which it is probably meant.
LIKELY_MEANT_FROM = 0.3
# Probability from which a section of a quoted document is offered.
OFFER_BELOW_ANSWER_FROM = 0.03
# Probability from which another section is offered, or any if several questions were asked.
OFFER_OTHERS_FROM = 0.1
# Probability from which a section that no reply has shown is offered; those of the likeliest one's document always are.
OFFER_INSTEAD_FROM = 0.03


def related_headings(
    found: Sequence[Sequence[AnyHit]], quoted: Sequence[Passage], answer: str, facts: UserFacts
) -> tuple[str, ...]:
    """The headings of sections to go on with: those that the answer names, and others that may be meant, mostly in the
    quoted documents.

    found: for each question the sections found, best first; the likeliest are offered first. Sections meant for other
    people than the user (`facts`) are left out.
    """
    documents = {passage.document for passage in quoted}
    shown = {passage.section for passage in quoted}
    named: list[AnyHit] = []
    possible: list[tuple[float, AnyHit]] = []
    for sections in found:
        for probability, one in zip(section_probabilities(sections), sections, strict=False):
            if one.section in shown:
                continue
            if is_quoted(last_heading(one.heading), answer):
                named.append(one)
            elif probability >= (
                OFFER_BELOW_ANSWER_FROM if len(found) == 1 and one.document in documents else OFFER_OTHERS_FROM
            ):
                possible.append((probability, one))
    others = facts.for_other_profiles(one for sections in found for one in (*sections, *quoted))
    own = [
        one
        for _, one in sorted(possible, key=lambda pair: -pair[0])
        if one.section not in others and not facts.is_for_other_profile(last_heading(one.heading))
    ]
    sections = {one.section: one for one in (*named, *own)}
    every = [one for sections in found for one in sections]
    return section_choices(tuple(sections.values()), every)[: max(MAX_OFFERED, len(named))]


def unshown_headings(conversation: Sequence[Message], sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """The headings, at most three, of sections that may be meant and that no reply has shown."""
    said = "\n".join(plain_text(message.text) for message in conversation if message.role == "assistant")
    ranked = ranked_sections(sections)
    likely = [
        hit
        for probability, hit in ranked
        if (probability >= OFFER_INSTEAD_FROM or hit.document == ranked[0][1].document) and not is_shown(hit, said)
    ]
    return section_choices(likely, sections)[:MAX_OFFERED]


def nearest_headings(sections: Sequence[SectionHit], documented: float) -> tuple[str, ...]:
    """The headings, at most three, of the sections that may be meant; empty if nothing is near.

    documented: probability (0 to 1) that the documents cover what is asked.
    """
    is_scored, settings = scored_in_conversation(sections), settings_for(sections)
    least = settings.offer_documented_later_from if is_scored else settings.offer_documented_from
    if documented < least and (is_scored or not sections_above(sections, LIKELY_MEANT_FROM)):
        return ()
    near = sections_above(sections, OFFER_IN_LATER_REFUSAL_FROM if is_scored else OFFER_IN_REFUSAL_FROM)
    return section_choices(near, sections)[:MAX_OFFERED]


def is_likely_meant(sections: Sequence[SectionHit], documented: float) -> bool:
    """Whether one of the nearest sections is probably meant, rather than only near.

    documented: probability (0 to 1) that the documents cover what is asked.
    """
    return documented >= MEANT_DOCUMENTED_FROM and bool(
        selectable_sections(sections_above(sections, LIKELY_MEANT_FROM), sections)
    )


def helpful_headings(sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """The headings, at most three, of the sections that are about the query."""
    about = [
        one for one in sections if one.heading_coverage >= HELPFUL_HEADING_FROM and one.score >= HELPFUL_SCORE_FROM
    ]
    return section_choices(about, sections)[:MAX_OFFERED]
