"""Features of a reply that show, without a reference, whether it is the right one; the fitted model is rating.toml.

Every feature is a share (0 to 1), the difference of two shares or a flag, and depends on the question, the passages and
the reply alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from core.base.means import mean
from core.base.types import Sample
from core.judges.rules.answer_measures import Measures, open_question_of, question_of
from core.judges.rules.claim_check import Weights, segment, segment_text, segment_texts
from core.retrieval.sentence_similarity import sentence_similarities
from core.retrieval.word_vectors import word_vector
from core.text.answer_kinds import VALUES, Kind, asked_kinds, says_kind
from core.text.citations import read_citations, without_citations
from core.text.japanese import reading
from core.text.language import Script, script, sentences
from core.text.message_questions import question_parts, without_courtesy
from core.text.questions import is_question

MAX_PASSAGES = 8  # passages that are read
LONGEST_HEADING = 120  # characters of a first line that can be a heading
_ENDS = re.compile(r"[.!！:：;,、]\s*$")
CHOICE_FITS_FROM = 0.35  # share of the request that a choice must have to fit it
MAX_OPEN_COVERAGE = 0.12  # share of a question's own words below which an answer leaves it open
MAX_OPEN_SOFT_COVERAGE = 0.4  # the same with words of a similar meaning counted in part
UNRELATED_CHOICE_BELOW = 0.5  # mean similarity of a choice's words to the request
UNRELATED_COSINE = 0.3  # cosine of two unrelated words
MIN_SOUND_LENGTH = 5  # kana from which a word is compared by its sound
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
    """A passage with its words."""

    heading: str
    heading_words: Words
    words: Words  # of the whole passage
    text: str  # without the heading


class QuestionWords(NamedTuple):
    """What a message asks."""

    text: str
    words: Words
    parts: tuple[tuple[str, Words], ...]  # each of its questions with its words
    kinds: tuple[Kind, ...]  # kinds of value asked for: a time, a price, a place
    weights: Weights  # of words among the passages
    of: Script

    def words_of(self, text: str) -> Words:
        """The content words of a text of the answer."""
        return segment_text(text, self.of).words

    def share(self, found: Words, wanted: Words | None = None) -> float:
        """Share (0 to 1) by weight of the wanted words (default: those of the question) that were found."""
        return self.weights.share(self.words if wanted is None else wanted, found)


def asked_of(sample: Sample) -> QuestionWords:
    """The question as the conversation completes it, without greetings, and the intent if it is known."""
    text, still_open = (without_courtesy(of(sample)[:2_000]) for of in (question_of, open_question_of))
    of = script("\n".join(sample.contexts)[:1_500] or text)
    _, weights = segment_texts(sample.contexts[:MAX_PASSAGES], of)
    words = segment(text, of).words | segment(sample.intent, of).words
    asking = (part for part in asked_parts(still_open) if not _states(part))
    questions = tuple((part, own) for part in asking if (own := segment(part, of).words))
    circumstances = words.difference(*(own for _, own in questions))  # belong to each question
    parts = tuple((part, own | circumstances) for part, own in questions)
    parts = parts if len(parts) > 1 else ((text, words),)
    return QuestionWords(text, words, parts, asked_kinds(still_open, VALUES), weights, of)


def asked_parts(text: str) -> tuple[str, ...]:
    """The questions of a message, those joined by a list apart: how to order A and, besides, how to book B."""
    return tuple(part for one in question_parts(text) for part in _JOINED.split(one) if part.strip())


def _states(part: str) -> bool:
    """Whether a part of a message only states circumstances of what another part asks."""
    return bool(_STATES.search(part)) and not is_question(part) and not _WISHES.search(part)


def words_of_passages(texts: Sequence[str], of: Script) -> tuple[PassageWords, ...]:
    """The passages; the heading is the first of several lines."""
    return tuple(_passage_words(text, of) for text in texts[:MAX_PASSAGES])


def has_headings(sample: Sample) -> bool:
    """Whether most passages have a heading: the models were fitted on such passages (of Kiku's own bots) only."""
    named = [bool(one.heading) for one in words_of_passages(sample.contexts, "en")]
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
    """The similarity (0 to 1) in meaning of a question and the most similar text; 0 without texts."""
    return max(sentence_similarities(question, texts), default=0.0)


def unknown_share(asked: QuestionWords, passages: Sequence[str]) -> float:
    """Share (0 to 1) by weight of the question's words that no passage has."""
    known = frozenset[str]().union(*(one.words for one in words_of_passages(passages, asked.of)))
    return 1 - asked.share(known)


def cites(sample: Sample) -> bool:
    """Whether the reply names its passages: the model was fitted on such replies only."""
    return bool(read_citations(sample.answer, len(sample.contexts))[1])


def _passage_words(text: str, of: Script) -> PassageWords:
    first, _, rest = text.strip().partition("\n")
    title, _, heading = first.rpartition(" › ")
    name = heading if rest and len(heading) <= LONGEST_HEADING and not _ENDS.search(heading) else ""
    words = segment_text(text, of).words | segment(title, of).words
    return PassageWords(name, segment(name, of).words, words, rest or text)


def used_passages(sample: Sample, measures: Measures, passages: Sequence[PassageWords]) -> list[PassageWords]:
    """The passages that support what a reply says, weightiest first; else those it cites, else the first."""
    supporting = [one for one in measures.claims if one.passage_number and one.state == "supported"]
    numbers = dict.fromkeys(one.passage_number for one in sorted(supporting, key=lambda one: -one.weight))
    numbers = tuple(numbers) or read_citations(sample.answer, len(sample.contexts))[1]
    return [passages[number - 1] for number in numbers if number <= len(passages)] or list(passages[:1])


def mean_max_similarity(words: Words, others: Words) -> float:
    """Mean over the words (0 to 1) of how near each is to the nearest of the others: 1 for the same word, else the
    cosine of Japanese word vectors; 0 without words."""
    if not words or not others:
        return 0.0
    vectors = _vectors(others)
    return sum(1.0 if word in others else _nearest(word, vectors) for word in words) / len(words)


def soft_coverage(asked: QuestionWords, wanted: Words, words: Words) -> float:
    """Share (0 to 1) by weight of the wanted words that are among the words or, in Japanese, near one by their
    vectors."""
    vectors, total = _vectors(words), asked.weights.sum(wanted)

    def nearness(word: str) -> float:
        """1 for the same word, else the cosine rescaled so that 0 is that of two unrelated words."""
        cosine = 1.0 if word in words else _nearest(word, vectors)
        return max(0.0, (cosine - UNRELATED_COSINE) / (1 - UNRELATED_COSINE))

    return math.fsum(asked.weights.of(word) * nearness(word) for word in wanted) / total if total else 0.0


def heading_similarity(passage: PassageWords, text: str, words: Words) -> float:
    """How near (0 to 1) a heading is to a question, by its words or, in Japanese, by its sound (kana for kanji)."""
    return max(mean_max_similarity(passage.heading_words, words), _reading_coverage(passage.heading, text))


@lru_cache(maxsize=8_192)
def _reading_coverage(heading: str, text: str) -> float:
    """Share of the heading, by length, whose longer words sound in the question; 0 if it has none written so."""
    if script(heading) != "ja" or script(text) != "ja":
        return 0.0
    sounds, said = reading(heading).split(), reading(text).replace(" ", "")
    pronounced = sum(len(sound) for sound in sounds if len(sound) >= MIN_SOUND_LENGTH and sound in said)
    return pronounced / sum(map(len, sounds)) if pronounced else 0.0


def _vectors(words: Words) -> np.ndarray | None:
    known = [vector for word in words if (vector := _vector(word)) is not None]
    return np.array(known) if known else None


def _nearest(word: str, vectors: np.ndarray | None) -> float:
    vector = _vector(word) if vectors is not None else None
    return max(0.0, float((vectors @ vector).max())) if vector is not None and vectors is not None else 0.0


@lru_cache(maxsize=8_192)
def _vector(word: str) -> np.ndarray | None:
    return None if word.isascii() else word_vector(word)


def refusal_features(asked: QuestionWords, passages: Sequence[PassageWords]) -> dict[str, float]:
    """Features of a refusal: how near the passages come to what was asked."""
    covered = (max((asked.share(one.words, part) for one in passages), default=0.0) for _, part in asked.parts)
    return {
        "heading": max((asked.share(one.heading_words) for one in passages), default=0.0),
        "near": max((heading_similarity(one, asked.text, asked.words) for one in passages), default=0.0),
        "covered": mean(covered) or 0.0,  # the mean if there are several questions
    }


def clarifying_question_features(asked: QuestionWords, choices: Sequence[str]) -> dict[str, float]:
    """Features of a clarifying question with choices."""
    fits = choice_fits(asked, choices)
    return {
        "fitting": mean(fit >= CHOICE_FITS_FROM for fit in fits) or 0.0,  # share of fitting choices
        "brief": 1 / max(len(asked.words), 1),  # how short the request is
        "whole": float(bool(asked.kinds) or is_question(asked.text)),  # it asks something rather than names a subject
    }


def choice_fits(asked: QuestionWords, choices: Sequence[str]) -> tuple[float, ...]:
    """Share (0 to 1) of the request that each choice has."""
    return tuple(soft_coverage(asked, asked.words, segment(choice, asked.of).words) for choice in choices)


def least_similar_choice(asked: QuestionWords, choices: Sequence[str]) -> str:
    """The choice least similar to the request; "" if all are similar enough or there is none."""
    near = ((mean_max_similarity(segment(one, asked.of).words, asked.words), one) for one in reversed(choices))
    least, choice = min(near, key=itemgetter(0), default=(1.0, ""))  # of equal ones the last
    return choice if least < UNRELATED_CHOICE_BELOW else ""


def missing_kinds(asked: QuestionWords, answer: str) -> tuple[Kind, ...]:
    """The kinds of value that the question asks for and the answer does not give."""
    return tuple(kind for kind in asked.kinds if not says_kind(answer, kind))


def open_part(asked: QuestionWords, answer: str) -> str:
    """The first of several questions that the answer leaves open, having almost none of its own words; "" for none."""
    if len(asked.parts) < 2:
        return ""
    said = asked.words_of(without_citations(answer)[:12_000])
    for text, words in asked.parts:
        own = words.difference(*(others for other, others in asked.parts if other != text))
        is_unsaid = len(own) >= 2 and asked.share(said, own) < MAX_OPEN_COVERAGE
        if is_unsaid and soft_coverage(asked, own, said) < MAX_OPEN_SOFT_COVERAGE:
            return text
    return ""
