"""What a message asks, thing by thing, and how much of it a piece of a passage says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from core.bot.embedded.snippets import Snippet
from core.text.answer_kinds import Kind, asked_kinds, says_kind
from core.text.language import content_words, script, terms
from core.text.message_questions import separate_questions
from core.text.numbers import numbers
from core.text.synonyms import Phrase, load_synonyms

# Weight of the message's other words in a question that is one of several.
OTHER_WORDS_WEIGHT = 0.4
# What each figure of the question that a snippet repeats counts beside its share of the words (0 to 1).
FIGURE_WEIGHT = 0.1


class SubQuestion(NamedTuple):
    """One thing to answer."""

    message: str  # that asks it
    question: str
    kind: Kind | None  # of the thing that it asks for
    words: dict[str, float]  # its words with their weights; not empty
    other: dict[str, tuple[Phrase, ...]]  # synonyms of a word
    whole_message: str = ""  # of which `message` is a part, if it is one

    @property
    def said(self) -> str:
        """All that the user says: the message, and the one of which it is a part."""
        return f"{self.message} {self.whole_message}".strip()


def sub_question(
    message: str, part: str, kind: Kind | None, weights: Mapping[str, float], whole_message: str = ""
) -> SubQuestion:
    """What a part of a message asks; the other words of the message count less."""
    inside = set(content_words(part))
    words = {
        word: weights.get(word, 1.0) * (1.0 if word in inside else OTHER_WORDS_WEIGHT)
        for word in dict.fromkeys((*content_words(part), *content_words(message)))
    }
    other = load_synonyms(script(message)).synonyms_for(terms(message))
    return SubQuestion(message, part, kind, words, other, whole_message)


def sub_questions(question: str, weights: Mapping[str, float]) -> list[SubQuestion]:
    """Everything that a message asks for, in order."""
    parts = [one.text for one in separate_questions(question)]
    return [sub_question(question, part, kind, weights) for part in parts for kind in kinds_of(part)]


def holds_kind(snippet: Snippet, kind: Kind) -> bool:
    """Whether a snippet says a thing of this kind."""
    return (kind == "steps" and snippet.kind == "step") or says_kind(snippet.text, kind)


def kinds_of(part: str) -> tuple[Kind | None, ...]:
    """The kinds of thing that a question asks for; one `None` if it asks for none of them."""
    return asked_kinds(part) or (None,)


def word_share(asked: SubQuestion, words: frozenset[str]) -> float:
    """Share of its words, by weight, that are among `words` themselves or by a synonym (0 to 1)."""
    total = math.fsum(asked.words.values())
    found = (weight for word, weight in asked.words.items() if word in words or _meant(asked, word, words))
    return math.fsum(found) / total if total else 0.0


def _meant(asked: SubQuestion, word: str, words: frozenset[str]) -> bool:
    return any(words.issuperset(phrase) for phrase in asked.other.get(word, ()))


def snippet_share(asked: SubQuestion, snippet: Snippet) -> float:
    """Share of its words that a snippet has; a figure of the question that it repeats counts as well."""
    both = numbers(snippet.text) & numbers(asked.question)
    return word_share(asked, frozenset(terms(snippet.text))) + FIGURE_WEIGHT * len(both)
