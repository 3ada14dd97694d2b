"""Messages after an answer that need the question before them: told by what the documents have, and searched for with
it and without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.base.types import Hit, Message, Topic
from core.bot.evidence import has_examples, section_probabilities
from core.bot.small_talk.talk_kind import without_talk
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
ALONE = 0.3  # share of the evidence that a follow-up without the subject before it gives
WIDE, FAR = 16, 60  # sections found with that subject, and those that are looked at without it
WORDS = 3  # content words of a message that may need the one before though its wording does not show it
FEW = 2  # content words of one that says little
SURE = 0.5  # probability of a section from which a message needs nothing that was said before,
SURER = 0.7  # or one that says little
NEARLY = 0.8  # of the probability without the subject before, from which one that says little may need it
SIGNALS = (
    "score",
    "strength",
    "lexical",
    "example",
    "vector",
)  # that rank; what is covered stays that of both together


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
    if not 0 < words <= WORDS:
        return False
    alone, _ = _likeliest(index.topics(without_talk(text), WIDE))
    about = subject_before(earlier, text)
    if alone >= (SURER if words <= FEW else SURE) or not about:
        return False
    with_it, document = _likeliest(index.topics(without_talk(join_to_subject(about, text)), WIDE))
    likelier = with_it > alone * (NEARLY if words <= FEW else 1.0)
    return likelier and document == _likeliest(index.topics(without_talk(about), WIDE))[1]


def _first_question(text: str) -> str:
    """The first of several questions, with what is told before it; the whole message if it asks one thing."""
    one, *others = separate_questions(text)
    if others:
        return one.standalone
    first = _questions(text)[0]
    return first if text.lstrip().startswith(first) else one.standalone


def _likeliest(found: Sequence[Hit | Topic]) -> tuple[float, str]:
    """(probability of the likeliest section, its document); 0 if nothing was found."""
    chances = zip(section_probabilities(found), found, strict=False) if found and has_examples(found) else ()
    chance, best = max(chances, key=lambda pair: pair[0], default=(0.0, None))
    return chance, best.document if best else ""


def with_own_evidence(found: Sequence[F], text: str, search: Search) -> tuple[F, ...]:
    """What was found for a follow-up joined to its subject, by that and by what its own words (`text`) speak for.

    The subject alone leads to the section that was shown already; the words of the follow-up tell which one beside it
    is meant. Each signal that ranks is the mean of both.
    """
    alone = search(text, FAR)
    if not found or not alone:
        return tuple(found)
    own = {(hit.document, hit.passage.heading): hit for hit in reversed(alone)}
    weakest = min(hit.strength for hit in alone)
    mixed = [_mean(one, own.get((one.document, _heading(one))), weakest) for one in found]
    best = max(one.score for one in mixed) or 1.0
    ranked = sorted(mixed, key=lambda one: -one.score)
    return tuple(one.model_copy(update={"score": round(one.score / best, 4)}) for one in ranked)


def _heading(one: Hit | Topic) -> str:
    return one.passage.heading if isinstance(one, Hit) else one.heading


def _mean(one: F, own: Hit | None, weakest: float) -> F:
    """A passage or section with the mean of its signals; `weakest`: the strength of one that was not found."""
    means: dict[str, float] = {}
    for name in SIGNALS:
        value = getattr(one, name)
        if value is not None:
            other = getattr(own, name) if own else weakest if name == "strength" else 0.0
            means[name] = round((1 - ALONE) * value + ALONE * (other or 0.0), 4)
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
    return bool(own_things(text)) and len(content_words(text)) > 1 and _likeliest(index.topics(text, WIDE))[0] >= SURE
