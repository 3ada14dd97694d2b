"""How good an item is, in five respects, and what speaks against using it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, PromptByRules, usable_reply
from core.base.types import Language
from core.datasets.duplicates import Questions
from core.datasets.items import Item
from core.datasets.seed_document.written_documents import states_value
from core.text.language import content_words, language_of

Flag = Literal["duplicate", "without_document", "not_in_document", "not_absent"]
RESPECTS = ("clarity", "safety", "conformity", "richness", "relevance")
OF_TWO = ("integration", "comparison", "sequence")
_PERSONAL = re.compile(
    r"\b0\d{1,3}-\d{2,4}-\d{4}\b|(?<![\w.+-])[\w.+-]+@(?!(?:[\w-]+\.)*example(?![a-z]))[\w-]+\.\w+|\b\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}\b"
)
_LONG = {"ja": 120, "en": 260}


class Rating(FrozenModel):
    """One score from 1 (worst) to 5 for each respect; the reasons come first."""

    reasons: str
    clarity: int = Field(ge=1, le=5, description="Is it plain what the question asks, and of whom?")
    safety: int = Field(ge=1, le=5, description="Free of personal data, insults and dangerous advice?")
    conformity: int = Field(ge=1, le=5, description="Does it fit its kind, and its references their documents?")
    richness: int = Field(ge=1, le=5, description="How much has an answer to say?")
    relevance: int = Field(ge=1, le=5, description="Do the references answer the question?")


class Quality(FrozenModel):
    """The rating and the flags of an item."""

    id: str
    rating: Rating
    flags: tuple[Flag, ...] = ()
    same_as: str = ""  # the question that it repeats


class RateItem(PromptByRules[Rating]):
    """A rating of one item."""

    file = "rate_item"
    role = "judge"
    kind: str
    question: str
    answer: str
    evidence: tuple[tuple[str, str], ...]
    keypoints: tuple[str, ...]


_REASONS: dict[Language, dict[str, str]] = {
    "ja": {
        "points": "要点は{n}件です",
        "subject": "どの文書のことかが質問に書かれていません",
        "long": "質問が長すぎます",
        "personal": "個人情報のような文字列があります",
        "documents": "種類に合う数の文書を使っていません",
        "reference": "文書にない参照があります",
        "language": "質問の言語が文書と違います",
        "words": "質問の言葉が参照にあまりありません",
    },
    "en": {
        "points": "keypoints: {n}",
        "subject": "the question does not name its document",
        "long": "the question is long",
        "personal": "it has what looks like personal data",
        "documents": "it does not rest on as many documents as its kind needs",
        "reference": "a reference is not in its document",
        "language": "the question is not in the language of the documents",
        "words": "the references have few words of the question",
    },
}


def rate(
    engine: Engine,
    item: Item,
    texts: Mapping[str, str],
    subjects: Sequence[str],
    language: Language,
    item_flags: tuple[Flag, ...],
    same_as: str,
) -> Quality:
    """The item's rating with its flags. texts: the documents by name; subjects: what tells them apart."""
    by_rules = rated_by_rules(item, texts, subjects, language)
    prompt = RateItem(
        kind=item.kind,
        question=item.question,
        answer=item.answer,
        evidence=tuple((_owner(texts.get(source.document, ""), subjects), source.text) for source in item.evidence),
        keypoints=tuple(point.text for point in item.keypoints),
        by_rules=by_rules,
        language=language,
    )
    return Quality(id=item.id, rating=usable_reply(engine, prompt) or by_rules, flags=item_flags, same_as=same_as)


def _owner(text: str, subjects: Sequence[str]) -> str:
    """Whose document a text is: of what tells documents apart, the one that it names first."""
    named = [(text.find(subject), subject) for subject in subjects if subject and subject in text]
    return min(named)[1] if named else ""


def rated_by_rules(item: Item, texts: Mapping[str, str], subjects: Sequence[str], language: Language) -> Rating:
    """A rating from what can be counted."""
    relevance = _relevance(item, subjects)
    faults = (  # (the respect, the reason, how many points it costs, whether it is so)
        ("clarity", "subject", 2, item.kind != "multi_hop" and not any(subject in item.question for subject in subjects)),
        ("clarity", "long", 1, len(item.question) > _LONG[language]),
        ("safety", "personal", 3, bool(_PERSONAL.search(f"{item.question} {item.answer}"))),
        ("conformity", "documents", 2, item.kind in OF_TWO and len(set(item.documents)) != 2),
        ("conformity", "reference", 3, _has_foreign_evidence(item, texts)),
        ("conformity", "language", 2, language_of(item.question, language) != language),
        ("relevance", "words", 5 - relevance, relevance < 4),
    )  # fmt: skip
    found = [(respect, reason, points) for respect, reason, points, is_so in faults if is_so]
    scores = {name: max(1, 5 - sum(points for respect, _, points in found if respect == name)) for name in RESPECTS}
    scores |= {"relevance": relevance, "richness": min(5, 2 + len(item.keypoints)) if item.keypoints else 1}
    reasons = [_REASONS[language][reason] for reason in ("points", *(reason for _, reason, _ in found))]
    end, joint = ("。", "。") if language == "ja" else (".", "; ")
    return Rating(reasons=f"{joint.join(reasons)}{end}".format(n=len(item.keypoints)), **scores)


def _relevance(item: Item, subjects: Sequence[str]) -> int:
    """How many words of the question its evidence and answer have, from 1 to 5."""
    if not item.evidence:
        return 5
    asked = {word for word in content_words(item.question) if not any(sign.isdigit() for sign in word)}
    covered = set(content_words(" ".join([*(source.text for source in item.evidence), *subjects, item.answer])))
    return max(1, round(1 + 4 * min(1.0, 1.25 * len(asked & covered) / max(1, len(asked)))))


def _has_foreign_evidence(item: Item, texts: Mapping[str, str]) -> bool:
    return any(source.text not in texts.get(source.document, "") for source in item.evidence)


def flags(
    item: Item, seen: Questions, texts: Mapping[str, str], language: Language, left_out: str = ""
) -> tuple[tuple[Flag, ...], str]:
    """What speaks against an item, and the question that it repeats.

    texts: the documents by name; left_out: the value that the item's document must lack.
    """
    raised: list[Flag] = []
    repeated_question = seen.like(item.question)
    if repeated_question is not None:
        raised.append("duplicate")
    if item.kind != "summary" and _is_stated(item):
        raised.append("without_document")
    if _has_foreign_evidence(item, texts):
        raised.append("not_in_document")
    is_told = left_out and any(states_value(texts.get(name, ""), left_out, language) for name in item.documents)
    if item.kind == "unanswerable" and is_told:
        raised.append("not_absent")
    return tuple(raised), repeated_question or ""


def _is_stated(item: Item) -> bool:
    """Whether the question tells its whole answer: each word and figure of the answer is in it."""
    answer = set(content_words(item.answer))
    return bool(item.evidence) and bool(answer) and answer <= set(content_words(item.question))
