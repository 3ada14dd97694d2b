"""Questions from a log of real ones: personal data masked, grouped by meaning, one representative of each group."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from core.base.frozen_model import FrozenModel
from core.datasets.items import Item
from core.text.inflection import surface
from core.text.japanese import words
from core.text.language import content_words, script
from core.text.message_questions import without_courtesy
from core.text.synonyms import canonical_words

SAME_MEANING_FROM = 0.55  # cosine of weighted words
MAX_QUESTIONS = 5_000  # of a log
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    ("card", re.compile(r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}\b")),
    ("phone", re.compile(r"(?<![\d-])(?:\+\d{1,3}[ -]?)?\(?0\d{1,4}\)?[ -]?\d{1,4}[ -]?\d{3,4}(?![\d-])|\+\d{1,3}(?:[ -]\d{2,4}){2,4}\b")),
    ("address", re.compile(r"〒?\d{3}-\d{4}|[一-龥]{1,4}[都道府県][一-龥ぁ-んァ-ヶ]{1,10}[市区町村][一-龥ァ-ヶ0-9０-９\-－の]*|\b\d{1,5} [A-Z][a-z]+ (?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Square)\b\.?")),
    ("number", re.compile(r"(?<![\d,.])\d{6,}(?![\d,])|\b[A-Z]{1,3}-?\d{5,}\b")),
)  # fmt: skip
_NAME_EN = re.compile(
    r"\b(?:my name is|this is|name's|I am|I'm|regards,?|Mr\.?|Mrs\.?|Ms\.?|Dr\.?)\s+([A-Z][a-z'’-]+(?: [A-Z][a-z'’-]+)?)"
)
_MASKS = {
    "ja": {"email": "[メール]", "card": "[カード番号]", "phone": "[電話番号]", "address": "[住所]", "number": "[番号]", "name": "[氏名]"},
    "en": {"email": "[email]", "card": "[card number]", "phone": "[phone]", "address": "[address]", "number": "[number]", "name": "[name]"},
}  # fmt: skip


class MaskedText(FrozenModel):
    """A text with personal data masked."""

    text: str
    found: tuple[tuple[str, str], ...] = ()  # (kind, masked text)


class Group(FrozenModel):
    """Questions that mean the same."""

    question: str  # the representative
    members: tuple[str, ...]
    masked: tuple[tuple[str, str], ...] = ()  # (kind, masked text) of the representative


def mask(text: str) -> MaskedText:
    """Names, numbers, phone numbers, e-mail and postal addresses replaced by what they are."""
    english = script(text) == "en"
    signs = _MASKS["en" if english else "ja"]
    masked: list[tuple[str, str]] = []
    for kind, pattern in _PATTERNS:
        for value in dict.fromkeys(match[0] for match in pattern.finditer(text)):
            masked.append((kind, value))
            text = text.replace(value, signs[kind])
    for name in dict.fromkeys(_NAME_EN.findall(text) if english else _names_ja(text)):
        masked.append(("name", name))
        text = text.replace(name, signs["name"])
    return MaskedText(text=text, found=tuple(masked))


def _names_ja(text: str) -> list[str]:
    """Runs of words that the dictionary knows as names of persons, at least two letters long."""
    runs = groupby(words(text), key=lambda word: word.kind == "人名")
    names = [surface(tuple(run)) for is_name, run in runs if is_name]
    return [name for name in names if len(name) >= 2]


def group_questions(questions: Sequence[str]) -> list[Group]:
    """The questions, masked, in groups of the same meaning, the largest first; of each the one most like the others.

    Meaning is told by words, synonyms taken as one, weighted by how rare they are (cosine).
    """
    masked = [mask(" ".join(question.split())) for question in questions[:MAX_QUESTIONS] if question.strip()]
    vectors = _vectors([re.sub(r"\[[^\[\]]*\]", " ", without_courtesy(question.text)) for question in masked])
    leaders: list[list[int]] = []
    for place, vector in enumerate(vectors):
        best = max(leaders, key=lambda members: _cosine(vectors[members[0]], vector), default=None)
        if best is not None and _cosine(vectors[best[0]], vector) >= SAME_MEANING_FROM:
            best.append(place)
        else:
            leaders.append([place])
    groups: list[Group] = []
    for members in leaders:
        likeness = {one: sum(_cosine(vectors[one], vectors[other]) for other in members) for one in members}
        middle = max(members, key=likeness.__getitem__)
        found = dict.fromkeys(pair for member in members for pair in masked[member].found)
        texts = tuple(masked[member].text for member in members)
        groups.append(Group(question=masked[middle].text, members=texts, masked=tuple(found)))
    return sorted(groups, key=lambda group: -len(group.members))


def _vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Words of each text with their weights, unit length."""
    listed = [canonical_words(" ".join(content_words(text)), script(text)) or frozenset([text]) for text in texts]
    counts = Counter(word for terms in listed for word in terms)
    total = len(texts)
    vectors: list[dict[str, float]] = []
    for terms in listed:
        weights = {word: math.log(1 + total / counts[word]) for word in sorted(terms)}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({word: weight / length for word, weight in weights.items()})
    return vectors


def _cosine(vector: dict[str, float], other_vector: dict[str, float]) -> float:
    small, large = (vector, other_vector) if len(vector) <= len(other_vector) else (other_vector, vector)
    return sum(weight * large.get(word, 0.0) for word, weight in small.items())


def questions_in(text: str) -> list[str]:
    """The questions of a pasted text: one a line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def items_of(groups: Sequence[Group], prefix: str) -> list[Item]:
    """The representatives as items without answers."""
    return [
        Item(id=f"{prefix}-{number:03}", kind="faq", question=group.question) for number, group in enumerate(groups, 1)
    ]
