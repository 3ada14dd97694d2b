"""The clauses of a message, and the message without those that say nothing of its matter."""

from __future__ import annotations

from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.text.distress.moods import moods
from core.text.language import clauses, content_words, sentences
from core.text.questions import asks
from core.text.talk_patterns import wants_person

# Probability from which a clause is left out of what is searched for.
EMPTY_FROM = 0.97
# Content words of a clause that says nothing of a matter.
MAX_EMPTY_WORDS = 3
# Content words of a clause that is only a figure of speech.
MAX_FIGURE_WORDS = 3
# Kinds of small talk that say nothing of a matter.
EMPTY_KINDS: tuple[MessageKind, ...] = (
    "greeting",
    "thanks",
    "farewell",
    "praise",
    "person",
    "identity",
    "chat",
    "insult",
)


def message_clauses(text: str) -> list[str]:
    """The sentences of a message, and the clauses of one that a comma or a line divides."""
    return [part.strip() for whole in sentences(text) for part in clauses(whole) if part.strip()]


def without_small_talk_clauses(text: str) -> str:
    """A message without the clauses that are surely small talk (a greeting, "give me a person") or only a figure of
    speech or a fear, if others remain."""
    parts = message_clauses(text)
    kept = [part for part in parts if not _says_no_matter(part) and not _is_mood_alone(part)]
    return " ".join(kept) if kept and len(kept) < len(parts) and content_words(" ".join(kept)) else text


def _says_no_matter(text: str) -> bool:
    probabilities = kind_probabilities(text)
    best = max(probabilities[kind] for kind in EMPTY_KINDS)
    return best >= EMPTY_FROM and (len(content_words(text)) <= MAX_EMPTY_WORDS or wants_person(text))


def _is_mood_alone(text: str) -> bool:
    """Whether a clause says nothing but a figure of speech (死ぬほど忙しい) or that somebody is afraid."""
    words, found = len(content_words(text)), moods(text)
    alone = ("worry" in found and words <= 1) or ("figure_of_speech" in found and words <= MAX_FIGURE_WORDS)
    return alone and not asks(text)
