"""What is known of a turn before the engine is called: the messages, the user, the sections found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

from core.base.call_context import current_context
from core.base.types import Bot, Conversation, Language, Message, Profile, ProfileField, Section, SectionHit
from core.bot.answer_ask_refuse import BestResponse, best_response, first_response, is_like_unanswered, later_response
from core.bot.clarify.missing_subject import alternatives
from core.bot.embedded_settings import WITH_EXAMPLES
from core.bot.message_kind.classifier import MessageKind
from core.bot.message_kind.first_steps_sections import rank_up_first_steps
from core.bot.message_kind.message_kind import message_kind, reports_trouble
from core.bot.messages.asides import leave_out_asides
from core.bot.messages.follow_up import mark_follow_ups
from core.bot.messages.questions_in_conversation import LaterQuestion, questions_in_conversation
from core.bot.messages.rejected_sections import rejected_sections
from core.bot.messages.sections_in_conversation import sections_in_conversation
from core.bot.messages.spelling import respelled
from core.bot.messages.subject_change import mark_subject_changes
from core.bot.profile_filter import UserFacts, rank_down_other_profiles
from core.bot.search_query import search_query
from core.bot.section_probability import likeliest_section, scored_in_conversation, sections_above
from core.retrieval.index import Index
from core.text.conversation import count_clarifying_questions, language_spoken, open_messages
from core.text.language import terms
from core.text.message_questions import separate_questions
from core.text.offered_choices import offered_again
from core.text.product_names import product_names
from core.text.standalone_question import standalone_question

# Probability of a section from which the products of its example questions count as known.
ABOUT_PRODUCT_FROM = 0.2


@dataclass(frozen=True)
class TurnContext:
    """What is known of a turn before the engine is called; what only the embedded engine needs is computed lazily."""

    bot: Bot
    index: Index
    profile: Profile
    conversation: Conversation  # the messages, from `prepare_messages`
    user_facts: UserFacts  # what the user and the profile say, to rank sections for other people last
    sections: tuple[SectionHit, ...]  # the sections found, best first
    questions_asked: int  # how many clarifying questions count as asked

    @property
    def message(self) -> str:
        """The last message."""
        return self.conversation[-1].text

    @cached_property
    def question(self) -> str:
        """The last message as a standalone question."""
        return standalone_question(self.conversation)

    @cached_property
    def sections_alone(self) -> tuple[SectionHit, ...]:
        """The sections found for the last message alone, if it was joined to the question before it; else none."""
        return self.index.sections(search_query(self.index, self.message)) if self.conversation[-1].about else ()

    @cached_property
    def rejected(self) -> frozenset[Section]:
        """The sections that the last message rejects by name."""
        return rejected_sections(self.index, self.conversation)

    @cached_property
    def words_to_read_back(self) -> str:
        """The standalone question if the user wrote it so, else the last message as written: a word that was respelled
        is never shown."""
        written = [message.written or message.text for message in self.conversation if message.role == "user"]
        return self.question if any(self.question in text for text in written) else written[-1].strip()

    @property
    def passage_count(self) -> int:
        """The number of passages to search."""
        return len(self.index.passages)

    @cached_property
    def language(self) -> Language:
        """The language of the reply."""
        return language_spoken(self.conversation, self.bot.language)

    @property
    def prompt_fields(self) -> dict[str, Any]:
        """The fields that every prompt of the bot has (`ConversationPrompt`)."""
        return {
            "conversation": self.conversation,
            "profile": self.profile.text(),
            "earlier": self.profile.earlier,
            "today": _today(self.bot),
        }

    @cached_property
    def message_kind(self) -> MessageKind:
        """The kind of the last message."""
        found = self.sections if self.bot.clarify.look_first else None
        return message_kind(self.conversation, found, self.passage_count)

    @cached_property
    def reports_trouble(self) -> bool:
        """Whether the last message reports a problem and asks nothing."""
        return reports_trouble(self.conversation, self.sections, self.passage_count)

    @cached_property
    def response(self) -> BestResponse | None:
        """Whether to answer, ask or refuse; None if the sections do not decide it, as after a reply to a clarifying question
        whose sections have no probabilities in the conversation."""
        if not self.bot.clarify.look_first:
            return None
        if self.later_questions:
            return "answer"
        if self.is_scored_in_conversation:
            return later_response(self.sections)
        if count_clarifying_questions(open_messages(self.conversation)):
            return None
        response = first_response if len(self.conversation) == 1 else best_response
        return response(self.question, self.sections, self.passage_count)

    @property
    def is_scored_in_conversation(self) -> bool:
        """Whether the sections have probabilities in the conversation."""
        return scored_in_conversation(self.sections)

    @cached_property
    def later_questions(self) -> tuple[LaterQuestion, ...]:
        """Each of several questions in a message after others; empty if none of them is answered."""
        if not self.bot.clarify.look_first:
            return ()
        questions = questions_in_conversation(self.index, self.conversation, self.sections)
        return questions if any(one.is_answered for one in questions) else ()

    @cached_property
    def alternatives(self) -> tuple[SectionHit, ...]:
        """For a first message that names no subject: one candidate section per document. Otherwise empty."""
        if len(self.conversation) != 1 or not self.sections:
            return ()
        return alternatives(search_query(self.index, self.message), self.index, self.sections)

    @cached_property
    def unknown_product(self) -> str:
        """The product that the last message is about, if neither the documents nor a likely section's example questions
        mention it, else ""."""
        if not self.passage_count or len(separate_questions(self.message)) > 1:
            return ""  # each of several questions is answered, or named as not found, by itself
        likely = sections_above(self.sections, ABOUT_PRODUCT_FROM)
        sections = {hit.section for hit in likely}
        return next((name for name in product_names(self.message) if not _is_known(self.index, name, sections)), "")


def turn_context(
    bot: Bot, index: Index, messages: Sequence[Message], profile: Profile = Profile(), clarify: bool = True
) -> TurnContext:
    """The context of the last message; with `clarify=False` all clarifying questions count as asked.

    If only some sections have example questions (`Index.without_examples` is set), the sections without are found as in
    a bot that has none: a request whose likeliest section is one of them gets the context of that index, unless a
    section with example questions surely answers it.
    """
    context = _turn_context(bot, index, messages, profile, clarify)
    if (
        index.without_examples is None
        or context.message_kind != "request"
        or _is_known_by_examples(index, context.sections)
    ):
        return context
    other = _turn_context(bot, index.without_examples, messages, profile, clarify)
    _, likeliest = likeliest_section(other.sections)
    return other if likeliest and not _has_examples(index, likeliest) else context


def _is_known_by_examples(index: Index, sections: Sequence[SectionHit]) -> bool:
    """Whether example questions show that no document answers a message, or surely which section does."""
    chance, likeliest = likeliest_section(sections)
    is_sure = likeliest is not None and chance >= WITH_EXAMPLES.documented_from and _has_examples(index, likeliest)
    return is_sure or is_like_unanswered(sections)


def _has_examples(index: Index, hit: SectionHit) -> bool:
    return index.has_example_questions(hit.document, hit.heading)


def _today(bot: Bot) -> date:
    """Today's date for a bot: the run's fixed date, else the bot's own, else today's."""
    return current_context().today or bot.today or date.today()


def _turn_context(bot: Bot, index: Index, messages: Sequence[Message], profile: Profile, clarify: bool) -> TurnContext:
    conversation = prepare_messages(index, messages)
    facts = user_facts(index, conversation, bot.profile_fields, profile, _today(bot))
    sections = find_sections(index, conversation, facts) if bot.clarify.look_first else ()
    asked = count_clarifying_questions(conversation) if clarify else bot.clarify.max_questions
    return TurnContext(bot, index, profile, conversation, facts, sections, asked)


def prepare_messages(index: Index, messages: Sequence[Message]) -> Conversation:
    """The conversation spelt as in the documents and without asides; messages that change the subject or follow up
    without saying so are marked. What was offered before counts as offered if the last message is that."""
    spelt = respelled(index, offered_again(messages))
    return mark_follow_ups(index, mark_subject_changes(index, leave_out_asides(index, spelt)))


def user_facts(
    index: Index,
    conversation: Conversation,
    fields: tuple[ProfileField, ...] = (),
    profile: Profile | None = None,
    today: date | None = None,
) -> UserFacts:
    """What the user has said, also in asides, and what the profile says, on which day."""
    own = [message for message in reversed(conversation) if message.role == "user"]
    said = [text for message in own for text in (message.text, message.written) if text]
    before = (*said, profile.text() if profile else "")
    return UserFacts(index.document_values, fields, standalone_question(conversation), before, today)


def find_sections(index: Index, conversation: Conversation, facts: UserFacts | None = None) -> tuple[SectionHit, ...]:
    """The sections found for what is open in the conversation (from `prepare_messages`), without a model.

    Sections meant for other people than the user rank last; those that the last message rejects are left out.
    """
    query = search_query(index, standalone_question(conversation))
    sections = sections_in_conversation(index, conversation) or index.sections(query)
    rejected = rejected_sections(index, conversation)
    sections = tuple(one for one in sections if one.section not in rejected)
    found = rank_down_other_profiles(sections, query, facts or user_facts(index, conversation))
    return rank_up_first_steps(index, conversation[-1].text, found)


def _is_known(index: Index, name: str, sections: set[Section]) -> bool:
    return any(
        index.vocabulary.is_documented(word) or not sections.isdisjoint(index.vocabulary.sections_asked_with(word))
        for word in terms(name, index.language)
    )
