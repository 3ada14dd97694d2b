"""One turn of the bot: clarify, else rewrite, retrieve and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from core.base.call_context import in_context, today_of
from core.base.errors import BadInput, ModelRefusal, ServerRefusal, StreamBroken
from core.base.prompt import Engine
from core.base.types import Answer, Assessment, Bot, Contact, Hit, Message, Profile, Route, Turn
from core.bot.answer.answer import Answering, read_answer
from core.bot.answer.closing_line import ClosingLineFilter, closing_line, read_closing_line
from core.bot.answer.picked_section import all_picked, all_picked_first, meant_sections
from core.bot.answer.referral import Referral, referral_of, with_choices
from core.bot.answer.refusal import decline, whom_to_ask
from core.bot.answer.related_sections import related_sections
from core.bot.answer.repeated import other_sections
from core.bot.answer.several_questions import SearchedQuestion
from core.bot.clarify.routing import route
from core.bot.contacts import picked_contact
from core.bot.decision import clarifying_question, decide
from core.bot.small_talk.replies import desk_of
from core.bot.small_talk.talk_kind import tells_trouble
from core.bot.turn_reading import TurnReading, read_turn
from core.bot.turn_search import find_passages, own_part, search_queries, split_questions
from core.retrieval.index import Index
from core.text.conversation import standalone_question
from core.text.language import content_words, language_of

LONGEST_MESSAGE = 8_000  # characters of one message
NOTHING_ASKED = 5  # `Assessment.is_question` of a greeting or thanks
Conversation = tuple[Message, ...]
OnText = Callable[[str], None]


class Overrides(NamedTuple):
    """What replaces a stage's own result in a replay: the query, or the passages found (None: the stage's own)."""

    query: str = ""
    hits: tuple[Hit, ...] | None = None


class _Found(NamedTuple):
    """What was searched for, and the passages found; the first ones (`picked`) are of sections that the person
    picked."""

    queries: tuple[str, ...]
    several: tuple[SearchedQuestion, ...]
    hits: tuple[Hit, ...]
    picked: int


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
    with in_context(prompts=bot.prompts):
        return _take_turn(engine, bot, index, messages, text, profile, on_text, clarify, overrides)


def _take_turn(
    engine: Engine,
    bot: Bot,
    index: Index,
    messages: Conversation,
    text: str,
    profile: Profile | None,
    on_text: OnText | None,
    clarify: bool,
    overrides: Overrides,
) -> Turn:
    person = profile or Profile()
    seconds: dict[str, float] = {}
    with _timed(seconds, "clarify"):
        reading = read_turn(bot, index, (*messages, Message(role="user", text=text)), person, clarify)
        conversation, topics = reading.conversation, reading.topics
        if desk := picked_contact(bot.contacts, conversation):
            return _contact_turn(desk, bot, text, person, on_text)
        assessment, chosen, queries = decide(engine, bot, index, reading, person)
    referral = referral_of(bot, index, conversation, topics, reading.talk)
    turn = partial(
        Turn,
        message=text,
        assessment=assessment,
        route=chosen,
        topics=topics,
        contact=referral.contact if chosen.name_contact else None,
        earlier=person.earlier,
        seconds=seconds,
    )
    if chosen.decision == "ask":
        question = clarifying_question(bot, assessment, chosen)
        if on_text:
            on_text(question.text)
        return turn(reply=question)
    asks_nothing = assessment.is_question == NOTHING_ASKED
    with _timed(seconds, "rewrite"):
        queries = (overrides.query,) if overrides.query else (text.strip(),) if asks_nothing else queries
        queries = queries or search_queries(engine, bot, index, conversation, person)
    with _timed(seconds, "retrieve"):
        found = _search(index, reading, queries, overrides)
    with _timed(seconds, "answer"):
        others = other_sections(conversation, topics) if len(conversation) > 1 else ()
        told = asks_nothing and tells_trouble(conversation, topics)
        prompt = _answer_prompt(bot, index, reading, found, person, chosen, referral, others, told)
        reply = read_answer(_generate(engine, prompt, on_text), found.hits)
    talked = asks_nothing and not reply.cited
    if not reply.answered or not reply.cited:
        reply = with_choices(reply, (*referral.nearest, *others), bot.contacts, conversation, reading.talk)
    elif found.several or not found.picked:
        quoted = [found.hits[number - 1].passage for number in reply.cited]
        near = [one.hits for one in found.several] or [topics]
        offered = related_sections(near, quoted, reply.text, reading.known)
        reply = reply.model_copy(update={"choices": offered})
    hits = () if talked else found.hits  # passages answer no greeting
    return turn(reply=reply, query="\n".join(queries), hits=hits)


def _search(index: Index, reading: TurnReading, queries: tuple[str, ...], overrides: Overrides) -> _Found:
    """The passages for the queries, those of the sections that were picked or are surely meant first."""
    conversation, known = reading.conversation, reading.known
    picks = all_picked(conversation)
    several = () if picks else split_questions(index, queries, conversation, known)
    own = own_part(index, conversation) if queries == (standalone_question(conversation),) else ""
    hits = find_passages(index, queries, several, own, known) if overrides.hits is None else overrides.hits
    meant = picks if len(picks) > 1 else meant_sections(conversation, reading.topics)
    return _Found(queries, several, *all_picked_first(meant, hits, index.passages))


def _contact_turn(contact: Contact, bot: Bot, text: str, person: Profile, on_text: OnText | None) -> Turn:
    """The turn in which a contact is named that the person picked by name."""
    said = whom_to_ask(contact, language_of(text, bot.language))
    if on_text:
        on_text(said)
    assessment = Assessment(clarity=1, is_question=NOTHING_ASKED, is_consultation=5, in_internal_docs=5, ask_person=1)
    chosen = route(assessment, bot.clarify, person.patience)
    return Turn(message=text, reply=Answer(text=said), assessment=assessment, route=chosen, contact=contact)


def check_message(text: str) -> str:
    """The message if it can be answered; raises BadInput otherwise."""
    if not text.strip():
        raise BadInput("The message is empty. Enter a question.", "empty_message")
    if len(text) > LONGEST_MESSAGE:
        raise BadInput(
            f"The message has {len(text):,} characters; the limit is {LONGEST_MESSAGE:,}. Shorten it and send it again.",
            "long_message",
            length=f"{len(text):,}",
            most=f"{LONGEST_MESSAGE:,}",
        )
    return text


def _external_turn(bot: Bot, messages: Conversation, text: str, on_text: OnText | None) -> Turn:
    from core.bot.external.reply import external_turn  # the HTTP client takes long to import

    turn = external_turn(bot, messages, text)
    if on_text:
        on_text(turn.reply.text)
    return turn


def _answer_prompt(
    bot: Bot,
    index: Index,
    reading: TurnReading,
    found: _Found,
    person: Profile,
    chosen: Route,
    referral: Referral,
    others: tuple[str, ...],
    told: bool,
) -> Answering:
    query = "\n".join(found.queries)
    return Answering(
        question=query,
        passages=found.hits,
        picked=found.picked,
        searched_questions=found.several,
        conversation=reading.conversation,
        talk=reading.talk if bot.clarify.look_first else None,
        product=reading.product,
        outcome=reading.outcome if len(reading.conversation) == 1 else None,
        searched=reading.searched,
        prompt=bot.prompt,
        guidelines=bot.guidelines,
        weights={term: index.lexical.idf(term) for term in content_words(query)},
        assumed=chosen.left_open == "intent",
        by_case=chosen.left_open == "attribute",
        name_contact=chosen.name_contact,
        contacts=bot.contacts,
        referral=referral,
        refusal=bot.refusal,
        others=others,
        told=told,
        profile=person.text(),
        fields=bot.profile_fields,
        earlier=person.earlier,
        today=today_of(bot),
        about=desk_of(bot),
        language=language_of(reading.conversation[-1].text, bot.language),
    )


def _generate(engine: Engine, prompt: Answering, on_text: OnText | None) -> str:
    """The answer; if the model will not give one, the bot says so."""
    shown: list[str] = []
    try:
        return engine.ask(prompt) if on_text is None else _stream(engine, prompt, on_text, shown)
    except (ModelRefusal, ServerRefusal) as error:
        if error.key != ModelRefusal.key:
            raise
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
