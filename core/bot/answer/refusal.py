"""What the bot says if it cannot answer: honestly, with the nearest headings to choose from and whom to ask.

Whether it refuses is decided in `core/bot/embedded/reply.py`; the words are in `refusal.toml`.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.toml import bundled_toml
from core.base.types import Contact, Language, Topic
from core.bot.bot_kind import bot_kind
from core.bot.evidence import sections_above
from core.bot.section_choices import offerable, section_choices
from core.text.language import join_sentences
from core.text.quotation_marks import in_quotes, quote_list

# Headings that are offered.
MAX_OFFERED = 3
# Score of a section, beside that of the best (1), from which it may help somebody in trouble.
HELPFUL_SCORE = 0.75
# Share of the words searched for that title and heading of such a section have.
HELPFUL_HEADING_SHARE = 0.3
# Probability from which a section is offered; of ten right ones nine have it.
OFFER_IN_REFUSAL_FROM = 0.1
# Probability that the documents cover what is asked, from which a section may well be what is meant: of ten such offers
# for messages without an answer six are right.
MEANT_DOCUMENTED_FROM = 0.4
# Probability of the section itself from which it may well be what is meant.
LIKELY_MEANT_FROM = 0.3


def refusal_text(key: str, language: Language, **placeholders: str) -> str:
    """A sentence of refusal.toml with its placeholders filled."""
    return bundled_toml(__file__, "refusal.toml")[key][language].format(**placeholders)


def nearest_headings(topics: Sequence[Topic], documented: float) -> tuple[str, ...]:
    """The headings, at most three, of the sections that may be what somebody means; none if nothing is near.

    documented: probability (0 to 1) that the documents cover what is asked.
    """
    offers = documented >= bot_kind(topics).offer_documented_from
    near = sections_above(topics, OFFER_IN_REFUSAL_FROM) if offers else []
    return section_choices(near, topics)[:MAX_OFFERED]


def is_likely_meant(topics: Sequence[Topic], documented: float) -> bool:
    """Whether one of the nearest sections may well be what somebody means, rather than only near it.

    documented: probability (0 to 1) that the documents cover what is asked.
    """
    return documented >= MEANT_DOCUMENTED_FROM and bool(offerable(sections_above(topics, LIKELY_MEANT_FROM), topics))


def helpful_headings(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of the sections that are about what was searched for; none if none is."""
    about = [one for one in topics if one.heading_coverage >= HELPFUL_HEADING_SHARE and one.score >= HELPFUL_SCORE]
    return section_choices(about, topics)[:MAX_OFFERED]


def refuse(
    reason: str,
    nearest: Sequence[str],
    likely: bool,
    contact: Contact | None,
    has_contacts: bool,
    language: Language,
    contact_section: str = "",
) -> str:
    """ "Not in the documents", with the nearest headings and whom to ask; cites nothing.

    reason: why, in words that replace the bundled ones, or empty; likely: whether one of the headings may well be meant;
    has_contacts: whether the bot knows any, although none is surely the right one; contact_section: the section of the
    documents that says whom to ask, for a bot without contacts.
    """
    if not nearest:
        parts = [reason or refusal_text("not_documented", language)]
    elif likely and not reason:
        parts = [refusal_text("offer", language, topics=quote_list(nearest, language))]
    else:
        offer = refusal_text("nearest", language, topics=quote_list(nearest, language))
        parts = [reason or refusal_text("no_sure_answer", language), offer]
    whom = _contact_sentences(contact, has_contacts, language, contact_section)
    return join_sentences((*parts, *whom), language)


def no_answer_to(question: str, heading: str, language: Language) -> str:
    """That one of several questions has no sure answer, with the heading that may be meant if it is not empty."""
    said = refusal_text("no_answer_to_question", language, question=question)
    nearest = refusal_text("nearest_to_question", language, heading=in_quotes(heading, language)) if heading else ""
    return join_sentences(filter(None, (said, nearest)), language)


def other_sections_reply(
    reason: str, others: Sequence[str], contact: Contact | None, has_contacts: bool, language: Language
) -> str:
    """What is said instead of an answer that would be no help: why (a key of refusal.toml), other headings, and whom to
    ask."""
    named = refusal_text("other_sections", language, topics=quote_list(others, language)) if others else ""
    named = named or refusal_text("no_other_sections", language)
    whom = _contact_sentences(contact, has_contacts, language)
    return join_sentences((refusal_text(reason, language), named, *whom), language)


def decline(contact: Contact | None, language: Language) -> str:
    """What the bot says if its model, or a filter before it, will not reply; cites nothing."""
    return join_sentences((refusal_text("declined", language), *_contact_sentences(contact, False, language)), language)


def contact_sentence(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return refusal_text("contact", language, name=contact.name, reach=contact.reach)


def _contact_sentences(contact: Contact | None, has_contacts: bool, language: Language, section: str = "") -> list[str]:
    if contact:
        return [contact_sentence(contact, language)]
    if section:
        return [refusal_text("contact_section", language, heading=in_quotes(section, language))]
    return [refusal_text("any_contact", language)] if has_contacts else []
