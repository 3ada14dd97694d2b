"""The clauses of a message, and the message without those that name no matter."""

from __future__ import annotations

from core.bot.message_kind.classifier import MessageKind, kind_probabilities
from core.text.distress.classifiers import moods
from core.text.language import clauses, content_words, sentences
from core.text.questions import asks
from core.text.small_talk_patterns import wants_human_agent

# Probability from which a clause is left out of the query.
NO_MATTER_FROM = 0.97
# Content words of a clause that names no matter.
MAX_NO_MATTER_WORDS = 3
# Content words of a clause that is only a figure of speech.
MAX_FIGURE_WORDS = 3
# Kinds of clauses that name no matter.
NO_MATTER_KINDS: tuple[MessageKind, ...] = (
    "greeting",
    "thanks",
    "farewell",
    "praise",
    "human_agent",
    "identity",
    "chat",
    "insult",
)


def message_clauses(text: str) -> list[str]:
    """The clauses of a message: its sentences, divided at commas and line ends."""
    return [part.strip() for whole in sentences(text) for part in clauses(whole) if part.strip()]


def without_small_talk_clauses(text: str) -> str:
    """A message without the clauses that are surely small talk (a greeting, "give me a human"), a figure of speech or a
    fear; unchanged if no other clause remains."""
    parts = message_clauses(text)
    rest = [part for part in parts if not _says_no_matter(part) and not _is_mood_alone(part)]
    return " ".join(rest) if rest and len(rest) < len(parts) and content_words(" ".join(rest)) else text


def _says_no_matter(text: str) -> bool:
    probabilities = kind_probabilities(text)
    best = max(probabilities[kind] for kind in NO_MATTER_KINDS)
    return best >= NO_MATTER_FROM and (len(content_words(text)) <= MAX_NO_MATTER_WORDS or wants_human_agent(text))


def _is_mood_alone(text: str) -> bool:
    """Whether a clause is only a figure of speech (死ぬほど忙しい) or a fear."""
    words, found = len(content_words(text)), moods(text)
    alone = ("worry" in found and words <= 1) or ("figure_of_speech" in found and words <= MAX_FIGURE_WORDS)
    return alone and not asks(text)
