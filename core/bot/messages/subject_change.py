"""Detects a new question typed instead of a reply to a clarifying question, by what the documents have for it."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Message, SectionHit
from core.bot.embedded_settings import WITH_EXAMPLES
from core.bot.messages.shown_sections import sections_of_choices
from core.bot.search_query import search_query
from core.bot.section_probability import OWN_SECTION_FROM, is_documented, likeliest_section, sections_above
from core.retrieval.index import Index
from core.text.conversation import is_clarifying_question, open_messages, user_texts
from core.text.intent_patterns import WISH
from core.text.language import content_words
from core.text.message_questions import own_things, question_parts
from core.text.offered_choices import offered_choices, picked_choices
from core.text.question_subject import is_noun_phrase
from core.text.questions import asks
from core.text.reactions import says_unknown
from core.text.standalone_question import standalone_question
from core.text.synonyms import words_with_synonyms

# Content words of a new question, at least.
MIN_OWN_WORDS = 2
# The same as OWN_SECTION_FROM for a message that shares a word with what was said before.
OWN_SECTION_DESPITE_SHARED_WORDS_FROM = 0.9


def mark_subject_changes(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages; those that ask something else instead of replying to a clarifying question are marked."""
    result: list[Message] = []
    for message in messages:
        changes = message.role == "user" and not message.changes_subject and _is_new(index, result, message.text)
        result.append(message.model_copy(update={"changes_subject": True}) if changes else message)
    return tuple(result)


def _is_new(index: Index, before: Sequence[Message], text: str) -> bool:
    """Whether a message is no reply to the clarifying question before it: what it asks is well documented elsewhere.

    It shares no word with what was asked and offered, or one section surely answers it; and its section is in no
    document that the question and its choices may mean. A wish or a problem may well be a reply, so it must also lead
    to another section alone than joined to what was asked.
    """
    if not before or not is_clarifying_question(before[-1]) or not _says_more(before[-1], text):
        return False
    asked = " ".join(filter(asks, question_parts(text)))
    opening = user_texts(open_messages(before))
    matter = asked or text
    names_little = len(content_words(matter)) < MIN_OWN_WORDS or not own_things(matter)
    if not opening or names_little or not (asked or WISH.search(text)):
        return False
    found = index.sections(search_query(index, matter))
    if not found or not is_documented(matter, found, len(index.passages)):
        return False
    probability, likeliest = likeliest_section(found)
    shares = words_with_synonyms(text) & words_with_synonyms("\n".join([*opening, *before[-1].choices]))
    if shares and probability < OWN_SECTION_DESPITE_SHARED_WORDS_FROM:
        return False
    documents = _documents_meant(index, before)
    if probability < OWN_SECTION_FROM or not documents or not likeliest or likeliest.document in documents:
        return False
    if asked:
        return True
    _, joined = likeliest_section(_joined(index, before, text))
    return not joined or joined.document != likeliest.document


def _says_more(question: Message, text: str) -> bool:
    """Whether a message does more than pick a choice, name a thing or say "I don't know"."""
    picks = picked_choices(offered_choices(question), text)
    return not picks and not says_unknown(text) and not is_noun_phrase(text)


def _joined(index: Index, before: Sequence[Message], text: str) -> tuple[SectionHit, ...]:
    """The sections found if the message is a reply."""
    question = standalone_question([*before, Message(role="user", text=text)])
    return index.sections(search_query(index, question))


def _documents_meant(index: Index, before: Sequence[Message]) -> frozenset[str]:
    """The documents of the sections that were offered, and of those that the question before may mean."""
    offered = {document for document, _ in sections_of_choices(index, offered_choices(before[-1]))}
    asked = index.sections(search_query(index, standalone_question(before)))
    meant = sections_above(asked, WITH_EXAMPLES.possible_from)
    return frozenset(offered.union(hit.document for hit in meant))
