"""The words of a refusal: honest, with the nearest headings to choose from and a contact.

Whether to refuse is decided in `core/bot/embedded/reply.py`, which headings are offered in
`core/bot/choices/reply_choices.py`; the texts are in `refusal.toml`.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.toml import bundled_toml
from core.base.types import Contact, Language
from core.text.language import join_sentences
from core.text.quotation_marks import in_quotes, quote_list


def refusal_text(key: str, language: Language, **placeholders: str) -> str:
    """A sentence of refusal.toml with its placeholders filled."""
    return bundled_toml(__file__, "refusal.toml")[key][language].format(**placeholders)


def refuse(
    reason: str,
    nearest: Sequence[str],
    likely: bool,
    contact: Contact | None,
    has_contacts: bool,
    language: Language,
    contact_section: str = "",
) -> str:
    """The reply that the documents have no answer, with the nearest headings and whom to ask; cites nothing.

    reason: a text in place of the bundled one, or ""; likely: whether one of the headings is probably meant;
    has_contacts: whether the bot has contacts, even if none surely fits; contact_section: the section of the documents
    that says how to reach the organisation, for a bot without contacts.
    """
    if not nearest:
        parts = [reason or refusal_text("not_documented", language)]
    elif likely and not reason:
        parts = [refusal_text("offer", language, headings=quote_list(nearest, language))]
    else:
        offer = refusal_text("nearest", language, headings=quote_list(nearest, language))
        parts = [reason or refusal_text("no_sure_answer", language), offer]
    whom = _contact_sentences(contact, has_contacts, language, contact_section)
    return join_sentences((*parts, *whom), language)


def no_answer_to(question: str, heading: str, language: Language) -> str:
    """The sentence that a question has no sure answer, with the heading that may be meant unless it is ""."""
    said = refusal_text("no_answer_to_question", language, question=question)
    nearest = refusal_text("nearest_to_question", language, heading=in_quotes(heading, language)) if heading else ""
    return join_sentences(filter(None, (said, nearest)), language)


def other_sections_reply(
    reason: str, others: Sequence[str], contact: Contact | None, has_contacts: bool, language: Language
) -> str:
    """The reply in place of an answer that would be no help: why (a key of refusal.toml), other headings, a contact."""
    named = refusal_text("other_sections", language, headings=quote_list(others, language)) if others else ""
    named = named or refusal_text("no_other_sections", language)
    whom = _contact_sentences(contact, has_contacts, language)
    return join_sentences((refusal_text(reason, language), named, *whom), language)


def decline(contact: Contact | None, language: Language) -> str:
    """The reply if the model, or a filter before it, declines; cites nothing."""
    return join_sentences((refusal_text("declined", language), *_contact_sentences(contact, False, language)), language)


def contact_sentence(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return refusal_text("contact", language, name=contact.name, reach=contact.reach, contact=contact.with_reach)


def _contact_sentences(contact: Contact | None, has_contacts: bool, language: Language, section: str = "") -> list[str]:
    if contact:
        return [contact_sentence(contact, language)]
    if section:
        return [refusal_text("contact_section", language, heading=in_quotes(section, language))]
    return [refusal_text("any_contact", language)] if has_contacts else []
