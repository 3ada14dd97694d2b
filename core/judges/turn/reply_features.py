"""What can be measured of a reply to tell, without a reference, whether it is the right one; the fit is in
likelihood.toml.

Every feature is a share (0 to 1), the difference of two shares or a flag, and depends on the question, the passages and
the reply alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.base.means import mean
from core.base.types import Sample
from core.judges.rules.answer_measures import Measures, open_question_of, question_of
from core.judges.rules.claim_lookup import Weights, source, sources_of, unit
from core.retrieval.sentence_similarity import sentence_similarities
from core.retrieval.word_vectors import word_vector
from core.text.answer_kinds import VALUES, Kind, asked_kinds, says_kind
from core.text.citations import read_citations, without_citations
from core.text.japanese import reading
from core.text.language import Script, script, sentences
from core.text.message_questions import question_parts, without_courtesy
from core.text.questions import is_question

MAX_PASSAGES = 8  # passages that are looked at
LONGEST_HEADING = 120  # characters of a first line that can be a heading
_ENDS = re.compile(r"[.!！:：;,、]\s*$")
FITS = 0.35  # share of the request from which a choice belongs to it
MAX_OPEN_COVERAGE = 0.12  # share of a question's own words that an answer to it has
MAX_OPEN_SOFT_COVERAGE = 0.4  # the same share if words that are near by meaning count in part
STRAY = 0.5  # mean similarity of a choice's words below which it does not belong to the request
UNRELATED = 0.3  # cosine of two words that have nothing to do with each other
SOUNDING = 5  # kana of a word that is compared by its sound
_JOINED = re.compile(
    r"(?<=[とや])、?(?=(?:あと|ついでに|それから|あわせて|もう(?:一|ひと)つ))|(?<=[^、]{4})、(?=(?:あと|ついでに|それと|また)、?)"
)
_STATES = re.compile(
    r"(?:です|ます|でした|ました|たい)[。!！]*$|^(?:i|we|my|our|the|it|this|she|he|they)\b[^?]*$", re.IGNORECASE
)
_WISHES = re.compile(
    r"教えて|知りたい|聞きたい|お願い|ください|\b(?:how|what|where|when|why|who|which|whether|know|tell|need|want|would like)\b",
    re.IGNORECASE,
)
Words = frozenset[str]


class PassageWords(NamedTuple):
    """A passage: its heading and the words of that, all its words, and its text without the heading."""

    name: str
    head: Words
    words: Words
    text: str


class QuestionWords(NamedTuple):
    """What a message asks: its words, those of each of its questions, and what a word weighs among the passages."""

    text: str
    words: Words
    parts: tuple[tuple[str, Words], ...]
    kinds: tuple[Kind, ...]
    weights: Weights
    of: Script

    def words_of(self, text: str) -> Words:
        """The content words of a text of the answer."""
        return source(text, self.of).words

    def share(self, found: Words, wanted: Words | None = None) -> float:
        """Share (0 to 1) by weight of the wanted words (those of the question) that were found."""
        return self.weights.share(self.words if wanted is None else wanted, found)


def asked_of(sample: Sample) -> QuestionWords:
    """The question as it stands after the conversation, without greetings, and the intent if it is known."""
    text, still_open = (without_courtesy(of(sample)[:2_000]) for of in (question_of, open_question_of))
    of = script("\n".join(sample.contexts)[:1_500] or text)
    _, weights = sources_of(sample.contexts[:MAX_PASSAGES], of)
    words = unit(text, of).words | unit(sample.intent, of).words
    asking = (part for part in asked_parts(still_open) if not _states(part))
    found = tuple((part, one) for part in asking if (one := unit(part, of).words))
    around = words.difference(*(one for _, one in found))  # the circumstances belong to each question
    parts = tuple((part, one | around) for part, one in found)
    return QuestionWords(
        text, words, parts if len(parts) > 1 else ((text, words),), asked_kinds(still_open, VALUES), weights, of
    )


def asked_parts(text: str) -> tuple[str, ...]:
    """The questions of a message, also those that a list joins: the way to order A and, besides, to book B."""
    return tuple(part for one in question_parts(text) for part in _JOINED.split(one) if part.strip())


def _states(part: str) -> bool:
    """Whether a part of a message only tells the circumstances of what another part asks."""
    return bool(_STATES.search(part)) and not is_question(part) and not _WISHES.search(part)


def words_of_passages(texts: Sequence[str], of: Script) -> tuple[PassageWords, ...]:
    """The passages; the heading is the first of several lines."""
    return tuple(_section(text, of) for text in texts[:MAX_PASSAGES])


def has_headings(sample: Sample) -> bool:
    """Whether most passages have a heading, as those of Kiku's own bots have: the fits know only such passages."""
    named = [bool(one.name) for one in words_of_passages(sample.contexts, "en")]
    return 2 * sum(named) > len(named)


def cited_passages(sample: Sample) -> tuple[str, ...]:
    """The passages that the reply cites, each once."""
    numbers = dict.fromkeys(read_citations(sample.answer, len(sample.contexts))[1])
    return tuple(sample.contexts[number - 1] for number in numbers)


def unsaid_sentences(passages: Sequence[str], answer: str) -> list[str]:
    """The sentences of some passages, below their headings, that an answer does not have."""
    found = (one.strip() for text in passages for line in text.splitlines()[1:] for one in sentences(line))
    return [one for one in found if one and one not in answer]


def most_alike(question: str, texts: Sequence[str]) -> float:
    """How alike (0 to 1) a question is in meaning to the text that is most like it; 0 without any."""
    return max(sentence_similarities(question, texts), default=0.0)


def unknown_share(asked: QuestionWords, passages: Sequence[str]) -> float:
    """Share (0 to 1) by weight of the question's words that no passage has."""
    known = frozenset[str]().union(*(one.words for one in words_of_passages(passages, asked.of)))
    return 1 - asked.share(known)


def cites(sample: Sample) -> bool:
    """Whether the reply names its passages: the fit knows only such replies."""
    return bool(read_citations(sample.answer, len(sample.contexts))[1])


def _section(text: str, of: Script) -> PassageWords:
    first, _, rest = text.strip().partition("\n")
    title, _, heading = first.rpartition(" › ")
    name = heading if rest and len(heading) <= LONGEST_HEADING and not _ENDS.search(heading) else ""
    return PassageWords(name, unit(name, of).words, source(text, of).words | unit(title, of).words, rest or text)


def used_passages(sample: Sample, measures: Measures, found: Sequence[PassageWords]) -> list[PassageWords]:
    """The passages that support what a reply says, weightiest first; else those that it cites, else the first."""
    behind = sorted(
        (f for f in measures.claims if f.passage_number and f.state == "supported"), key=lambda f: -f.weight
    )
    _, cited = read_citations(sample.answer, len(sample.contexts))
    numbers = tuple(dict.fromkeys(f.passage_number for f in behind)) or cited
    return [found[number - 1] for number in numbers if number <= len(found)] or list(found[:1])


def mean_max_similarity(words: Words, others: Words) -> float:
    """Mean over the words (0 to 1) of how near each is to the nearest of the others: 1 for the same word, else the
    cosine of Japanese word vectors; 0 without words."""
    if not words or not others:
        return 0.0
    known = [vector for word in others if (vector := _vector(word)) is not None]
    rows = np.array(known) if known else None
    return sum(1.0 if word in others else _nearest(word, rows) for word in words) / len(words)


def soft_coverage(asked: QuestionWords, wanted: Words, words: Words) -> float:
    """Share (0 to 1) by weight of the wanted words that are among the words or, in Japanese, near one by their
    vectors."""
    known = [vector for word in words if (vector := _vector(word)) is not None]
    rows = np.array(known) if known else None
    total = asked.weights.sum(wanted)
    near = (asked.weights.of(word) * (1.0 if word in words else _above_chance(_nearest(word, rows))) for word in wanted)
    return math.fsum(near) / total if total else 0.0


def _above_chance(cosine: float) -> float:
    """How much nearer (0 to 1) two words are than any two."""
    return max(0.0, (cosine - UNRELATED) / (1 - UNRELATED))


def heading_similarity(section: PassageWords, text: str, words: Words) -> float:
    """How near (0 to 1) a heading is to a question, by its words or, in Japanese, by its sound (kana for kanji)."""
    return max(mean_max_similarity(section.head, words), _reading_coverage(section.name, text))


@lru_cache(maxsize=8_192)
def _reading_coverage(heading: str, text: str) -> float:
    """Share of the heading, by length, whose longer words sound in the question; 0 if it has none written so."""
    if script(heading) != "ja" or script(text) != "ja":
        return 0.0
    sounds, said = reading(heading).split(), reading(text).replace(" ", "")
    pronounced = sum(len(sound) for sound in sounds if len(sound) >= SOUNDING and sound in said)
    return pronounced / sum(map(len, sounds)) if pronounced else 0.0


def _nearest(word: str, rows: np.ndarray | None) -> float:
    vector = _vector(word) if rows is not None else None
    return max(0.0, float((rows @ vector).max())) if vector is not None and rows is not None else 0.0


@lru_cache(maxsize=8_192)
def _vector(word: str) -> np.ndarray | None:
    return None if word.isascii() else word_vector(word)


def refusal_features(asked: QuestionWords, found: Sequence[PassageWords]) -> dict[str, float]:
    """Of a refusal: how near the passages come to what was asked."""
    return {
        "heading": max((asked.share(one.head) for one in found), default=0.0),
        "near": max((heading_similarity(one, asked.text, asked.words) for one in found), default=0.0),
        "covered": _best_share(asked, found),
    }


def question_features(asked: QuestionWords, choices: Sequence[str]) -> dict[str, float]:
    """Of a clarifying question with choices: how many of these fit the request, how brief it is, and whether it asks
    for something that can be answered (a question, a value) instead of only naming a matter."""
    fits = choice_fits(asked, choices)
    return {
        "fitting": sum(fit >= FITS for fit in fits) / len(fits) if fits else 0.0,
        "brief": 1 / max(len(asked.words), 1),
        "whole": float(bool(asked.kinds) or is_question(asked.text)),
    }


def choice_fits(asked: QuestionWords, choices: Sequence[str]) -> tuple[float, ...]:
    """How much of the request (0 to 1) each choice has."""
    return tuple(soft_coverage(asked, asked.words, unit(choice, asked.of).words) for choice in choices)


def least_similar_choice(asked: QuestionWords, choices: Sequence[str]) -> str:
    """The choice whose words are farthest from those of the request; "" if all are near or there is none."""
    near = [
        (mean_max_similarity(unit(choice, asked.of).words, asked.words), -place) for place, choice in enumerate(choices)
    ]
    return choices[-min(near)[1]] if near and min(near)[0] < STRAY else ""


def missing_kinds(asked: QuestionWords, answer: str) -> tuple[Kind, ...]:
    """The kinds of value asked for of which the answer gives none."""
    return tuple(kind for kind in asked.kinds if not says_kind(answer, kind))


def open_part(asked: QuestionWords, answer: str) -> str:
    """The first of several questions of whose own words the answer has next to none; "" if there is none."""
    if len(asked.parts) < 2:
        return ""
    said = asked.words_of(without_citations(answer)[:12_000])
    for text, words in asked.parts:
        own = words - frozenset[str]().union(*(others for other, others in asked.parts if other != text))
        if (
            len(own) >= 2
            and asked.share(said, own) < MAX_OPEN_COVERAGE
            and soft_coverage(asked, own, said) < MAX_OPEN_SOFT_COVERAGE
        ):
            return text
    return ""


def _best_share(asked: QuestionWords, found: Sequence[PassageWords]) -> float:
    """Share of the question's words that the best passage has; of several questions the mean."""
    return mean(max((asked.share(one.words, part) for one in found), default=0.0) for _, part in asked.parts) or 0.0
