"""Whether a turn asks or searches: the engine's scores, the routing table, and what overrides it."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from core.base.call_context import today_of
from core.base.prompt import Engine, NeedsModel
from core.base.types import Assessment, Bot, Clarify, Message, Profile, Route
from core.bot.answer.picked_section import picked_choice, sections_to_pick
from core.bot.answer.several_questions import are_clear
from core.bot.clarify.assess import Assess, AssessAndRewrite, AssessmentWithQueries
from core.bot.clarify.function_calling import ChooseStep, assessment_of, route_of
from core.bot.clarify.questions import ask_which
from core.bot.clarify.routing import route
from core.bot.rewrite.rewrite import read_queries
from core.bot.small_talk.talk_kind import without_talk
from core.bot.turn_reading import TurnReading
from core.bot.turn_search import PASSAGES, split_questions
from core.retrieval.index import Index
from core.text.conversation import follow_up, standalone_question, without_list_of
from core.text.language import language_of

Conversation = tuple[Message, ...]


class Decision(NamedTuple):
    """How clear a message is, where the turn goes, and what to search for if that is known already."""

    assessment: Assessment
    route: Route
    queries: tuple[str, ...] = ()


def decide(engine: Engine, bot: Bot, index: Index, reading: TurnReading, person: Profile) -> Decision:
    """Ask or search; the same is not asked twice, and a document that was picked is asked for its section."""
    conversation = reading.conversation
    assessment, chosen, queries = _decide_by_strategy(engine, bot, reading, person)
    if chosen.decision == "ask" and was_asked(clarifying_question(bot, assessment, chosen), conversation[:-1]):
        chosen = chosen.model_copy(
            update={"decision": "search", "reason": "", "ask": "", "left_open": "intent", "instead": "asked_before"}
        )
    if (
        chosen.decision == "ask"
        and chosen.reason in ("missing", "consultation")
        and _has_clear_question(index, reading)
    ):
        chosen = chosen.model_copy(
            update={"decision": "search", "reason": "", "ask": "", "instead": "several_questions"}
        )
    if chosen.decision == "search" and reading.asked < bot.clarify.max_questions:
        assessment, chosen = _ask_section(bot, index, conversation, assessment, chosen)
    return Decision(assessment, chosen, queries)


def _has_clear_question(index: Index, reading: TurnReading) -> bool:
    """Whether one of several questions of a first message, or of one that follows an answer, surely has its section."""
    conversation = reading.conversation
    follows_up = bool(follow_up(conversation).about)
    if not (follows_up or len(conversation) == 1):
        return False
    query = standalone_question(conversation) if follows_up else without_talk(conversation[-1].text)
    several = split_questions(index, (query,), conversation, reading.known)
    return are_clear(several, reading.searched)


def _ask_section(
    bot: Bot, index: Index, conversation: Conversation, assessment: Assessment, chosen: Route
) -> tuple[Assessment, Route]:
    """Ask for the section if a whole document was picked and nothing says which of its sections is meant."""
    picked = picked_choice(conversation)
    sections = picked and sections_to_pick(picked, conversation, index.search(picked, PASSAGES), index.passages)
    if not sections:
        return assessment, chosen
    text = ask_which(picked, sections, language_of(conversation[-1].text, bot.language))
    asking = {"decision": "ask", "ask": text, "reason": "missing", "left_open": "", "instead": "section"}
    return assessment.model_copy(update={"choices": sections}), chosen.model_copy(update=asking)


def _decide_by_strategy(engine: Engine, bot: Bot, reading: TurnReading, person: Profile) -> Decision:
    """Ask or search, by the bot's strategy: the model calls a function, or its scores go through the routing table.

    An engine that cannot call functions gives scores. With `one_call` the queries of a conversation of several messages
    come along.
    """
    if bot.clarify.strategy == "functions":
        prompt = ChooseStep(
            conversation=reading.conversation,
            topics=reading.topics,
            profile=person.text(),
            earlier=person.earlier,
            fields=bot.profile_fields,
            patience=person.patience,
            today=today_of(bot),
            desk=bot.description,
            language=bot.language,
        )
        with suppress(NeedsModel):
            step = engine.ask(prompt)
            return Decision(assessment_of(step), route_of(step, reading.asked, bot.clarify.max_questions))
    several = sum(message.role == "user" for message in reading.conversation) > 1
    kind = AssessAndRewrite if bot.clarify.one_call and several else Assess
    assessment, queries = engine.ask(_assess_prompt(kind, bot, reading, person)), ()
    if isinstance(assessment, AssessmentWithQueries):
        assessment, queries = assessment.assessment(), read_queries("\n".join(assessment.queries))
    return Decision(assessment, route(assessment, bot.clarify, person.patience, reading.asked), queries)


def _assess_prompt(kind: type[Assess], bot: Bot, reading: TurnReading, person: Profile) -> Assess:
    return kind(
        conversation=reading.conversation,
        topics=reading.topics,
        topics_known=bot.clarify.look_first,
        searched=reading.searched,
        talk=reading.talk,
        alternatives=reading.alternatives,
        product=reading.product,
        outcome=reading.outcome,
        profile=person.text(),
        earlier=person.earlier,
        fields=bot.profile_fields,
        today=today_of(bot),
        desk=bot.description,
        language=bot.language,
    )


def was_asked(question: Clarify, messages: Conversation) -> bool:
    """Whether the bot has asked the same before: the same words, or the same choices in any order."""
    asked = [message for message in messages if message.role == "assistant" and message.asks]
    choices = set(question.choices)
    return any(one.text.strip() == question.text.strip() or choices == set(one.choices) != set() for one in asked)


def clarifying_question(bot: Bot, assessment: Assessment, chosen: Route) -> Clarify:
    """The clarifying question with its choices; one about the person offers the values of the field it asks for."""
    choices = assessment.choices
    if chosen.reason == "profile":
        fields = (field for field in bot.profile_fields if field.question in chosen.ask or field.name in chosen.ask)
        others = () if assessment.ask_missing_info else choices  # those belong to the question that is not asked
        choices = next((field.values for field in fields), others)
    return Clarify(text=without_list_of(choices, chosen.ask), choices=choices)
