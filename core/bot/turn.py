"""One turn of the bot: clarify, else rewrite, retrieve and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from core.base.errors import BadInput, Refused, StreamCut, Withheld
from core.base.prompt import Engine, NeedsModel
from core.base.types import (
    Assessment,
    Bot,
    Clarify,
    Contact,
    Hit,
    Message,
    Profile,
    Route,
    Topic,
    Turn,
)
from core.bot.answer.answer import Answering, decline, read_answer
from core.bot.clarify.assess import Assess
from core.bot.clarify.functions import ChooseStep, assessment_of, route_of
from core.bot.clarify.routing import route
from core.bot.external.reply import outside_turn
from core.bot.rewrite.rewrite import rewrite
from core.retrieval.index import Index
from core.text.conversation import count_clarifying_questions, standalone_question
from core.text.language import content_words, language_of
from core.text.normalize import normalize

LONGEST = 8_000  # characters of one message
PASSAGES = 6
TOPICS = 16
Say = Callable[[str], None]


class Instead(NamedTuple):
    """What stands in for a stage's own work: a query, or what a search finds (empty, none: the stage's own)."""

    query: str = ""
    hits: tuple[Hit, ...] | None = None


def take_turn(
    engine: Engine,
    bot: Bot,
    index: Index,
    messages: tuple[Message, ...],
    text: str,
    profile: Profile | None = None,
    on_text: Say | None = None,
    clarify: bool = True,
    instead: Instead | None = None,
) -> Turn:
    """Clarify, else rewrite, retrieve and answer.

    `messages` are the earlier ones, `text` the new one; `on_text` gets the reply in pieces as it is made;
    `clarify=False` always searches; `instead` replaces what a stage would give. A bot that exists already is asked
    instead, with no index. Raises BadInput for an empty message or one of more than 8,000 characters.
    """
    if bot.outside:
        return _heard(outside_turn(bot, messages, usable(text)), on_text)
    instead = instead or Instead()
    conversation = (*messages, Message(role="user", text=usable(text)))
    seconds: dict[str, float] = {}
    contact = find_contact(bot, conversation)
    with _timed(seconds, "clarify"):
        topics, assessment, chosen = _clarify(engine, bot, index, conversation, profile or Profile(), clarify)
    if chosen.decision == "ask":
        return _ask(text, assessment, chosen, topics, contact, seconds, on_text)
    with _timed(seconds, "rewrite"):
        query = instead.query or rewrite(engine, conversation)
    with _timed(seconds, "retrieve"):
        hits = index.search(query, PASSAGES) if instead.hits is None else instead.hits
    with _timed(seconds, "answer"):
        said = _say(engine, _answering(bot, index, query, hits, conversation, chosen, contact), on_text)
    return Turn(
        message=text,
        reply=read_answer(said, hits),
        assessment=assessment,
        route=chosen,
        topics=topics,
        query=query,
        hits=hits,
        contact=contact if chosen.name_contact else None,
        seconds=seconds,
    )


def _heard(turn: Turn, on_text: Say | None) -> Turn:
    """The turn, its reply told."""
    if on_text:
        on_text(turn.reply.text)
    return turn


def usable(text: str) -> str:
    """The message when it can be taken; raises BadInput otherwise."""
    if not text.strip():
        raise BadInput("The message is empty. Enter a question.", "empty_message")
    if len(text) > LONGEST:
        raise BadInput(
            f"The message has {len(text):,} characters; the limit is {LONGEST:,}. Shorten it and send it again.",
            "long_message",
            length=f"{len(text):,}",
            most=f"{LONGEST:,}",
        )
    return text


def look(index: Index, conversation: tuple[Message, ...]) -> tuple[Topic, ...]:
    """The sections that compete for what is open in the conversation: a cheap search, no model."""
    return index.topics(standalone_question(conversation), TOPICS)


def decide(
    engine: Engine,
    bot: Bot,
    conversation: tuple[Message, ...],
    topics: tuple[Topic, ...],
    profile: Profile,
    asked: int,
) -> tuple[Assessment, Route]:
    """Ask back or search, by the bot's strategy: the model calls a function, or scores are put through the table.

    An engine that cannot call functions uses the scores. `asked`: questions back so far.
    """
    if bot.clarify.strategy == "functions":
        prompt = ChooseStep(
            conversation=conversation,
            topics=topics,
            profile=profile.text(),
            fields=bot.profile_fields,
            patience=profile.patience,
            language=bot.language,
        )
        with suppress(NeedsModel):
            step = engine.ask(prompt)
            return assessment_of(step), route_of(step, asked, bot.clarify.max_questions)
    assessment = assess(engine, bot, conversation, topics, profile)
    return assessment, route(assessment, bot.clarify, profile.patience, asked)


def assess(
    engine: Engine, bot: Bot, conversation: tuple[Message, ...], topics: tuple[Topic, ...], profile: Profile
) -> Assessment:
    """Ask the engine how clear the conversation's last message is."""
    return engine.ask(
        Assess(
            conversation=conversation,
            topics=topics,
            looked=bot.clarify.look_first,
            profile=profile.text(),
            fields=bot.profile_fields,
            language=bot.language,
        )
    )


def find_contact(bot: Bot, conversation: tuple[Message, ...]) -> Contact | None:
    """The contact whose field the conversation touches most; the first one where none fits."""
    if not bot.contacts:
        return None
    texts = [message.text for message in conversation if message.role == "user"]
    said = normalize(" ".join(texts))
    words = {word for text in texts for word in content_words(text)}

    def touched(contact: Contact) -> int:
        return sum(normalize(topic) in said or bool(set(content_words(topic)) & words) for topic in contact.topics)

    return max(bot.contacts, key=touched)


def _clarify(
    engine: Engine,
    bot: Bot,
    index: Index,
    conversation: tuple[Message, ...],
    profile: Profile,
    clarify: bool,
) -> tuple[tuple[Topic, ...], Assessment, Route]:
    """How clear the message is, and where that leads; without `clarify` the limit of questions counts as reached."""
    topics = look(index, conversation) if bot.clarify.look_first else ()
    asked = count_clarifying_questions(conversation) if clarify else bot.clarify.max_questions
    return topics, *decide(engine, bot, conversation, topics, profile, asked)


def _ask(
    text: str,
    assessment: Assessment,
    chosen: Route,
    topics: tuple[Topic, ...],
    contact: Contact | None,
    seconds: dict[str, float],
    on_text: Say | None,
) -> Turn:
    choices = assessment.choices if chosen.reason in ("missing", "consultation") else ()
    if on_text:
        on_text(chosen.ask)
    return Turn(
        message=text,
        reply=Clarify(text=chosen.ask, choices=choices),
        assessment=assessment,
        route=chosen,
        topics=topics,
        contact=contact if chosen.name_contact else None,
        seconds=seconds,
    )


def _answering(
    bot: Bot,
    index: Index,
    query: str,
    hits: tuple[Hit, ...],
    conversation: tuple[Message, ...],
    chosen: Route,
    contact: Contact | None,
) -> Answering:
    return Answering(
        question=query,
        passages=hits,
        conversation=conversation,
        prompt=bot.prompt,
        guidelines=bot.guidelines,
        weights={term: index.lexical.idf(term) for term in content_words(query)},
        assumed=chosen.limit_reached,
        contact=contact,
        name_contact=chosen.name_contact,
        language=language_of(conversation[-1].text, bot.language),
    )


def _say(engine: Engine, prompt: Answering, on_text: Say | None) -> str:
    """The answer; where the model will not give one, the bot says so."""
    heard: list[str] = []
    try:
        return engine.ask(prompt) if on_text is None else _aloud(engine, prompt, on_text, heard)
    except (Withheld, Refused) as error:
        if error.key != Withheld.key:
            raise
        said = decline(prompt.contact, prompt.language)
        if on_text:
            on_text(f"\n\n{said}" if heard else said)
        return said


def _aloud(engine: Engine, prompt: Answering, on_text: Say, heard: list[str]) -> str:
    """The answer, told in pieces as they come and added to `heard`."""
    try:
        for piece in engine.stream(prompt):
            heard.append(piece)
            on_text(piece)
    except StreamCut:  # what was shown stays on the screen; the whole answer follows, and is what is kept
        said = engine.ask(prompt)
        on_text(f"\n\n{said}")
        return said
    return "".join(heard)


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Generator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = round(time.perf_counter() - start, 4)
