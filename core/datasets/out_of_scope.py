"""Questions near the matters of documents that the documents do not answer, each checked to be absent."""

from __future__ import annotations

import random
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from core.base.types import FrozenModel, Language
from core.datasets.draft import Section
from core.datasets.heading_questions_en import how_to
from core.datasets.question_words import casual, question_words
from core.text.inflection import words
from core.text.language import content_words, frame_words, script
from core.text.normalize import normalize

Of = Literal["act", "thing", "topic"]
_PARTS = re.compile(r"[・、,]|と(?=[^と]{2,})| and |: ")
_THING = re.compile(
    r"^(?P<np>[^をがにと・のは]{2,14}(?:休暇|休業|手当|補助|制度|給付金|研修|診断|保険|割引|プラン|サービス|講座|会員|ポイント|特典))(?:の.*)?(?:とは)?$"
)
_ACT = re.compile(r"^(?P<np>[^をがとは・]{2,14})の(?P<act>[^の]{2,4}?)(?:の?(?:方法|手順|手続き|期限|申請))?$")
_THOUGHTS = ("recognise", "recognize", "see", "know", "prevent", "avoid", "stop", "write", "exercise", "ask", "reach", "read", "choose")  # fmt: skip
LONGEST = 32  # letters of a topic
COVERED = 0.8  # share of a question's words, without those of the topic, from which a passage may answer it
ROUNDS = 3  # how often a template may be used


class Template(FrozenModel):
    """A question about a matter of a sort, and the words (a regular expression) whose absence shows that it has no answer."""

    of: Of
    text: str
    absent: str


class Matter(FrozenModel):
    """What a question can be about, and the document near it."""

    of: Of
    name: str
    document: str


@cache
def templates(language: Language) -> tuple[Template, ...]:
    """The questions of `out_of_scope.toml`."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return tuple(Template.model_validate(row) for row in table[language])


def matters(sections: Sequence[Section], language: Language) -> tuple[Matter, ...]:
    """What people do or get by the headings, and what the documents are about by their titles."""
    found: dict[tuple[Of, str], Matter] = {}
    for section in sections:
        for of, name in _of_english(section) if language == "en" else _of_japanese(section):
            found.setdefault((of, name), Matter(of=of, name=name, document=section.document))
    for name, document in topics(sections):
        if not (_only_nouns(name) if language == "ja" else _is_named(name)):
            continue
        found.setdefault(("topic", name), Matter(of="topic", name=name, document=document))
    return tuple(found.values())


def _of_japanese(section: Section) -> Iterator[tuple[Of, str]]:
    if (match := _THING.match(section.topic)) and _only_nouns(match["np"]):
        yield "thing", casual(match["np"])
    if (match := _ACT.match(section.topic)) and match["act"] in question_words("ja")["lists"]["doable"]:
        whole = re.search(r"(?:方法|手順|手続き|申請|期限)$", section.topic) or match["act"] in (
            "予約",
            "申し込み",
            "精算",
            "注文",
            "届け出",
        )
        if whole and _only_nouns(match["np"]) and match["act"] in question_words("ja")["lists"]["handed_in"]:
            yield "act", casual(f"{match['np']}の{match['act']}")


def _only_nouns(text: str) -> bool:
    return all(word.part in ("名詞", "接尾辞", "接頭辞", "記号") or word.surface == "の" for word in words(text))


def _is_named(title: str) -> bool:
    return len(title.split()) <= 5 and not re.search(r"\b(?:is|are|how|what|why|where|your|you|can|it)\b", title)


def _of_english(section: Section) -> Iterator[tuple[Of, str]]:
    wanted = re.sub(r" (?:on the web|on iOS.*|on Android|in the .*apps?)$", "", how_to(section.topic))
    if re.search(r"\b(?:my|I|me|myself)\b", wanted):
        return  # "how many customers change my address"
    if wanted and len(wanted.split()) <= 7 and wanted.split()[0] not in _THOUGHTS:
        yield "act", wanted


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
    """(question, document near it), in an order drawn by the seed.

    Each template is used once before any is used again, each matter once in all; those about whole documents come last.
    """
    chance = random.Random(seed)
    places: dict[Of, list[Matter]] = defaultdict(list)
    for matter in matters(sections, language):
        places[matter.of].append(matter)
    for listed in places.values():
        chance.shuffle(listed)
    order = list(templates(language))
    chance.shuffle(order)
    near = [one for one in order if one.of != "topic"]
    whole = [one for one in order if one.of == "topic"]
    asked: set[str] = set()
    for template in (*near * ROUNDS, *whole * ROUNDS):
        for matter in places[template.of]:
            shown = matter.name if language == "ja" else _lower(matter.name)
            question = template.text.format(matter=shown)
            if matter.name not in asked and is_absent(question, template.absent, matter.name, sections):
                asked.add(matter.name)
                yield question, matter.document
                break


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
