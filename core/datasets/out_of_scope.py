"""Questions near the topics of documents that the documents do not answer, each checked to be absent."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from core.base.types import FrozenModel, Language
from core.datasets.draft import Section
from core.text.inflection import words
from core.text.language import content_words, frame_words, script
from core.text.normalize import normalize

_PARTS = re.compile(r"[・、,]|と(?=[^と]{2,})| and |: ")
LONGEST = 32  # letters of a topic
COVERED = 0.8  # share of a question's words, without those of the topic, from which a passage may answer it


class Template(FrozenModel):
    """A question about any topic, and the words (a regular expression) whose absence shows that it has no answer."""

    text: str
    absent: str


@cache
def templates(language: Language) -> tuple[Template, ...]:
    """The questions of `out_of_scope.toml`."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(Template.model_validate(row) for row in table[language])


def topics(sections: Sequence[Section]) -> tuple[tuple[str, str], ...]:
    """(topic, document) of what the documents are about, by their titles."""
    found: dict[str, str] = {}
    for section in sections:
        whole = section.subject
        parts = [whole] if re.match(r"[A-Z]\w+ing\b", whole) else [part.strip() for part in _PARTS.split(whole)]
        for name in parts:
            if 2 <= len(name) <= LONGEST and content_words(name) and (name == whole or not _is_bare(name)):
                found.setdefault(name, section.document)
    return tuple(found.items())


def _is_bare(name: str) -> bool:
    """Whether a part of a title says too little by itself: 変更, cards."""
    if script(name) == "en":
        return " " not in name and name.islower()
    given = words(name)
    return len(given) == 1 and given[0].detail == "普通名詞" and len(name) <= 3


def out_of_scope(sections: Sequence[Section], language: Language, seed: int) -> Iterator[tuple[str, str]]:
    """(question, document near it), in an order drawn by the seed; each template once before any is used again."""
    chance = random.Random(seed)
    places = list(topics(sections))
    chance.shuffle(places)
    order = list(templates(language))
    chance.shuffle(order)
    for round_number in range(len(places)):
        for number, template in enumerate(order):
            topic, document = places[(number + round_number * len(order)) % len(places)]
            shown = topic if language == "ja" else _lower(topic)
            question = template.text.format(topic=shown)
            if is_absent(question, template.absent, topic, sections):
                yield question, document


def is_absent(question: str, absent: str, topic: str, sections: Sequence[Section]) -> bool:
    """Whether no section about the topic has the words, and none has nearly all words of the question."""
    about = set(content_words(topic))
    pattern = re.compile(absent, re.IGNORECASE)
    for section in sections:
        text = f"{section.title}\n{section.heading}\n{section.text}"
        if about <= set(content_words(text)) and pattern.search(text):
            return False
    return not answering(question, sections, topic)


def answering(question: str, sections: Sequence[Section], topic: str = "") -> Section | None:
    """The section that has (nearly) all words of a question beside those of its topic, and so may answer it."""
    asked = set(content_words(question)) - set(content_words(topic)) - frame_words()
    if len(asked) < 2:
        return None
    for section in sections:
        present = set(content_words(f"{section.heading}\n{section.text}"))
        if len(asked & present) / len(asked) >= COVERED:
            return section
    return None


def _lower(topic: str) -> str:
    """A title within a sentence: its first letter small unless it is a name."""
    first = topic.split()[0] if topic.split() else topic
    if normalize(first) == first or first.isupper() or any(letter.isupper() for letter in first[1:]):
        return topic
    return topic[0].lower() + topic[1:]
