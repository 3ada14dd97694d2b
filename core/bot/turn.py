"""One turn of the bot: clarify, else rewrite, retrieve and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from core.base.call_context import in_context, today_of
from core.base.errors import BadInput, ModelRefusal, StreamBroken
from core.base.prompt import Engine
from core.base.types import Answer, Assessment, Bot, Conversation, Hit, Message, Profile, Route, Turn
from core.bot.answer.answer import Answering, read_answer
from core.bot.answer.closing_line import ClosingLineFilter, closing_line, read_closing_line
from core.bot.answer.referral import Referral, with_choices
from core.bot.answer.refusal import contact_sentence, decline
from core.bot.answer.related_sections import related_sections
from core.bot.answer.repeated import other_sections
from core.bot.clarify.routing import route
from core.bot.contacts import picked_contact
from core.bot.decision import Decision, clarifying_question, decide
from core.bot.pinned_sections import picked_sections, pin, pinned_sections
from core.bot.several_questions import SearchedQuestion
from core.bot.small_talk.replies import desk_of
from core.bot.small_talk.talk_kind import talk_kind
from core.bot.turn_context import TurnContext, turn_context
from core.bot.turn_search import find_passages, search_queries, split_questions
from core.retrieval.index import Index
from core.text.conversation import language_spoken
from core.text.language import content_words

# Characters of one message.
MAX_MESSAGE_CHARACTERS = 8_000
# `Assessment.is_question` of a greeting or thanks.
ASKS_NOTHING = 5
OnText = Callable[[str], None]


class Overrides(NamedTuple):
    """What replaces a stage's own result in a replay: the query, or the passages found (None: the stage's own)."""

    query: str = ""
    hits: tuple[Hit, ...] | None = None


class _Found(NamedTuple):
    """What was searched for, and the passages found, the first of which (`pinned_count`) are of pinned sections."""

    queries: tuple[str, ...]
    several: tuple[SearchedQuestion, ...]
    hits: tuple[Hit, ...]
    pinned_count: int


def take_turn(
    engine: Engine,
    bot: Bot,
    index: Index,
    messages: Conversation,
    text: str,
    profile: Profile | None = None,
    on_text: OnText | None = None,
    clarify: bool = True,
    overrides: Overrides = Overrides(),
) -> Turn:
    """Clarify, else rewrite, retrieve and answer.

    `messages` are the earlier ones, `text` the new one; `on_text` gets the reply in pieces as it is made; with
    `clarify=False` the bot always searches. An external bot is asked instead, without an index. Raises BadInput for an
    empty message or one of more than 8,000 characters.
    """
    text = check_message(text)
    if bot.external:
        return _external_turn(bot, messages, text, on_text)
    person, seconds = profile or Profile(), dict[str, float]()
    with in_context(prompts=bot.prompts):
        with _timed(seconds, "clarify"):
            context = turn_context(bot, index, (*messages, Message(role="user", text=text)), person, clarify)
            picked = picked_contact(bot.contacts, context.conversation)
            assessment, chosen, queries = _contact_decision(context) if picked else decide(engine, context)
        referral = Referral(context)
        turn = partial(
            Turn,
            message=text,
            assessment=assessment,
            route=chosen,
            topics=context.topics,
            contact=picked or (referral.contact if chosen.name_contact else None),
            earlier=person.earlier,
            seconds=seconds,
        )
        if picked or chosen.decision == "ask":
            language = language_spoken(context.conversation, bot.language)
            named = Answer(text=contact_sentence(picked, language)) if picked else None
            reply = named or clarifying_question(bot, assessment, chosen)
            if on_text:
                on_text(reply.text)
            return turn(reply=reply)
        asks_nothing = assessment.is_question == ASKS_NOTHING
        with _timed(seconds, "rewrite"):
            if overrides.query:
                queries = (overrides.query,)
            elif asks_nothing:
                queries = (text.strip(),)
            queries = queries or search_queries(engine, context)
        with _timed(seconds, "retrieve"):
            found = _search(context, queries, overrides)
        with _timed(seconds, "answer"):
            others = other_sections(context.conversation, context.topics) if messages else ()
            prompt = _answer_prompt(context, found, chosen, referral, others, asks_nothing)
            reply = read_answer(_generate(engine, prompt, on_text), found.hits)
        hits = () if asks_nothing and not reply.cited else found.hits  # passages answer no greeting
        return turn(reply=_with_choices(reply, context, found, referral, others), query="\n".join(queries), hits=hits)


def _contact_decision(context: TurnContext) -> Decision:
    """The decision on a message that picks a contact by its name: nothing is asked or searched for."""
    assessment = Assessment(clarity=1, is_question=ASKS_NOTHING, is_consultation=5, in_internal_docs=5, ask_person=1)
    return Decision(assessment, route(assessment, context.bot.clarify, context.person.patience))


def _search(context: TurnContext, queries: tuple[str, ...], overrides: Overrides) -> _Found:
    """The passages for the queries, those of the sections that were picked or are surely meant first.

    Passages that were given answer the message as a whole: what is found for each of its questions is not among them.
    """
    is_whole = overrides.hits is not None or picked_sections(context.conversation)
    several = () if is_whole else split_questions(context, queries)
    hits = find_passages(context, queries, several) if overrides.hits is None else overrides.hits
    sections = pinned_sections(context.conversation, context.topics)
    return _Found(queries, several, *pin(sections, hits, context.index.passages))


def _with_choices(
    reply: Answer, context: TurnContext, found: _Found, referral: Referral, others: tuple[str, ...]
) -> Answer:
    """The reply with what it offers to go on with."""
    if not reply.answered or not reply.cited:
        offered = (*referral.nearest, *others)
        return with_choices(reply, offered, context.bot.contacts, context.conversation, context.talk)
    if found.pinned_count and not found.several:
        return reply
    quoted = [found.hits[number - 1].passage for number in reply.cited]
    near = [one.hits for one in found.several] or [context.topics]
    choices = related_sections(near, quoted, reply.text, context.person_facts)
    return reply.model_copy(update={"choices": choices})


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


def _answer_prompt(
    context: TurnContext,
    found: _Found,
    chosen: Route,
    referral: Referral,
    others: tuple[str, ...],
    asks_nothing: bool,
) -> Answering:
    bot, conversation, person = context.bot, context.conversation, context.person
    query, is_read = "\n".join(found.queries), bot.clarify.look_first
    return Answering(
        question=query,
        passages=found.hits,
        pinned_count=found.pinned_count,
        searched_questions=found.several,
        conversation=conversation,
        talk=context.talk if is_read else talk_kind(conversation, found.hits, context.passage_count),
        tells_trouble=asks_nothing and context.tells_trouble,
        product=context.product,
        response=context.response if len(conversation) == 1 else None,
        passage_count=context.passage_count,
        prompt=bot.prompt,
        guidelines=bot.guidelines,
        weights={term: context.index.lexical.idf(term) for term in content_words(query)},
        assumed=chosen.left_open == "intent",
        by_case=chosen.left_open == "attribute",
        name_contact=chosen.name_contact,
        contacts=bot.contacts,
        referral=referral,
        refusal=bot.refusal,
        others=others,
        profile=person.text(),
        fields=bot.profile_fields,
        earlier=person.earlier,
        today=today_of(bot),
        introduction=desk_of(bot),
        language=language_spoken(conversation, bot.language),
    )


def _generate(engine: Engine, prompt: Answering, on_text: OnText | None) -> str:
    """The answer; if the model will not give one, the bot says so."""
    shown: list[str] = []
    try:
        return engine.ask(prompt) if on_text is None else _stream(engine, prompt, on_text, shown)
    except ModelRefusal:
        text = decline(prompt.referral.contact, prompt.language)
        if on_text:
            on_text(f"\n\n{text}" if shown else text)
        return f"{text}\n{closing_line(False)}"


def _stream(engine: Engine, prompt: Answering, on_text: OnText, shown: list[str]) -> str:
    """The answer, handed on piece by piece without its closing line; what was handed on is added to `shown`."""
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
    except StreamBroken:  # what was shown stays on the screen; the whole answer follows, and is what is stored
        text = engine.ask(prompt)
        on_text(f"\n\n{read_closing_line(text)[0]}")
        return text
    show(line.rest())
    return "".join(received)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Generator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = round(time.perf_counter() - start, 4)
