"""How well a passage answers what is asked: words, the kind of thing asked for, and opposites."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from core.base.types import Hit
from core.bot.answer.snippets import Snippet, snippets
from core.retrieval.headings import last_heading
from core.text.answer_kinds import Kind, announces_kind, asked_kinds, says_kind
from core.text.language import content_words, script, terms
from core.text.message_questions import separate_questions
from core.text.negation import OPPOSITE_WORDS, words_with_opposite
from core.text.normalize import normalize
from core.text.numbers import numbers
from core.text.synonyms import Phrase, load_synonyms


def holds_kind(snippet: Snippet, kind: Kind) -> bool:
    """Whether a snippet says a thing of this kind."""
    return (kind == "steps" and snippet.kind == "step") or says_kind(snippet.text, kind)


# How much each trait counts beside the score of the search, by which of the passages found holds most of the reference.
WEIGHTS = {
    "score": 5.0,
    "coverage": 0.5,
    "head": 0.2,
    "last": 0.4,
    "close": 0.4,
    "title": 0.2,
    "unit": 0.35,
    "filled": 0.2,
    "fills": 0.3,
    "named": 0.4,
    "focus": 0.4,
    "opposite": 0.3,
}
# Weight of the score if a message asks several things: it is that of the whole message.
SHARED_SCORE_WEIGHT = 3.0
# Weight of the words of the message's other questions.
OTHER_QUESTIONS_WEIGHT = 0.1
# Weight of the message's other words in a question that is one of several.
OTHER_WORDS_WEIGHT = 0.4
# What each figure of the question that a snippet repeats counts beside its share of the words (0 to 1).
FIGURE_WEIGHT = 0.1
_FOCUS = re.compile(
    r"\bhow (?:many|much)((?: [a-z-]+){1,2})|\bhow long (?:does|do|is|are|will|can)((?: [a-z-]+){1,3})"
    r"|\b(?:price|cost|number|deadline) (?:of|for)((?: [\w-]+){1,3})"
    r"|([^、。はがのをにで\s]{1,12})(?:は|って|が)、?(?:いくら|何|いつ|誰|どこ|どれ|どの|どなた)"
)


class SubQuestion(NamedTuple):
    """One thing to answer: the message that asks it, the question, the kind of thing it asks for, and its words with
    their weights (not empty).

    `other` are the phrases that stand for a word (a thesaurus), `signs` the words that have an opposite, `focus` those
    that name what is counted, priced or timed; `alone`: whether the
    message asks nothing else; `whole_message`: that of which `message` is a part, if it is one.
    """

    message: str
    question: str
    kind: Kind | None
    words: dict[str, float]
    other: dict[str, tuple[Phrase, ...]]
    signs: frozenset[str]
    focus: frozenset[str]
    alone: bool = True
    whole_message: str = ""

    @property
    def said(self) -> str:
        """All that the person says: the message, and the one of which it is a part."""
        return f"{self.message} {self.whole_message}".strip()


def sub_question(message: str, part: str, kind: Kind | None, weights: Mapping[str, float]) -> SubQuestion:
    """What a part of a message asks; the other words of the message count less."""
    inside = set(content_words(part))
    alone = len(inside) > 1  # the words of the other questions matter only to one that says little by itself
    others = (
        {word for other in separate_questions(message) if other.text != part for word in content_words(other.text)}
        if alone
        else set[str]()
    )
    words = {
        word: weights.get(word, 1.0)
        * (1.0 if word in inside else OTHER_QUESTIONS_WEIGHT if word in others else OTHER_WORDS_WEIGHT)
        for word in dict.fromkeys((*content_words(part), *content_words(message)))
    }
    return SubQuestion(
        message,
        part,
        kind,
        words,
        load_synonyms(script(message)).of(terms(message)),
        words_with_opposite(message),
        focus_words(part),
    )


def sub_questions(question: str, weights: Mapping[str, float]) -> list[SubQuestion]:
    """Everything that a message asks for, in order."""
    parts = [one.text for one in separate_questions(question)]
    found = [sub_question(question, part, kind, weights) for part in parts for kind in kinds_of(part)]
    return found if len(parts) == 1 else [each._replace(alone=False) for each in found]


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


def passage_words(hit: Hit) -> frozenset[str]:
    """The terms of a passage with its title and headings."""
    return frozenset(terms(f"{hit.passage.title} {hit.passage.heading} {hit.passage.text}"))


def snippet_share(asked: SubQuestion, snippet: Snippet) -> float:
    """Share of its words that a snippet has; a figure of the question that it repeats counts as well."""
    both = numbers(snippet.text) & numbers(asked.question)
    return word_share(asked, frozenset(terms(snippet.text))) + FIGURE_WEIGHT * len(both)


def relevance_features(asked: SubQuestion, hit: Hit) -> dict[str, float]:
    """What speaks for a passage, each about 0 to 1 (opposite: -1 to 1)."""
    passage = hit.passage
    last = last_heading(passage.heading)
    head = frozenset(terms(f"{passage.title} {passage.heading}"))
    named = frozenset(terms(last))
    pieces = snippets(passage.text)
    filled = [snippet for snippet in pieces if asked.kind is None or holds_kind(snippet, asked.kind)]
    return {
        "score": hit.score,
        "coverage": hit.coverage,
        "head": word_share(asked, head),
        "last": word_share(asked, named),
        "close": _close(asked, last),
        "title": _close(asked, passage.title),
        "unit": max((snippet_share(asked, snippet) for snippet in pieces), default=0.0),
        "filled": max((snippet_share(asked, snippet) for snippet in filled), default=0.0) if asked.kind else 0.0,
        "fills": float(bool(filled)) if asked.kind else 0.0,
        "named": float(asked.kind is not None and announces_kind(last, asked.kind)),
        "focus": max((focus_share(asked, named.union(terms(snippet.text))) for snippet in filled), default=0.0),
        "opposite": opposition(asked, last),
    }


def _close(asked: SubQuestion, heading: str) -> float:
    """Share of a heading's content words that the message has."""
    words = content_words(heading)
    known = frozenset(asked.words) | {part for phrases in asked.other.values() for phrase in phrases for part in phrase}
    return sum(word in known for word in words) / len(words) if words else 0.0


@lru_cache(maxsize=4096)
def focus_words(question: str) -> frozenset[str]:
    """The words that name what is counted, priced or timed: "boards" in "how many boards are there"."""
    found = _FOCUS.search(normalize(question))
    return frozenset(content_words(next(filter(None, found.groups())))) if found else frozenset()


def focus_share(asked: SubQuestion, words: frozenset[str]) -> float:
    """Share of the focus that is among `words` themselves or by a synonym (0 to 1)."""
    return sum(word in words or _meant(asked, word, words) for word in asked.focus) / (len(asked.focus) or 1)


def opposition(wanted: SubQuestion, heading: str) -> float:
    """1 if the heading says a word with an opposite that was asked for, -1 if it says only the opposite."""
    asked, said = wanted.signs, words_with_opposite(heading)
    balance = 0
    for one, two in OPPOSITE_WORDS:
        for here, there in ((one, two), (two, one)):
            if asked.intersection(here) and not asked.intersection(there):
                balance += bool(said.intersection(here)) - bool(
                    said.intersection(there) and not said.intersection(here)
                )
    return float(max(-1, min(1, balance)))


def relevance(asked: SubQuestion, hit: Hit) -> float:
    """How well a passage answers a sub-question; comparable between the passages of one search."""
    found = relevance_features(asked, hit)
    score = found["score"] * (WEIGHTS["score"] if asked.alone else SHARED_SCORE_WEIGHT)
    return score + math.fsum(weight * found[name] for name, weight in WEIGHTS.items() if name != "score")
