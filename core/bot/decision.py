"""Whether a turn asks or searches: the engine's scores, the routing table, and what overrides it."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from core.base.call_context import today_of
from core.base.prompt import Engine, NeedsModel
from core.base.types import Assessment, Bot, Clarify, Message, Profile, Route, Topic
from core.bot.answer.picked_section import picked_choice, sections_to_pick
from core.bot.answer.several_questions import are_clear
from core.bot.clarify.assess import Assess, AssessAndRewrite, AssessmentWithQueries
from core.bot.clarify.function_calling import ChooseStep, assessment_of, route_of
from core.bot.clarify.questions import ask_which
from core.bot.clarify.routing import route
from core.bot.evidence import FULL
from core.bot.rewrite.rewrite import read_queries
from core.bot.small_talk.talk_kind import TalkKind, without_talk
from core.bot.turn_search import PASSAGES, find_alternatives, known_of, split_questions
from core.retrieval.index import Index
from core.text.conversation import follow_up, standalone_question, without_list_of
from core.text.language import language_of

Conversation = tuple[Message, ...]


class Decision(NamedTuple):
    """How clear a message is, where the turn goes, and what to search for if that is known already."""

    assessment: Assessment
    route: Route
    queries: tuple[str, ...] = ()


def decide_with_overrides(
    engine: Engine,
    bot: Bot,
    index: Index,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    person: Profile,
    asked: int,
    talk: TalkKind,
    product: str = "",
) -> Decision:
    """Ask or search; the same is not asked twice, and a document that was picked is asked for its section."""
    others = find_alternatives(index, conversation, topics)
    searched = len(index.passages)
    assessment, chosen, known = decide(
        engine, bot, conversation, topics, person, asked, searched, talk, others, product
    )
    if chosen.decision == "ask" and was_asked(clarifying_question(bot, assessment, chosen), conversation[:-1]):
        chosen = chosen.model_copy(update={"decision": "search", "left_open": "intent", "instead": "asked_before"})
    follows_up = bool(follow_up(conversation).about)
    if (
        chosen.reason in ("missing", "consultation")
        and chosen.decision == "ask"
        and (len(conversation) == 1 or follows_up)
    ):
        query = standalone_question(conversation) if follows_up else without_talk(conversation[-1].text)
        known_person = known_of(index, conversation, bot.profile_fields, person, today_of(bot))
        several = split_questions(index, (query,), conversation if follows_up else (), known_person)
        if are_clear(several, len(index.passages)):
            chosen = chosen.model_copy(
                update={"decision": "search", "reason": "", "ask": "", "instead": "several_questions"}
            )
    if chosen.decision == "search" and asked < bot.clarify.max_questions:
        assessment, chosen = _ask_section(bot, index, conversation, assessment, chosen)
    return Decision(assessment, chosen, known)


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


def decide(
    engine: Engine,
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    asked: int,
    searched: int = FULL,
    talk: TalkKind | None = None,
    alternatives: tuple[Topic, ...] = (),
    product: str = "",
) -> Decision:
    """Ask or search, by the bot's strategy: the model calls a function, or its scores go through the routing table.

    An engine that cannot call functions gives scores. `asked`: the clarifying questions so far; `searched`: how many
    passages there are; `alternatives`: what a message without a subject may mean; `product`: of which the documents say nothing, if it is about one. With `one_call` the
    queries of a conversation of several messages come along.
    """
    if bot.clarify.strategy == "functions":
        prompt = ChooseStep(
            conversation=conversation,
            topics=topics,
            profile=profile.text(),
            earlier=profile.earlier,
            fields=bot.profile_fields,
            patience=profile.patience,
            today=today_of(bot),
            desk=bot.description,
            language=bot.language,
        )
        with suppress(NeedsModel):
            step = engine.ask(prompt)
            return Decision(assessment_of(step), route_of(step, asked, bot.clarify.max_questions))
    several = sum(message.role == "user" for message in conversation) > 1
    if bot.clarify.one_call and several:
        both = engine.ask(
            _assess_prompt(AssessAndRewrite, bot, conversation, topics, profile, searched, talk, alternatives, product)
        )
        assert isinstance(both, AssessmentWithQueries)
        assessment, queries = both.assessment(), read_queries("\n".join(both.queries))
    else:
        assessment, queries = (
            assess(engine, bot, conversation, topics, profile, searched, talk, alternatives, product),
            (),
        )
    return Decision(assessment, route(assessment, bot.clarify, profile.patience, asked), queries)


def assess(
    engine: Engine,
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    searched: int = FULL,
    talk: TalkKind | None = None,
    alternatives: tuple[Topic, ...] = (),
    product: str = "",
) -> Assessment:
    """Ask the engine how clear the conversation's last message is."""
    return engine.ask(_assess_prompt(Assess, bot, conversation, topics, profile, searched, talk, alternatives, product))


def _assess_prompt(
    kind: type[Assess],
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    searched: int,
    talk: TalkKind | None,
    alternatives: tuple[Topic, ...],
    product: str,
) -> Assess:
    return kind(
        conversation=conversation,
        topics=topics,
        topics_known=bot.clarify.look_first,
        searched=searched,
        talk=talk,
        alternatives=alternatives,
        product=product,
        profile=profile.text(),
        earlier=profile.earlier,
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
