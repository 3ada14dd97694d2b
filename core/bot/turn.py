"""One turn of the bot: clarify, else rewrite, retrieve and answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from core.base.call_context import current_context, in_context
from core.base.errors import BadInput, Refused, StreamCut, Withheld
from core.base.prompt import Engine, NeedsModel
from core.base.types import Answer, Assessment, Bot, Clarify, Contact, Hit, Message, Profile, Route, Topic, Turn
from core.bot.answer.answer import Answering, read_answer
from core.bot.answer.closing_line import ClosingLineFilter, closing_line, read_closing_line
from core.bot.answer.picked_section import meant_section, picked_choice, picked_first, sections_to_pick
from core.bot.answer.referral import Referral, kind_of, referral_of, with_choices
from core.bot.answer.refusal import decline, whom_to_ask
from core.bot.answer.related_sections import related_sections
from core.bot.answer.several_questions import SearchedQuestion, are_clear, ask_each
from core.bot.clarify.assess import Assess, AssessAndRewrite, AssessmentWithQueries
from core.bot.clarify.function_calling import ChooseStep, assessment_of, route_of
from core.bot.clarify.questions import ask_which
from core.bot.clarify.routing import route
from core.bot.clarify.subject_change import mark_subject_changes
from core.bot.contacts import picked_contact
from core.bot.evidence import FULL
from core.bot.other_language import searchable
from core.bot.rewrite.rewrite import read_queries, rewrite
from core.bot.small_talk.helpful import tells_trouble, with_first_steps, with_telephone
from core.bot.small_talk.replies import desk_of
from core.bot.small_talk.small_talk import without_talk
from core.retrieval.index import Index
from core.text.conversation import count_clarifying_questions, standalone_question, without_list_of
from core.text.language import content_words, language_of

LONGEST = 8_000  # characters of one message
PASSAGES = 6  # passages that an answer is made from
PASSAGES_OF_SEVERAL = 8  # the same for a message that asks several things
TOPICS = 16  # sections that are looked at before asking
NOTHING_ASKED = 5  # `Assessment.is_question` of a greeting or thanks
Conversation = tuple[Message, ...]
OnText = Callable[[str], None]


class Overrides(NamedTuple):
    """What replaces a stage's own result in a replay: the query, or the passages found (None: the stage's own)."""

    query: str = ""
    hits: tuple[Hit, ...] | None = None


class Decision(NamedTuple):
    """How clear a message is, where the turn goes, and what to search for if that is known already."""

    assessment: Assessment
    route: Route
    queries: tuple[str, ...] = ()


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
    conversation = mark_subject_changes(index, (*messages, Message(role="user", text=text)))
    person = profile or Profile()
    if desk := picked_contact(bot.contacts, conversation):
        return _contact_turn(desk, bot, text, person, on_text)
    seconds: dict[str, float] = {}
    with _timed(seconds, "clarify"):
        topics = find_topics(index, conversation) if bot.clarify.look_first else ()
        asked = count_clarifying_questions(conversation) if clarify else bot.clarify.max_questions
        assessment, chosen, known = _decide_with_overrides(engine, bot, index, conversation, topics, person, asked)
    referral = referral_of(bot, index, conversation, topics)
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
        question = _clarifying_question(bot, assessment, chosen)
        if on_text:
            on_text(question.text)
        return turn(reply=question)
    asks_nothing = assessment.is_question == NOTHING_ASKED
    with _timed(seconds, "rewrite"):
        queries = (overrides.query,) if overrides.query else (text.strip(),) if asks_nothing else known
        queries = queries or _search_queries(engine, bot, index, conversation, person)
    with _timed(seconds, "retrieve"):
        several = () if picked_choice(conversation) else _split_questions(index, queries)
        hits = search(index, queries, several) if overrides.hits is None else overrides.hits
        hits, picked = picked_first(meant_section(conversation, topics), hits, index.passages)
    with _timed(seconds, "answer"):
        prompt = _answer_prompt(bot, index, queries, several, hits, conversation, person, chosen, referral)
        prompt = prompt.model_copy(update={"told": asks_nothing and tells_trouble(conversation, topics)})
        reply = read_answer(_generate(engine, prompt.model_copy(update={"picked": picked}), on_text), hits)
    talked = asks_nothing and not reply.cited
    if not reply.answered or not reply.cited:
        wants_person = kind_of(conversation, topics) == "person"
        reply = with_choices(reply, referral.nearest, bot.contacts, wants_person)
    elif several or not picked:
        said = "\n".join([*(message.text for message in conversation if message.role == "user"), person.text()])
        quoted = [hits[number - 1].passage for number in reply.cited]
        found = [one.hits for one in several] or [topics]
        offered = related_sections(found, quoted, reply.text, bot.profile_fields, said)
        reply = reply.model_copy(update={"choices": offered})
    return turn(reply=reply, query="\n".join(queries), hits=() if talked else hits)  # passages answer no greeting


def _decide_with_overrides(
    engine: Engine,
    bot: Bot,
    index: Index,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    person: Profile,
    asked: int,
) -> Decision:
    """Ask or search; the same is not asked twice, and a document that was picked is asked for its section."""
    assessment, chosen, known = decide(engine, bot, conversation, topics, person, asked, len(index.passages))
    if chosen.decision == "ask" and was_asked(_clarifying_question(bot, assessment, chosen), conversation[:-1]):
        chosen = chosen.model_copy(update={"decision": "search", "left_open": "intent", "instead": "asked_before"})
    if chosen.reason == "missing" and len(conversation) == 1 and chosen.decision == "ask":
        several = _split_questions(index, (without_talk(conversation[-1].text),))
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
    """Ask for the section where a whole document was picked and nothing says which of its sections is meant."""
    picked = picked_choice(conversation)
    sections = picked and sections_to_pick(picked, conversation, index.search(picked, PASSAGES), index.passages)
    if not sections:
        return assessment, chosen
    text = ask_which(picked, sections, language_of(conversation[-1].text, bot.language))
    asking = {"decision": "ask", "ask": text, "reason": "missing", "left_open": "", "instead": "section"}
    return assessment.model_copy(update={"choices": sections}), chosen.model_copy(update=asking)


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
    if len(text) > LONGEST:
        raise BadInput(
            f"The message has {len(text):,} characters; the limit is {LONGEST:,}. Shorten it and send it again.",
            "long_message",
            length=f"{len(text):,}",
            most=f"{LONGEST:,}",
        )
    return text


def today_of(bot: Bot) -> date:
    """The date that the bot goes by: that of the run, else the bot's own, else today's."""
    return current_context().today or bot.today or date.today()


def search(index: Index, queries: Sequence[str], several: Sequence[SearchedQuestion] = ()) -> tuple[Hit, ...]:
    """The passages for one query, or the best of each by turns for several queries or for the questions of one (`several`)."""
    found = [one.hits for one in several] or [index.search(query, PASSAGES) for query in queries]
    best: dict[str, Hit] = {}
    for hits in zip_longest(*found):
        for hit in hits:
            if hit:
                best.setdefault(hit.passage.id, hit)
    return tuple(best.values())[: PASSAGES_OF_SEVERAL if several else PASSAGES]


def _split_questions(index: Index, queries: Sequence[str]) -> tuple[SearchedQuestion, ...]:
    """Each of several questions in one query, with what is found for it."""
    return ask_each(queries[0], index.search) if len(queries) == 1 else ()


def find_topics(index: Index, conversation: Conversation) -> tuple[Topic, ...]:
    """The sections that compete for what is open in the conversation (its subject changes marked), found without a model."""
    found = index.topics(searchable(without_talk(standalone_question(conversation)), index), TOPICS)
    text = conversation[-1].text
    return with_first_steps(index, text, with_telephone(index, text, found))


def decide(
    engine: Engine,
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    asked: int,
    searched: int = FULL,
) -> Decision:
    """Ask or search, by the bot's strategy: the model calls a function, or its scores go through the routing table.

    An engine that cannot call functions gives scores. `asked`: the clarifying questions so far; `searched`: how many
    passages there are. With `one_call` the
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
        both = engine.ask(_assess_prompt(AssessAndRewrite, bot, conversation, topics, profile, searched))
        assert isinstance(both, AssessmentWithQueries)
        assessment, queries = both.assessment(), read_queries("\n".join(both.queries))
    else:
        assessment, queries = assess(engine, bot, conversation, topics, profile, searched), ()
    return Decision(assessment, route(assessment, bot.clarify, profile.patience, asked), queries)


def assess(
    engine: Engine,
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    searched: int = FULL,
) -> Assessment:
    """Ask the engine how clear the conversation's last message is."""
    return engine.ask(_assess_prompt(Assess, bot, conversation, topics, profile, searched))


def _assess_prompt(
    kind: type[Assess],
    bot: Bot,
    conversation: Conversation,
    topics: tuple[Topic, ...],
    profile: Profile,
    searched: int,
) -> Assess:
    return kind(
        conversation=conversation,
        topics=topics,
        topics_known=bot.clarify.look_first,
        searched=searched,
        profile=profile.text(),
        earlier=profile.earlier,
        fields=bot.profile_fields,
        today=today_of(bot),
        desk=bot.description,
        language=bot.language,
    )


def _search_queries(
    engine: Engine, bot: Bot, index: Index, conversation: Conversation, person: Profile
) -> tuple[str, ...]:
    queries = rewrite(engine, conversation, person.text(), today_of(bot), person.earlier)
    queries = tuple(map(without_talk, queries)) if len(conversation) == 1 else queries
    return tuple(searchable(query, index) for query in queries)


def was_asked(question: Clarify, messages: Conversation) -> bool:
    """Whether the bot has asked the same before: the same words, or the same choices in any order."""
    asked = [message for message in messages if message.role == "assistant" and message.asks]
    choices = set(question.choices)
    return any(one.text.strip() == question.text.strip() or choices == set(one.choices) != set() for one in asked)


def _external_turn(bot: Bot, messages: Conversation, text: str, on_text: OnText | None) -> Turn:
    from core.bot.external.reply import external_turn  # the HTTP client takes long to import

    turn = external_turn(bot, messages, text)
    if on_text:
        on_text(turn.reply.text)
    return turn


def _clarifying_question(bot: Bot, assessment: Assessment, chosen: Route) -> Clarify:
    """The clarifying question with its choices; one about the person offers the values of the field it asks for."""
    choices = assessment.choices
    if chosen.reason == "profile":
        fields = (field for field in bot.profile_fields if field.question in chosen.ask or field.name in chosen.ask)
        others = () if assessment.ask_missing_info else choices  # those belong to the question that is not asked
        choices = next((field.values for field in fields), others)
    return Clarify(text=without_list_of(choices, chosen.ask), choices=choices)


def _answer_prompt(
    bot: Bot,
    index: Index,
    queries: Sequence[str],
    several: tuple[SearchedQuestion, ...],
    hits: tuple[Hit, ...],
    conversation: Conversation,
    person: Profile,
    chosen: Route,
    referral: Referral,
) -> Answering:
    query = "\n".join(queries)
    return Answering(
        question=query,
        passages=hits,
        conversation=conversation,
        prompt=bot.prompt,
        guidelines=bot.guidelines,
        weights={term: index.lexical.idf(term) for term in content_words(query)},
        assumed=chosen.left_open == "intent",
        by_case=chosen.left_open == "attribute",
        contacts=bot.contacts,
        referral=referral,
        refusal=bot.refusal,
        profile=person.text(),
        fields=bot.profile_fields,
        earlier=person.earlier,
        today=today_of(bot),
        name_contact=chosen.name_contact,
        about=desk_of(bot),
        searched=len(index.passages),
        asked=several,
        language=language_of(conversation[-1].text, bot.language),
    )


def _generate(engine: Engine, prompt: Answering, on_text: OnText | None) -> str:
    """The answer; if the model will not give one, the bot says so."""
    shown: list[str] = []
    try:
        return engine.ask(prompt) if on_text is None else _stream(engine, prompt, on_text, shown)
    except (Withheld, Refused) as error:
        if error.key != Withheld.key:
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
    except StreamCut:  # what was shown stays on the screen; the whole answer follows, and is what is stored
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
