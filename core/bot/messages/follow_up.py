"""Messages after an answer that need the question before them: told by what the documents have, and searched for with
it and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.base.types import Hit, Message, Topic
from core.bot.evidence import FOUND_SECTIONS, has_examples, likeliest_section
from core.bot.small_talk.clauses import without_talk
from core.retrieval.index import Index
from core.text.conversation import (
    follow_up,
    is_clarifying_question,
    is_unhelped,
    join_to_subject,
    needs_earlier,
    picked_choices,
    points_at_thing,
    subject_before,
)
from core.text.language import content_words
from core.text.message_questions import Question, own_things, question_parts, separate_questions
from core.text.questions import asks

_FURTHER = re.compile(r"もう(?:一|1|ひと)つ|\b(?:one more|another) (?:thing|question)\b", re.IGNORECASE)
Search = Callable[[str, int], tuple[Hit, ...]]
F = TypeVar("F", Hit, Topic)
# Weight of the evidence that a follow-up gives without the subject before it, beside that with it.
OWN_WEIGHT = 0.3
# Sections that are searched for without that subject.
OWN_SECTIONS = 60
# Content words of a message that may need the one before though its wording does not show it.
MAX_LEANING_WORDS = 3
# Content words of a message that says little.
MAX_BRIEF_WORDS = 2
# Probability of a section from which a message needs nothing that was said before.
OWN_SECTION_FROM = 0.5
# The same for a message that says little.
OWN_SECTION_OF_BRIEF_FROM = 0.7
# Share of the probability without the subject before, from which a message that says little may need it.
LIKELY_SHARE_OF_BRIEF = 0.8
# The signals that rank; what is covered stays that of both together.
SIGNALS = ("score", "strength", "lexical", "example", "vector")


def mark_follow_ups(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, those marked that need the question before them though their wording does not show it."""
    marked: list[Message] = []
    for message in messages:
        needs = message.role == "user" and _needs_earlier(index, marked, message)
        marked.append(message.model_copy(update={"follows_up": True}) if needs else message)
    return tuple(marked)


def _needs_earlier(index: Index, earlier: Sequence[Message], message: Message) -> bool:
    """Whether a short message after an answer has no section of its own, and one with the subject before it.

    That section is in the document that the question before was about.
    """
    if not earlier or message.changes_subject or is_clarifying_question(earlier[-1]):
        return False
    if picked_choices(earlier[-1].choices, message.text) or needs_earlier(earlier, message):
        return False
    if is_unhelped((*earlier, message)) or _FURTHER.search(message.text):
        return False
    text = _first_question(message.text)
    words = len(content_words(text))
    if not 0 < words <= MAX_LEANING_WORDS:
        return False
    is_brief = words <= MAX_BRIEF_WORDS
    alone, _ = _likeliest(index, text)
    about = subject_before(earlier, text)
    if alone >= (OWN_SECTION_OF_BRIEF_FROM if is_brief else OWN_SECTION_FROM) or not about:
        return False
    joined, document = _likeliest(index, join_to_subject(about, text))
    likelier = joined > alone * (LIKELY_SHARE_OF_BRIEF if is_brief else 1.0)
    return likelier and document == _likeliest(index, about)[1]


def _first_question(text: str) -> str:
    """The first of several questions, with what is told before it; the whole message if it asks one thing."""
    one, *others = separate_questions(text)
    if others:
        return one.standalone
    first = _questions(text)[0]
    return first if text.lstrip().startswith(first) else one.standalone


def _likeliest(index: Index, text: str) -> tuple[float, str]:
    """(probability of the likeliest section for a text, its document); 0 if none has example questions."""
    found = index.topics(without_talk(text), FOUND_SECTIONS)
    probability, best = likeliest_section(found) if has_examples(found) else (0.0, None)
    return probability, best.document if best else ""


def with_own_evidence(found: Sequence[F], text: str, search: Search) -> tuple[F, ...]:
    """What was found for a follow-up joined to its subject, by that and by what its own words (`text`) speak for.

    The subject alone leads to the section that was shown already; the words of the follow-up tell which one beside it
    is meant. Each signal that ranks is the mean of both.
    """
    alone = search(text, OWN_SECTIONS)
    if not found or not alone:
        return tuple(found)
    own = {(hit.document, hit.heading): hit for hit in reversed(alone)}
    weakest = min(hit.strength for hit in alone)
    mixed = [_mean(one, own.get((one.document, one.heading)), weakest) for one in found]
    best = max(one.score for one in mixed) or 1.0
    ranked = sorted(mixed, key=lambda one: -one.score)
    return tuple(one.model_copy(update={"score": round(one.score / best, 4)}) for one in ranked)


def _mean(one: F, own: Hit | None, weakest: float) -> F:
    """A passage or section with the mean of its signals; `weakest`: the strength of one that was not found."""
    means: dict[str, float] = {}
    for name in SIGNALS:
        value = getattr(one, name)
        if value is not None:
            other = getattr(own, name) if own else weakest if name == "strength" else 0.0
            means[name] = round((1 - OWN_WEIGHT) * value + OWN_WEIGHT * (other or 0.0), 4)
    return one.model_copy(update=means)


def follow_up_questions(index: Index, messages: Sequence[Message]) -> tuple[Question, ...]:
    """The questions of a message that needs the one before it, each with the subject before unless it surely stands
    alone.

    None if the message needs nothing, or asks one thing.
    """
    about, text = follow_up(messages)
    questions = _questions(text)
    if not about or len(questions) < 2:
        return ()
    return tuple(
        Question(one, one) if _stands_alone(index, one) else Question(one, join_to_subject(about, one), "earlier")
        for one in questions
    )


def _questions(text: str) -> list[str]:
    """The questions of a follow-up; one that names no thing is about the subject before, unless it points to the other
    one."""
    found = [one.text for one in separate_questions(text)]
    if len(found) > 1:
        return found
    asked = list(filter(asks, question_parts(text)))
    return asked if len(asked) > 1 and not any(map(points_at_thing, asked)) else found


def _stands_alone(index: Index, text: str) -> bool:
    found = index.topics(text, FOUND_SECTIONS)
    probability, _ = likeliest_section(found) if has_examples(found) else (0.0, None)
    return bool(own_things(text)) and len(content_words(text)) > 1 and probability >= OWN_SECTION_FROM
