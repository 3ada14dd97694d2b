"""Whether a turn asks or searches: the engine's scores, the routing table, and what overrides it."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from core.base.prompt import Engine, NeedsModel
from core.base.reply_fields import MAX_CHOICES
from core.base.types import Assessment, Bot, Clarify, Conversation, Route
from core.bot.choices.section_names import names_section
from core.bot.clarify.assess import Assess, AssessAndRewrite, AssessmentWithQueries
from core.bot.clarify.function_calling import ChooseStep, assessment_of, route_of
from core.bot.clarify.questions import ask_which
from core.bot.clarify.routing import route_by_rules
from core.bot.embedded.assessment import assess
from core.bot.pinned_sections import picked_sections
from core.bot.rewrite.rewrite import read_queries
from core.bot.turn_context import TurnContext
from core.documents.heading_names import last_heading, short_title
from core.retrieval.index import ANSWER_PASSAGES
from core.text.conversation import user_texts
from core.text.language import content_words
from core.text.offered_choices import without_list_of


class Decision(NamedTuple):
    """How clear a message is, where the turn goes, and the queries if they are known already."""

    assessment: Assessment
    route: Route
    queries: tuple[str, ...] = ()


def decide(engine: Engine, context: TurnContext) -> Decision:
    """Ask or search; nothing is asked twice, and after a document was picked the bot asks for its section."""
    bot = context.bot
    assessment, route, queries = _decide_by_strategy(engine, context)
    asks = route.decision == "ask"
    if asks and was_asked(clarifying_question(bot, assessment, route), context.conversation[:-1]):
        name = route.name_contact
        route = Route(
            rule=route.rule, decision="search", left_open="intent", name_contact=name, override="asked_before"
        )
    if route.decision == "search" and context.questions_asked < bot.clarify.max_questions:
        assessment, route = _ask_section(context, assessment, route)
    return Decision(assessment, route, queries)


def _ask_section(context: TurnContext, assessment: Assessment, route: Route) -> tuple[Assessment, Route]:
    """Ask for the section if a whole document was picked and nothing says which of its sections is meant."""
    picked = picked_sections(context.conversation)
    sections = _sections_to_pick(context, picked[0]) if len(picked) == 1 else ()
    if not sections:
        return assessment, route
    text = ask_which(sections, context.language)
    rule, name = route.rule, route.name_contact
    asking = Route(rule=rule, decision="ask", ask=text, reason="missing", name_contact=name, override="section")
    return assessment.model_copy(update={"choices": sections}), asking


def _sections_to_pick(context: TurnContext, choice: str) -> tuple[str, ...]:
    """The sections of a picked document, those found first, if only the document was named; empty if a section was."""
    passages = context.index.passages
    of_document = [passage for passage in passages if short_title(passage.title) == choice]
    if any(names_section(choice, passage.title, passage.heading) for passage in passages):
        return ()
    known = {word for passage in of_document for word in content_words(f"{choice} {passage.title}")}
    said = user_texts(context.conversation[:-1])
    if any(set(content_words(text)) - known for text in said):
        return ()  # the rest of the message says which section is meant
    found = (hit.passage for hit in context.index.search(choice, ANSWER_PASSAGES))
    ranked = [*(passage for passage in found if passage in of_document), *of_document]
    headings = tuple(dict.fromkeys(last_heading(passage.heading) for passage in ranked))
    return headings[:MAX_CHOICES] if len(headings) > 1 else ()


def _decide_by_strategy(engine: Engine, context: TurnContext) -> Decision:
    """Ask or search, by the bot's strategy: the model calls a function, or its scores go through the routing table.

    An engine that cannot call functions returns scores. With `one_call` it also returns the queries of a conversation of
    several messages.
    """
    bot, patience = context.bot, context.profile.patience
    if bot.clarify.strategy == "functions":
        prompt = ChooseStep(patience=patience, **_clarify_fields(context))
        with suppress(NeedsModel):
            step = engine.ask(prompt)
            return Decision(assessment_of(step), route_of(step, context.questions_asked, bot.clarify.max_questions))
    several = sum(message.role == "user" for message in context.conversation) > 1
    kind = AssessAndRewrite if bot.clarify.one_call and several else Assess
    assessment, queries = engine.ask(kind(without_model_reply=partial(assess, context), **_clarify_fields(context))), ()
    if isinstance(assessment, AssessmentWithQueries):
        assessment, queries = assessment.assessment(), read_queries("\n".join(assessment.queries))
    return Decision(assessment, route_by_rules(assessment, bot.clarify, patience, context.questions_asked), queries)


def _clarify_fields(context: TurnContext) -> dict[str, Any]:
    """The fields of both prompts, in the language of the bot."""
    bot = context.bot
    shown = {
        "sections": context.sections,
        "fields": bot.profile_fields,
        "desk": bot.description,
        "language": bot.language,
    }
    return {**context.prompt_fields, **shown}


def was_asked(question: Clarify, messages: Conversation) -> bool:
    """Whether the bot has asked the same before: the same words, or the same choices in any order."""
    asked = [message for message in messages if message.role == "assistant" and message.asks]
    choices = set(question.choices)
    return any(one.text.strip() == question.text.strip() or choices == set(one.choices) != set() for one in asked)


def clarifying_question(bot: Bot, assessment: Assessment, route: Route) -> Clarify:
    """The clarifying question with its choices; one about the user offers the values of the field it asks for."""
    choices = assessment.choices
    if route.reason == "profile":
        fields = (field for field in bot.profile_fields if field.question in route.ask or field.name in route.ask)
        others = () if assessment.ask_missing_info else choices  # the choices belong to the question that is not asked
        choices = next((field.values for field in fields), others)
    return Clarify(text=without_list_of(choices, route.ask), choices=choices)
