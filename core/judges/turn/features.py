"""What can be measured of a reply to tell, without a reference, whether it is the right one; the fit is in likelihood.py.

Every feature is a share (0 to 1), the difference of two shares or a flag, and depends on the question, the passages and the
reply alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.base.types import Sample
from core.judges.rules.evidence import Weights, source, sources_of, unit
from core.judges.turn.asked_kinds import AskedKind, asked_kinds, holds_kind
from core.judges.turn.measures import Measures, question_of
from core.retrieval.word_vectors import word_vectors
from core.text.citations import read_citations
from core.text.language import Script, reading, script
from core.text.questions import is_question, question_parts, without_courtesy

SEEN = 8  # passages that are looked at
LONGEST_HEADING = 120  # characters of a first line that can be a heading
_ENDS = re.compile(r"[.!！:：;,、]\s*$")
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
NOTHING: Words = frozenset()


class Section(NamedTuple):
    """A passage: its heading and the words of that, all its words, and its text without the heading."""

    name: str
    head: Words
    words: Words
    text: str


class Asked(NamedTuple):
    """What a message asks: its words, those of each of its questions, and what a word weighs among the passages."""

    text: str
    words: Words
    parts: tuple[tuple[str, Words], ...]
    kinds: tuple[AskedKind, ...]
    weights: Weights
    of: Script

    def words_of(self, text: str) -> Words:
        """The content words of a text of the answer."""
        return source(text, self.of).words

    def share(self, found: Words, wanted: Words | None = None) -> float:
        """Share (0 to 1) by weight of the wanted words (those of the question) that were found."""
        return self.weights.share(self.words if wanted is None else wanted, found)


def asked_of(sample: Sample) -> Asked:
    """The question as it stands after the conversation, without greetings, and the intent if it is known."""
    text = without_courtesy(question_of(sample)[:2_000])
    of = script("\n".join(sample.contexts)[:1_500] or text)
    _, weights = sources_of(sample.contexts[:SEEN], of)
    words = unit(text, of).words | unit(sample.intent, of).words
    asking = (part for part in asked_parts(text) if not _states(part))
    found = tuple((part, one) for part in asking if (one := unit(part, of).words))
    around = words.difference(*(one for _, one in found))  # the circumstances belong to each question
    parts = tuple((part, one | around) for part, one in found)
    return Asked(text, words, parts if len(parts) > 1 else ((text, words),), asked_kinds(text), weights, of)


def asked_parts(text: str) -> tuple[str, ...]:
    """The questions of a message, also those that a list joins: the way to order A and, besides, to book B."""
    return tuple(part for one in question_parts(text) for part in _JOINED.split(one) if part.strip())


def _states(part: str) -> bool:
    """Whether a part of a message only tells the circumstances of what another part asks."""
    return bool(_STATES.search(part)) and not is_question(part) and not _WISHES.search(part)


def sections_of(texts: Sequence[str], of: Script) -> tuple[Section, ...]:
    """The passages; the heading is the first of several lines."""
    return tuple(_section(text, of) for text in texts[:SEEN])


def has_headings(sample: Sample) -> bool:
    """Whether most passages have a heading, as those of Kiku's own bots have: the fits know only such passages."""
    named = [bool(one.name) for one in sections_of(sample.contexts, "en")]
    return 2 * sum(named) > len(named)


def _section(text: str, of: Script) -> Section:
    first, _, rest = text.strip().partition("\n")
    title, _, heading = first.rpartition(" › ")
    name = heading if rest and len(heading) <= LONGEST_HEADING and not _ENDS.search(heading) else ""
    return Section(name, unit(name, of).words, source(text, of).words | unit(title, of).words, rest or text)


def used_places(sample: Sample, measures: Measures) -> tuple[int, ...]:
    """The places (from 0) of the passages that support what a reply says, weightiest first; else of those that it cites."""
    behind = sorted((f for f in measures.claims if f.place and f.state == "supported"), key=lambda f: -f.weight)
    _, cited = read_citations(sample.answer, len(sample.contexts))
    places = tuple(dict.fromkeys(f.place for f in behind)) or cited
    return tuple(place - 1 for place in places if place <= min(SEEN, len(sample.contexts)))


def likeness(words: Words, others: Words) -> float:
    """Mean over the words (0 to 1) of how near each is to the nearest of the others: 1 for the same word, else the cosine
    of Japanese word vectors; 0 without words."""
    if not words or not others:
        return 0.0
    known = [vector for word in others if (vector := _vector(word)) is not None]
    rows = np.array(known) if known else None
    return sum(1.0 if word in others else _nearest(word, rows) for word in words) / len(words)


def kinship(asked: Asked, wanted: Words, words: Words) -> float:
    """Share (0 to 1) by weight of the wanted words that are among the words or, in Japanese, near one by their vectors."""
    known = [vector for word in words if (vector := _vector(word)) is not None]
    rows = np.array(known) if known else None
    total = asked.weights.sum(wanted)
    near = (asked.weights.of(word) * (1.0 if word in words else _beyond(_nearest(word, rows))) for word in wanted)
    return math.fsum(near) / total if total else 0.0


def _beyond(cosine: float) -> float:
    """How much nearer (0 to 1) two words are than any two."""
    return max(0.0, (cosine - UNRELATED) / (1 - UNRELATED))


def nearness(section: Section, text: str, words: Words) -> float:
    """How near (0 to 1) a heading is to a question, by its words or, in Japanese, by its sound (kana for kanji)."""
    return max(likeness(section.head, words), _sound_share(section.name, text))


@lru_cache(maxsize=8_192)
def _sound_share(heading: str, text: str) -> float:
    """Share of the heading, by length, whose longer words sound in the question; 0 if it has none written so."""
    if script(heading) != "ja" or script(text) != "ja":
        return 0.0
    sounds, said = reading(heading).split(), reading(text).replace(" ", "")
    heard = sum(len(sound) for sound in sounds if len(sound) >= SOUNDING and sound in said)
    return heard / sum(map(len, sounds)) if heard else 0.0


def _nearest(word: str, rows: np.ndarray | None) -> float:
    vector = _vector(word) if rows is not None else None
    return max(0.0, float((rows @ vector).max())) if vector is not None and rows is not None else 0.0


@lru_cache(maxsize=8_192)
def _vector(word: str) -> np.ndarray | None:
    vectors = None if word.isascii() else word_vectors()
    return vectors.of(word) if vectors else None


def answer_features(asked: Asked, found: Sequence[Section], places: Sequence[int], answer: str) -> dict[str, float]:
    """Of an answer: how well its own passages and words fit what was asked, and whether another passage fits better."""
    own = [found[place] for place in places] or list(found[:1])
    others = [one for one in found if one not in own]
    said = source(answer[:12_000], asked.of).words
    missing = missing_kinds(asked, answer)
    covered, heading, near = _best_share(asked, own), _best_heading(asked, own), _nearness(asked, own)
    return {
        "said": asked.share(said),
        "covered": covered,
        "lead": covered - _best_share(asked, others),
        "heading": heading,
        "heading_lead": heading - _best_heading(asked, others),
        "near": near,
        "near_lead": near - _nearness(asked, others),
        "no_kind": float(bool(missing)),
        "surplus": min(max(len(own) - len(asked.parts), 0), 3) / 3,
    }


def refusal_features(asked: Asked, found: Sequence[Section]) -> dict[str, float]:
    """Of a refusal: how well the passages would have fitted what was asked."""
    return {
        "covered": _best_share(asked, found),
        "near": _nearness(asked, found),
    }


def question_features(asked: Asked, found: Sequence[Section], choices: Sequence[str]) -> dict[str, float]:
    """Of a clarifying question with choices: how well these fit what was asked."""
    heads = [unit(choice, asked.of).words for choice in choices]
    whole = [
        head.union(*(one.words for one in found if one.name == choice))
        for choice, head in zip(choices, heads, strict=True)
    ]
    covered = max((asked.share(words) for words in whole), default=0.0)
    near = [likeness(head, asked.words) for head in heads] or [0.0]
    return {
        "covered": covered,
        "missed": max(0.0, _best_share(asked, found) - covered),
        "heading": max((asked.share(head) for head in heads), default=0.0),
        "near_mean": sum(near) / len(near),
    }


def missing_kinds(asked: Asked, answer: str) -> tuple[AskedKind, ...]:
    """The kinds of value asked for of which the answer gives none."""
    return tuple(kind for kind in asked.kinds if not holds_kind(kind, answer))


def _best_share(asked: Asked, found: Sequence[Section]) -> float:
    """Share of the question's words that the best passage has; of several questions the mean."""
    return _mean(max((asked.share(one.words, part) for one in found), default=0.0) for _, part in asked.parts)


def _best_heading(asked: Asked, found: Sequence[Section]) -> float:
    return _mean(max((asked.share(one.head, part) for one in found), default=0.0) for _, part in asked.parts)


def _nearness(asked: Asked, found: Sequence[Section]) -> float:
    """How near the words of the nearest heading are to those of the question; of several questions the mean."""
    return _mean(max((nearness(one, text, words) for one in found), default=0.0) for text, words in asked.parts)


def _mean(values: Iterable[float]) -> float:
    held = tuple(values)
    return sum(held) / len(held) if held else 0.0
