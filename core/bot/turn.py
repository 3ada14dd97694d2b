"""One turn of the bot: clarify, else rewrite, retrieve and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from core.base.call_context import in_context
from core.base.errors import BadInput, ModelRefusal, StreamBroken
from core.base.prompt import Engine
from core.base.types import Answer, Assessment, Bot, Contact, Conversation, Hit, Message, Profile, Reply, Route, Turn
from core.bot.answer.answer import Answering, read_answer
from core.bot.answer.closing_line import ClosingLineFilter, closing_line, read_closing_line
from core.bot.answer.referral import Referral, with_choices
from core.bot.answer.refusal import contact_sentence, decline
from core.bot.clarify.routing import route_by_rules
from core.bot.contacts import picked_contact
from core.bot.decision import Decision, clarifying_question, decide
from core.bot.embedded.reply import EmbeddedReply
from core.bot.turn_context import TurnContext, turn_context
from core.bot.turn_search import SearchResult, search, search_queries
from core.retrieval.index import Index

# Characters of one message.
MAX_MESSAGE_CHARACTERS = 8_000
OnText = Callable[[str], None]


@dataclass(frozen=True)
class TurnOptions:
    """Options of a turn: the user's profile, a callback for streamed text, and overrides for replay."""

    profile: Profile = field(default_factory=Profile)
    on_text: OnText | None = None  # called with each piece of the reply
    clarify: bool = True  # false: the bot asks no clarifying question
    query: str = ""  # searched for, whatever the messages are; "": the turn's own query
    hits: tuple[Hit, ...] | None = None  # answered from, whatever the search finds; None: the turn's own search


def take_turn(
    engine: Engine,
    bot: Bot,
    index: Index,
    messages: Conversation,
    text: str,
    options: TurnOptions = TurnOptions(),
) -> Turn:
    """Clarify, else rewrite, retrieve and answer.

    `turn_context.py` has what is known before the engine is asked, `decision.py` whether the turn asks or searches. The
    prompts that assess and answer carry the embedded engine's function for it (`assess` in embedded/assessment.py,
    `EmbeddedReply` in embedded/reply.py), which only the embedded engine calls (`Prompt.without_model`).

    `messages` are the earlier ones, `text` is the new one. An external bot is called instead, without an index. Raises
    BadInput for an empty message or one of more than 8,000 characters.
    """
    text = check_message(text)
    if bot.external:
        return _external_turn(bot, messages, text, options.on_text)
    seconds = dict[str, float]()
    with in_context(prompts=bot.prompts):
        with _timed(seconds, "clarify"):
            conversation = (*messages, Message(role="user", text=text))
            context = turn_context(bot, index, conversation, options.profile, options.clarify)
            contact = picked_contact(bot.contacts, context.conversation)
        if contact:
            return _contact_turn(context, contact, text, options.on_text, seconds)
        with _timed(seconds, "clarify"):
            decision = decide(engine, context)
        if decision.route.decision == "ask":
            return _asking_turn(context, decision, text, options.on_text, seconds)
        return _searching_turn(engine, context, decision, text, options, seconds)


def _asking_turn(
    context: TurnContext, decision: Decision, text: str, on_text: OnText | None, seconds: dict[str, float]
) -> Turn:
    """The turn for a message that needs a clarifying question."""
    reply = clarifying_question(context.bot, decision.assessment, decision.route)
    if on_text:
        on_text(reply.text)
    contact = _named_contact(context, decision.route, reply, Referral(context))
    return _turn(context, text, reply, decision.assessment, decision.route, contact, seconds)


def _searching_turn(
    engine: Engine,
    context: TurnContext,
    decision: Decision,
    text: str,
    options: TurnOptions,
    seconds: dict[str, float],
) -> Turn:
    """The turn for a message that is searched for and answered."""
    assessment, route, referral = decision.assessment, decision.route, Referral(context)
    with _timed(seconds, "rewrite"):
        queries = _queries(engine, context, decision, options.query)
    with _timed(seconds, "retrieve"):
        search_result = search(context, queries, options.hits)
    with _timed(seconds, "answer"):
        reply = _answer(engine, context, decision, search_result, referral, options.on_text)
        reply = with_choices(reply, context, search_result, referral)
    contact = _named_contact(context, route, reply, referral)
    turn = _turn(context, text, reply, assessment, route, contact, seconds)
    is_without_passages = assessment.asks_nothing and not reply.cited  # a greeting has no sources
    hits = () if is_without_passages else search_result.hits
    return turn.model_copy(update={"query": search_result.query, "hits": hits})


def _contact_turn(
    context: TurnContext, contact: Contact, text: str, on_text: OnText | None, seconds: dict[str, float]
) -> Turn:
    """The turn for a message that picks a contact by its name: nothing is asked or searched for."""
    assessment = Assessment(clarity=1, is_question=5, is_consultation=5, in_internal_docs=5, ask_person=1)
    reply = Answer(text=contact_sentence(contact, context.language))
    if on_text:
        on_text(reply.text)
    route = route_by_rules(assessment, context.bot.clarify, context.profile.patience)
    return _turn(context, text, reply, assessment, route, contact, seconds)


def _turn(
    context: TurnContext,
    text: str,
    reply: Reply,
    assessment: Assessment,
    route: Route,
    contact: Contact | None,
    seconds: dict[str, float],
) -> Turn:
    return Turn(
        message=text,
        standalone_question=context.question,
        reply=reply,
        assessment=assessment,
        route=route,
        sections=context.sections,
        contact=contact,
        earlier=context.profile.earlier,
        seconds=seconds,
    )


def _queries(engine: Engine, context: TurnContext, decision: Decision, fixed: str) -> tuple[str, ...]:
    """The queries to search for: the `fixed` one, else the message as written if it asks for nothing, else those of the
    decision, else the rewritten conversation."""
    if fixed:
        return (fixed,)
    if decision.assessment.asks_nothing:
        last = context.conversation[-1]
        return ((last.written or last.text).strip(),)
    return decision.queries or search_queries(engine, context)


def _named_contact(context: TurnContext, route: Route, reply: Reply, referral: Referral) -> Contact | None:
    """The contact that a reply names; the fitting one if it is among several, or if it names none. None if the route names
    no contact."""
    if not route.name_contact:
        return None
    fitting = referral.contact
    named = [one for one in context.bot.contacts if one.reach in reply.text]
    return fitting if fitting in named or not named else named[0]


def check_message(text: str) -> str:
    """The message if it can be answered; raises BadInput otherwise."""
    if not text.strip():
        raise BadInput("The message is empty. Enter a question.", "empty_message")
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise BadInput(
            f"The message has {len(text):,} characters; the limit is {MAX_MESSAGE_CHARACTERS:,}. Shorten it and send it again.",
            "long_message",
            length=f"{len(text):,}",
            most=f"{MAX_MESSAGE_CHARACTERS:,}",
        )
    return text


def _external_turn(bot: Bot, messages: Conversation, text: str, on_text: OnText | None) -> Turn:
    from core.bot.external.reply import external_turn  # the HTTP client takes long to import

    turn = external_turn(bot, messages, text)
    if on_text:
        on_text(turn.reply.text)
    return turn


def _answer(
    engine: Engine,
    context: TurnContext,
    decision: Decision,
    search_result: SearchResult,
    referral: Referral,
    on_text: OnText | None,
) -> Answer:
    """The answer, or a polite refusal if the model declines."""
    bot, route = context.bot, decision.route
    prompt = Answering(
        question=search_result.query,
        passages=search_result.hits,
        prompt=bot.prompt,
        guidelines=bot.guidelines,
        refusal=bot.refusal,
        assumed=route.left_open == "intent",
        by_case=route.left_open == "attribute",
        name_contact=route.name_contact,
        contacts=bot.contacts,
        language=context.language,
        without_model_reply=EmbeddedReply(
            context, search_result, referral, route, decision.assessment.asks_nothing
        ).text,
        **context.prompt_fields,
    )
    shown: list[str] = []
    try:
        text = engine.ask(prompt) if on_text is None else _stream(engine, prompt, on_text, shown)
    except ModelRefusal:
        text = decline(referral.contact, context.language)
        if on_text:
            on_text(f"\n\n{text}" if shown else text)
        text = f"{text}\n{closing_line(False)}"
    return read_answer(text, search_result.hits)


def _stream(engine: Engine, prompt: Answering, on_text: OnText, shown: list[str]) -> str:
    """The answer, passed to `on_text` piece by piece without its closing line; the pieces are added to `shown`."""
    received: list[str] = []
    line = ClosingLineFilter()

    def show(piece: str) -> None:
        if piece:
            shown.append(piece)
            on_text(piece)

    try:
        for piece in engine.stream(prompt):
            received.append(piece)
            show(line.add(piece))
    except StreamBroken:  # the text so far stays on the screen; the complete answer follows and is stored
        text = engine.ask(prompt)
        on_text(f"\n\n{read_closing_line(text)[0]}")
        return text
    show(line.rest())
    return "".join(received)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Generator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = round(seconds.get(stage, 0.0) + time.perf_counter() - start, 4)
