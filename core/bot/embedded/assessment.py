"""The embedded engine's assessment of a message: by wording, fitted models and the sections found."""

from __future__ import annotations

from core.base.types import Assessment
from core.bot.answer_ask_refuse import (
    MAX_OFFERED_LATER,
    OFFERED_SECTION_FROM,
    is_like_unanswered,
    is_likely_answered,
)
from core.bot.choices.question_choices import (
    choices_to_offer,
    document_choices,
    likely_section_choices,
    possible_section_choices,
)
from core.bot.choices.section_names import section_choices
from core.bot.clarify.questions import ask_missing, ask_other_words, ask_profile, ask_subject, ask_which, draw_out
from core.bot.clarify.unclear_probability import clarity_score, unclear_probability
from core.bot.embedded.names_of_kind import names_of_kind
from core.bot.embedded_settings import settings_for
from core.bot.message_kind.classifier import MessageKind, is_only_symbols
from core.bot.message_kind.first_steps_sections import first_steps_heading
from core.bot.message_kind.message_kind import READ_SECTIONS, may_be_request
from core.bot.message_kind.replies import choices_note, opening_words
from core.bot.profile_values import named_values
from core.bot.section_probability import is_documented, sections_above
from core.bot.turn_context import TurnContext
from core.text.conversation import count_clarifying_questions, open_messages, user_texts
from core.text.distress.distress import distress_of
from core.text.distress.sympathy import MILD
from core.text.intent_patterns import (
    ABOUT_ME,
    ADVICE,
    CHOICE,
    DOCUMENTED,
    HUMAN_AGENT,
    consultation_score,
    question_score,
)
from core.text.language import content_words, join_sentences
from core.text.message_questions import asks_several
from core.text.offered_choices import picked_choices, rejects_choices
from core.text.reactions import says_unknown

# Score up to which a message asks for advice.
ADVICE_SCORE = 2
# Score from which a message is not clear enough to search.
UNCLEAR_SCORE = 2
# Probability from which the only section to offer is answered from, without a question.
ONLY_ONE_FROM = 0.5
# Probability from which advice may be about a section, if there are example questions.
ADVICE_FROM = 0.1
# Probability from which a message is unclear, once the user has answered a clarifying question.
UNCLEAR_AFTER_REPLY_FROM = 0.85
# Share of the likeliest section's probability from which another one is offered after other messages.
LATER_SHARE = 0.25
# Content words from which a message can be settled without a question.
MIN_SETTLED_WORDS = 2
# Shares of the message's words, by idf, above which the best section raises the score "in the documents" by one each.
DOCUMENTED_STEPS = (0.08, 0.18, 0.25, 0.4)
# The same share, below which no question about the user is asked for a section.
PROFILE_COVERAGE = 0.4


def assess(context: TurnContext) -> Assessment:
    """Wording cues for the kind of message, a fitted model over words and competing sections for clarity.

    Small talk asks for nothing and is never asked a clarifying question; an emergency is searched at once.
    """
    kind = _kind_to_assess(context)
    if kind == "request" and context.unknown_product:  # no question would find it
        return Assessment(clarity=1, is_question=1, is_consultation=5, in_internal_docs=5, ask_person=4)
    if rejects_choices(context.conversation):
        return Assessment(
            clarity=3,
            is_question=1,
            is_consultation=5,
            in_internal_docs=2,
            ask_person=4,
            ask_missing_info=ask_other_words(context.language),
        )
    if kind == "request" and len(context.conversation) == 1 and is_only_symbols(context.message):
        return _offer((), _after(_sympathy(context), context, ask_missing("", (), context.language)), clarity=5)
    if kind == "request" and (names := _names_of_kind(context)):
        return _offer(names, _after(_sympathy(context), context, ask_which(names, context.language)))
    may_ask = kind == "request" or may_be_request(kind, context.message, context.sections[:READ_SECTIONS])
    if may_ask and _lacks_subject(context):
        return _ask_subject(context)
    return _of_request(context) if kind == "request" else _of_small_talk(kind)


def _kind_to_assess(context: TurnContext) -> MessageKind:
    """The kind of the last message; a request that gets first steps or comfort counts as emergency or distress."""
    if context.message_kind != "request":
        return context.message_kind
    if first_steps_heading(context.message, context.sections):
        return "emergency"
    return "distress" if context.reports_trouble else "request"


def _of_request(context: TurnContext) -> Assessment:
    """The scores of a request that names its subject, and what to ask if it is unclear."""
    text, last = context.question, context.message
    said = user_texts(open_messages(context.conversation)) or [last]
    clarity, advice, docs = _clarity(context), min(map(consultation_score, said)), _in_documents(context)
    offered = _offered(context) if clarity > 1 else ()
    if len(offered) == 1 and sections_above(context.sections, ONLY_ONE_FROM):
        clarity, offered = 1, ()  # there is nothing to choose between
    stuck = count_clarifying_questions(context.conversation) > 0 and says_unknown(last)
    ask_back = clarity > 1 and not stuck
    consult = ask_back and advice <= ADVICE_SCORE and bool(CHOICE.search(text) or not offered)
    question = ""
    if ask_back:
        ask = draw_out if consult else ask_missing
        words, lead = context.words_to_read_back, _sympathy(context)
        question = _after(lead, context, ask(words, offered, context.language, read_back=not lead))
    return Assessment(
        clarity=clarity,
        is_question=min(map(question_score, said)),
        is_consultation=advice,
        in_internal_docs=docs,
        ask_person=1 if HUMAN_AGENT.search(last) else 2 if docs == 5 else 4,
        ask_missing_info="" if consult else question,
        res_consultation=question if consult else "",
        ask_user_meta_info="" if ask_back else _ask_profile(context),
        choices=offered if ask_back else (),
    )


def _sympathy(context: TurnContext) -> str:
    """What precedes a clarifying question: the sympathy that the last message calls for, "" for most."""
    return opening_words("request", context.conversation, context.language)


def _after(lead: str, context: TurnContext, question: str) -> str:
    """A question after a lead, and in the first turn a note on the language of its choices."""
    parts = (lead, choices_note(context.conversation, context.bot), question)
    return join_sentences(filter(None, parts), context.language)


def _lacks_subject(context: TurnContext) -> bool:
    """Whether a first message names no subject, nor one that several titles share, and no section surely answers
    it."""
    if not context.alternatives or document_choices(context.question, context.sections):
        return False
    return context.response == "ask" if context.response else not is_likely_answered(context.question, context.sections)


def _is_documented(context: TurnContext) -> bool:
    return is_documented(context.question, context.sections, context.passage_count)


def _offered(context: TurnContext) -> tuple[str, ...]:
    """What can be picked: rivals by their headings, else the nearest sections if the documents speak of the
    matter."""
    if context.is_scored_in_conversation:
        likely = sections_above(context.sections, OFFERED_SECTION_FROM, LATER_SHARE)[:MAX_OFFERED_LATER]
        return section_choices(likely, context.sections)
    near = bool(context.sections) and _is_documented(context)
    return choices_to_offer(context.question, context.sections) or (
        likely_section_choices(context.sections) if near else ()
    )


def _names_of_kind(context: TurnContext) -> tuple[str, ...]:
    """The things of one kind of which the message leaves open which is meant."""
    if not settings_for(context.sections).asks_name or count_clarifying_questions(open_messages(context.conversation)):
        return ()
    said = " ".join(message.text for message in context.conversation[:-1])
    return names_of_kind(context.message, context.sections, said)


def _ask_subject(context: TurnContext) -> Assessment:
    offered = possible_section_choices(context.sections, context.alternatives)
    words = context.words_to_read_back
    if distress_of(context.question).feeling in MILD:
        return _offer(offered, ask_subject(words, offered, context.language), clarity=4)
    lead = _sympathy(context)
    question = _after(lead, context, ask_subject(words, offered, context.language, read_back=not lead))
    return _offer(offered, question, clarity=4)


def _offer(offered: tuple[str, ...], question: str, clarity: int = 2) -> Assessment:
    return Assessment(
        clarity=clarity,
        is_question=1,
        is_consultation=4,
        in_internal_docs=2,
        ask_person=4,
        ask_missing_info=question,
        choices=offered,
    )


def _clarity(context: TurnContext) -> int:
    chance = unclear_probability(context.question, context.sections)
    part = open_messages(context.conversation)
    if context.is_scored_in_conversation or context.later_questions:
        return UNCLEAR_SCORE if context.response == "ask" else 1
    if count_clarifying_questions(part) == 0:
        follows_up = len(part) < len(context.conversation) and context.question != context.message.strip()
        if follows_up and _is_documented(context):
            return 1  # the matter was settled before
        if _out_of_reach(context) or _is_settled(context):
            return 1
        asked = context.response == "ask" and not _ask_profile(context)
        return max(UNCLEAR_SCORE, clarity_score(chance)) if asked else clarity_score(chance)
    reply, question = part[-1].text, part[-2]
    if says_unknown(reply) or not content_words(reply):
        return 3
    picked = picked_choices(question.choices, reply)
    added = set(content_words(reply)) - {term for message in part[:-2] for term in content_words(message.text)}
    return 1 if picked or added or chance < UNCLEAR_AFTER_REPLY_FROM else clarity_score(chance)


def _out_of_reach(context: TurnContext) -> bool:
    """A message that names something of which the documents do not speak: a clarifying question would not help."""
    if context.response != "refuse":
        return False
    is_near = ADVICE.search(context.question) and sections_above(context.sections, ADVICE_FROM)
    return not is_near or is_like_unanswered(context.sections)


def _is_settled(context: TurnContext) -> bool:
    """Whether the best section surely answers, whatever the wording; advice on what to choose depends on who asks
    for it."""
    text, response = context.question, context.response
    depends = ADVICE.search(text) and (CHOICE.search(text) or not response)
    if depends or len(content_words(text)) < MIN_SETTLED_WORDS:
        return False
    return response == "answer" if response else is_likely_answered(text, context.sections)


def _in_documents(context: TurnContext) -> int:
    """1 to 5 by how much of the message the best section covers; without a look, most work questions are assumed to
    be."""
    if not context.bot.clarify.look_first:
        return 1 if DOCUMENTED.search(context.question) else 2 if content_words(context.question) else 4
    best = max((hit.coverage for hit in context.sections), default=0.0)
    return 5 - sum(best > step for step in DOCUMENTED_STEPS)


def _ask_profile(context: TurnContext) -> str:
    """The question about the user that the best section's answer depends on, unless it is known or was said."""
    text, best = context.question, context.sections[:1]
    if not best or best[0].coverage < PROFILE_COVERAGE or not ABOUT_ME.search(text) or asks_several(text):
        return ""
    known = " ".join([context.profile.text(), *(message.text for message in context.conversation)])
    for field in context.bot.profile_fields:
        named = [value for value in field.values if value in best[0].text]
        if len(named) >= 2 and not named_values(field, known):
            return ask_profile(field, context.language)
    return ""


def _of_small_talk(kind: MessageKind) -> Assessment:
    urgent = kind == "emergency"
    return Assessment(
        clarity=1,
        is_question=1 if urgent else 5,
        is_consultation=5,
        in_internal_docs=1 if urgent else 5,
        ask_person=1 if kind in ("emergency", "human_agent", "distress") else 5,
    )
